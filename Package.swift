// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is held to the same rules: Swift 6 mode, no warning, each `unsafe` spelt out, imports
/// internal unless they are part of the target's interface.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// What runs on the event loop.
///
/// It is one thread's, and its accesses to properties are checked for overlaps at run time in
/// debug builds, so in every test. In a release build the checks were a third of what a request costs.
let loopSettings =
    swiftSettings + [
        .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
    ]

let package = Package(
    name: "usher",
    platforms: [.macOS(.v15)],
    products: [
        // With a type of their own, since `swift build --product` builds the whole package for an
        // automatic one, and a client has no use for the daemon's libraries.
        .library(name: "UsherClient", type: .static, targets: ["UsherClient"]),
        .library(name: "UsherStreams", type: .static, targets: ["UsherStreams"]),
        .library(name: "UsherRxSwift", type: .static, targets: ["UsherRxSwift"]),
        .executable(name: "usherd", targets: ["usherd"]),
        .executable(name: "usherctl", targets: ["usherctl"]),
    ],
    traits: [
        .trait(
            name: "RxSwift", description: "Streams as observables of RxSwift, in UsherRxSwift."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        // Used under its trait only: without it, nothing is resolved or fetched.
        .package(url: "https://github.com/ReactiveX/RxSwift.git", from: "6.10.0")
    ],
    targets: [
        // C libraries: a module map each, and a shim where C is variadic or C++.
        .systemLibrary(
            name: "CUsherUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(
            name: "CUsherSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "CUsherCurl", linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("z")]),
        .target(name: "CUsherJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CUsherOptions"),
        .systemLibrary(name: "CUsherMalloc"),

        // What both sides share.
        .target(name: "UsherWire", swiftSettings: swiftSettings),
        .target(
            name: "UsherOptions", dependencies: ["CUsherOptions"], swiftSettings: swiftSettings),

        // The daemon.
        eventLoop,
        .target(name: "UsherJSON", dependencies: ["CUsherJSON"], swiftSettings: swiftSettings),
        .target(name: "UsherCore", dependencies: ["UsherWire"], swiftSettings: loopSettings),
        .target(
            name: "UsherStore", dependencies: ["CUsherSQLite", "UsherCore", "UsherWire"],
            swiftSettings: swiftSettings),
        .target(
            name: "UsherUpstream",
            dependencies: ["CUsherCurl", "UsherEventLoop", "UsherJSON", "UsherWire"],
            swiftSettings: swiftSettings),
        .target(
            name: "UsherDaemon",
            dependencies: [
                "UsherCore", "UsherEventLoop", "UsherJSON", "UsherOptions", "UsherStore",
                "UsherUpstream", "UsherWire",
            ],
            swiftSettings: loopSettings),
        .executableTarget(
            name: "usherd",
            dependencies: [
                "CUsherMalloc", "UsherDaemon", "UsherEventLoop", "UsherOptions", "UsherWire",
            ], swiftSettings: swiftSettings),

        // The client side.
        .target(name: "UsherStreams", swiftSettings: swiftSettings),
        .target(
            name: "UsherClient", dependencies: ["UsherStreams", "UsherWire"],
            swiftSettings: swiftSettings),
        .target(
            name: "UsherRxSwift", dependencies: ["UsherStreams", rxSwift("RxSwift")],
            swiftSettings: swiftSettings),
        .target(
            name: "UsherControl", dependencies: ["UsherClient", "UsherOptions", "UsherWire"],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "usherctl", dependencies: ["UsherControl"], swiftSettings: swiftSettings),

        // What things cost.
        .executableTarget(
            name: "usher-bench",
            dependencies: [
                .target(name: "CUsherMalloc", condition: .when(platforms: [.linux])),
                "TestSupport", "UsherEventLoop", "UsherStreams", "UsherWire",
            ],
            swiftSettings: swiftSettings),
        .executableTarget(name: "usher-floor", dependencies: ["CUsherUV"]),

        // Complete small programs, which the documentation quotes.
        example("UserCardLoop"),
        example("UserCardView"),
        example("UserCardRx", "UsherRxSwift", rxSwift("RxSwift")),
        example("MovieListLoop"),
        example("MovieListView"),
        example("MovieListRx", "UsherRxSwift", rxSwift("RxSwift")),

        // Tests, a target for each of the above.
        .target(
            name: "TestSupport", path: "Tests/TestSupport", exclude: ["http_server.py"],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "readme-example", dependencies: ["UsherClient"], path: "Tests/ReadmeExample",
            swiftSettings: swiftSettings),
        test("UsherWire"),
        test("UsherEventLoop", "CUsherUV", "TestSupport"),
        test("UsherJSON"),
        test("UsherCore", "UsherWire"),
        test("UsherStore", "CUsherSQLite", "TestSupport", "UsherCore", "UsherWire"),
        test("UsherUpstream", "TestSupport", "UsherEventLoop", "UsherWire"),
        test(
            "UsherDaemon", "TestSupport", "UsherCore", "UsherEventLoop", "UsherOptions",
            "UsherStore", "UsherUpstream", "UsherWire"),
        test("UsherOptions", "TestSupport"),
        test("UsherStreams"),
        test("UsherClient", "UsherStreams", "UsherWire"),
        test(
            "UsherRxSwift", "UsherStreams", rxSwift("RxSwift"), rxSwift("RxRelay"),
            rxSwift("RxTest")),
        test(
            "UsherControl", "TestSupport", "UsherClient", "UsherOptions", "UsherWire", "usherctl",
            "usherd"),
        // The real daemon, as its surroundings break: `make test-faults`.
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "TestSupport", "UsherClient", "UsherStore", "UsherStreams", "UsherWire", "usherd",
            ],
            exclude: ["clock.c", "pieces.c"], swiftSettings: swiftSettings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TestSupport", "UsherClient", "UsherStreams", "UsherWire", "usherd",
                "UserCardLoop", "UserCardView", "UserCardRx", "MovieListLoop", "MovieListView",
                "MovieListRx",
            ],
            swiftSettings: swiftSettings),
    ],
    cxxLanguageStandard: .cxx17
)

