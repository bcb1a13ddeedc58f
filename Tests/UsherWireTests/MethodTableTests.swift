// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

struct MethodTableTests {
    @Test func `Every method has exactly one row, found by its name`() {
        #expect(
            MethodTable.entries.map(\.method.rawValue).sorted()
                == Method.allCases.map(\.rawValue).sorted())
        for method in Method.allCases {
            #expect(MethodTable.entry(for: method).method == method)
            #expect(MethodTable.entry(named: method.rawValue)?.method == method)
        }
        for name in ["", "Ping", "ping ", "user", "rpc.discove"] {
            #expect(MethodTable.entry(named: name) == nil)
        }
    }

    @Test func `No two methods share a word, and no word is a method's name`() {
        let words = MethodTable.entries.compactMap { $0.shorthand?.word }
        #expect(Set(words).count == words.count)
        for word in words {
            guard let entry = MethodTable.entry(named: word) else { continue }
            #expect(entry.shorthand?.word == word, "\(word) is another method")
        }
        for word in words + Method.allCases.map(\.rawValue) {
            #expect(word.utf8.first.map { (0x61...0x7A).contains($0) } == true, "\(word)")
        }
    }

    @Test func `The words that people are told of are there`() {
        let words = Set(MethodTable.entries.compactMap { $0.shorthand?.word })
        #expect(
            words.isSuperset(of: [
                "user", "fetch", "rename", "movies", "more", "watch", "unwatch", "ping", "stats",
                "help",
            ]))
    }

    @Test func `Everything in the table is documented`() {
        func check(_ parameters: [Parameter], of owner: String) {
            #expect(Set(parameters.map(\.name)).count == parameters.count, "\(owner)")
            for parameter in parameters {
                #expect(parameter.summary.hasSuffix("."), "\(owner) \(parameter.name)")
                #expect(!parameter.kind.noun.isEmpty)
                if case .object(let members) = parameter.kind { check(members, of: owner) }
                if case .choice(let values) = parameter.kind { #expect(!values.isEmpty) }
            }
        }
        for entry in MethodTable.entries {
            let name = entry.method.rawValue
            #expect(entry.summary.hasSuffix("."), "\(name)")
            #expect(!entry.result.isEmpty, "\(name)")
            #expect(Set(entry.errors).count == entry.errors.count, "\(name)")
            check(entry.parameters, of: name)
        }
    }

    @Test func `A word's operand is a parameter of its method`() {
        for entry in MethodTable.entries {
            switch entry.shorthand?.operand {
            case .rest(let name), .each(let name):
                #expect(entry.parameters.contains { $0.name == name }, "\(entry.method.rawValue)")
            case nil: break
            }
        }
    }

    @Test(arguments: [
        (Method.ping, Role.read), (.moviesFetch, .read), (.subscribe, .read), (.clients, .control),
        (.moviesRefresh, .control), (.engineReload, .admin), (.engineStop, .admin),
    ])
    func `A method asks for the role that the protocol says`(method: Method, role: Role) {
        #expect(MethodTable.entry(for: method).role == role)
    }

    @Test func `What waits for the store can be refused by it`() {
        for method in [Method.userFetch, .userRename, .moviesFetch] {
            #expect(MethodTable.entry(for: method).errors.contains(.degraded))
        }
    }

    @Test func `Roles are ordered, each with those before it`() {
        #expect(Role.read < .control)
        #expect(Role.control < .admin)
        #expect(Role.allCases == Role.allCases.sorted())
    }
}

/// The codes of protocol version 1: stable, so written out once more here.
struct ErrorReasonTests {
    private static let codes: [Int: [String]] = [
        -32700: ["bad_json", "invalid_utf8", "nul_byte", "too_deep", "bad_number"],
        -32600: [
            "bad_version", "bad_id", "duplicate_id", "duplicate_key", "unknown_member",
            "not_object", "batch_empty", "batch_too_big",
        ],
        -32601: ["unknown_method"],
        -32602: [
            "missing", "unknown_param", "wrong_type", "out_of_range", "bad_cursor", "key_reused",
        ],
        -32603: ["internal"], -32000: ["line_too_long"], -32001: ["result_too_large"],
        -32003: ["permission_denied"], -32005: ["shutting_down"], -32006: ["busy"],
        -32007: ["degraded"], -32010: ["unknown_topic"], -32011: ["already_subscribed"],
        -32012: ["not_subscribed"], -32013: ["too_many_subscriptions"],
        -32020: ["too_many_clients"], 1001: ["invalid_transition"], 1002: ["upstream_failed"],
        1003: ["end_of_list"], 1004: ["not_found"], 1005: ["timeout"], 1006: ["upstream_auth"],
    ]

    @Test func `Every reason has the code that the protocol says`() {
        let found = Dictionary(grouping: ErrorReason.allCases, by: \.code)
            .mapValues { Set($0.map(\.rawValue)) }
        #expect(found == Self.codes.mapValues { Set($0) })
    }

    @Test func `Every reason is explained in a sentence`() {
        for reason in ErrorReason.allCases {
            #expect(reason.summary.hasSuffix("."), "\(reason.rawValue)")
        }
    }

    @Test func `Only what may pass without a change is retryable`() {
        #expect(
            Set(ErrorReason.allCases.filter(\.isRetryable)) == [
                .busy, .degraded, .shuttingDown, .tooManyClients, .upstreamFailed, .timeout,
            ])
    }
}
