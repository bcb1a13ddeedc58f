// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherOptions
import UsherWire

/// Where the configuration comes from, so that it can be read again: defaults, then a file, then the files of the folder
/// `conf.d` beside it by name, then the command line; what comes later counts.
package struct ConfigurationSource: Sendable {
    /// What a command line asks for.
    package enum Request: Sendable, Hashable {
        case serve(Configuration)
        case check(Configuration)
        case print(Configuration)
        case completions(Shell)
        case help
        case version
    }

    private enum Action { case serve, check, print, completions(Shell), help, version }

    private struct Words {
        var configuration: Configuration
        var file: String?
        var action = Action.serve
    }

    private let arguments: [String]
    private let environment: [String: String]
    private let uid: UInt32

    /// `arguments` begins with the program's name.
    package init(_ arguments: [String], environment: [String: String], uid: UInt32) {
        self.arguments = arguments
        self.environment = environment
        self.uid = uid
    }

    /// Reads everything.
    ///
    /// Throws a `UsageError` if the command line is wrong, a ``ConfigurationError`` if a file is.
    package func read() throws -> Request {
        var words = Words(configuration: Configuration(environment: environment, uid: uid))
        try parse(into: &words)
        switch words.action {
        case .help: return .help
        case .version: return .version
        case .completions(let shell): return .completions(shell)
        case .serve, .check, .print: break
        }
        words.configuration = Configuration(environment: environment, uid: uid)
        try applyFiles(to: &words.configuration, named: words.file)
        try parse(into: &words)
        return switch words.action {
        case .check: .check(words.configuration)
        case .print: .print(words.configuration)
        default: .serve(words.configuration)
        }
    }

    private func parse(into words: inout Words) throws(UsageError) {
        let operands = try Self.options.parse(arguments, into: &words)
        guard let operand = operands.first else { return }
        throw UsageError("\(operand) is no option; usherd takes options only, see --help")
    }

    /// A file that is named has to be there; the usual one may be missing.
    private func applyFiles(
        to configuration: inout Configuration, named name: String?
    ) throws(ConfigurationError) {
        guard let path = name ?? usualFile else { return }
        let isThere = try ConfigurationFile(path: path).apply(to: &configuration)
        guard isThere || name == nil else {
            throw ConfigurationError(
                problems: ["\(path): there is no such configuration file"],
                status: StartError.noInput)
        }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = (slash.map { path[...$0] } ?? "") + "conf.d"
        let names = Folder.names(in: String(folder)) ?? []
        var problems: [String] = []
        for name in names.sorted() where name.hasSuffix(".conf") && !name.hasPrefix(".") {
            do throws(ConfigurationError) {
                _ = try ConfigurationFile(path: "\(folder)/\(name)").apply(to: &configuration)
            } catch {
                problems += error.problems
            }
        }
        guard problems.isEmpty else {
            throw ConfigurationError(problems: problems, status: StartError.misconfigured)
        }
    }

    private var usualFile: String? {
        if uid == 0 { return "/etc/usher/usherd.conf" }
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/usher/usherd.conf"
        }
        return environment["HOME"].map { $0 + "/.config/usher/usherd.conf" }
    }

    private static var options: OptionTable<Words> {
        OptionTable(
            Configuration.settings.map { $0.option.within(\.configuration) } + [
                Option("config", short: "c", "FILE", "The configuration file.") {
                    (words, path) in words.file = path
                },
                Option("check-config", "Tells what is wrong with the configuration, and ends.") {
                    $0.action = .check
                },
                Option("print-config", "Prints the configuration as a file, and ends.") {
                    $0.action = .print
                },
                Option("completions", "SHELL", "Prints completions for bash, zsh or fish.") {
                    (words, text) throws(UsageError) in
                    words.action = .completions(try Shell(named: text))
                },
                Option("version", short: "V", "Prints the version.") { $0.action = .version },
                Option("help", short: "h", "Prints this help.") { $0.action = .help },
            ])
    }

    /// The text of `--help`.
    package static var help: String {
        """
        usherd: the user and the movie lists of this machine, served on a Unix socket.

        Usage: usherd [OPTION]...

        \(options.help)

        Limits: \(Limits.settable.map(\.name).joined(separator: ", ")).

        Limits of requests to services: \(UpstreamLimits.settable.map(\.name).joined(separator: ", ")).
        """
    }

    /// The completions of the command line for a shell.
    package static func completions(for shell: Shell) -> String {
        Completions(program: "usherd", options: options.options.map { CompletedOption($0) })
            .script(for: shell)
    }
}