// libFuzzer brings a `main` of its own, so what it runs is no part of a normal build: `make fuzz` sets the variable
// and builds the oracles with the driver, a normal build makes tests of the oracles and the inputs that are kept.
package.targets.append(
    Context.environment["USHER_FUZZ"] == nil
        ? .testTarget(
            name: "FuzzingTests", dependencies: fuzzed, path: "Tests/Fuzzing",
            exclude: ["Corpus", "Driver.swift", "tokens.dict"], swiftSettings: swiftSettings)
        : .executableTarget(
            name: "UsherFuzzer", dependencies: fuzzed, path: "Tests/Fuzzing",
            exclude: ["Corpus", "CorpusTests.swift", "tokens.dict"],
            swiftSettings: swiftSettings))

// The simulation drives the daemon's own code on a loop of its own: a module of the same name and interface, with
// neither libuv nor time in it. `make simulate` sets the variable.
if isSimulated {
    package.targets.append(
        .executableTarget(
            name: "usher-simulation",
            dependencies: [
                "UsherCore", "UsherDaemon", "UsherEventLoop", "UsherJSON", "UsherOptions",
                "UsherStore",
                "UsherUpstream", "UsherWire",
            ], path: "Tests/Simulation/Walk", swiftSettings: swiftSettings))
}

var isSimulated: Bool { Context.environment["USHER_SIMULATE"] != nil }

/// libuv for Swift; in a simulation, its twin.
var eventLoop: Target {
    isSimulated
        ? .target(
            name: "UsherEventLoop", path: "Tests/Simulation/EventLoop", swiftSettings: swiftSettings
        )
        : .target(name: "UsherEventLoop", dependencies: ["CUsherUV"], swiftSettings: loopSettings)
}

/// What reads what strangers send.
var fuzzed: [Target.Dependency] {
    ["UsherDaemon", "UsherJSON", "UsherUpstream", "UsherWire"]
}

/// A product of RxSwift, where its trait is on.
func rxSwift(_ product: String) -> Target.Dependency {
    .product(name: product, package: "RxSwift", condition: .when(traits: ["RxSwift"]))
}

/// A program of the documentation.
func example(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: ["UsherClient"] + dependencies, path: "Tests/Examples/\(name)",
        swiftSettings: swiftSettings)
}

/// The tests of a target, which may use others too.
func test(_ target: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(
        name: target + "Tests", dependencies: [.byName(name: target)] + dependencies,
        swiftSettings: swiftSettings)
}
