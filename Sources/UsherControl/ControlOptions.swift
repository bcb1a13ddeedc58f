// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherOptions

/// One row of the table of options: the option itself, and who knows it.
package struct ControlOption: Sendable {
    package let name: String
    /// The letter of the short form, if it has one.
    package let short: Character?
    /// What help calls the option's argument; nil when it takes none.
    package let placeholder: String?
    package let summary: String
    /// The commands that know it, by their first word; empty: all.
    let commands: [String]
    private let apply: @Sendable (String, inout Options) throws(UsageError) -> Void

    /// An option with an argument.
    init(
        _ name: String, short: Character? = nil, _ placeholder: String, _ summary: String,
        commands: [String] = [],
        apply: @escaping @Sendable (String, inout Options) throws(UsageError) -> Void
    ) {
        self.name = name
        self.short = short
        self.placeholder = placeholder
        self.summary = summary
        self.commands = commands
        self.apply = apply
    }

    /// An option without one.
    init(
        _ name: String, short: Character? = nil, _ summary: String, commands: [String] = [],
        apply: @escaping @Sendable (inout Options) -> Void = { _ in }
    ) {
        self.name = name
        self.short = short
        self.placeholder = nil
        self.summary = summary
        self.commands = commands
        self.apply = { (_, options) throws(UsageError) in apply(&options) }
    }

    /// Whether a command with this first word knows the option.
    func applies(to command: String) -> Bool {
        commands.isEmpty || commands.contains(command)
    }

    /// Takes the option's argument over, or the empty text for an option without one.
    func apply(_ value: String, to options: inout Options) throws(UsageError) {
        try apply(value, &options)
    }

    /// The row as getopt_long's table has it; it only notes what was given.
    var option: UsherOptions.Option<[GivenOption]> {
        guard let placeholder else {
            return Option(name, short: short, summary) { $0.append(GivenOption(row: self)) }
        }
        return Option(name, short: short, placeholder, summary) { given, value in
            given.append(GivenOption(row: self, value: value))
        }
    }
}

/// An option as it stood on the command line.
struct GivenOption {
    let row: ControlOption
    var value = ""
}

/// All options of usherctl, in the order in which help lists them.
package enum ControlOptions {
    package static let rows: [ControlOption] = [
        ControlOption(
            "list", short: "l", "NAME",
            "The movie list: popular (default), now_playing, top_rated, upcoming.",
            commands: ["movies"]
        ) { value, options throws(UsageError) in
            guard !value.isEmpty else { throw UsageError("--list needs the name of a list") }
            options.list = value
        },
        ControlOption(
            "limit", short: "n", "N", "Show at most so many movies.",
            commands: ["movies"]
        ) { value, options throws(UsageError) in
            guard let limit = Int(value), limit > 0 else {
                throw UsageError("--limit is a whole number above 0, not \(shown(value))")
            }
            options.limit = limit
        },
        ControlOption(
            "no-reconnect", "End with 2 when the daemon goes away, instead of waiting for it.",
            commands: ["watch"]
        ) { options in options.reconnects = false },
        ControlOption(
            "exec", short: "x", "COMMAND",
            "Have a shell run this for each event, which it reads as JSON on its input.",
            commands: ["watch"]
        ) { value, options throws(UsageError) in
            guard !value.isEmpty else { throw UsageError("--exec needs a command") }
            options.exec = value
        },
        ControlOption(
            "format", short: "f", "FORMAT",
            "Write each row so: {id} is the column ID; \\t, \\n and \\\\ as usual.",
            commands: ["status", "user", "movies", "ping", "stats"]
        ) { value, options throws(UsageError) in options.format = try RowFormat(value) },
        ControlOption(
            "socket", short: "s", "PATH",
            "The daemon's socket; default $USHER_SOCKET, then the usual places."
        ) { value, options throws(UsageError) in
            guard !value.isEmpty else { throw UsageError("--socket needs a path") }
            options.socketPath = value
        },
        ControlOption(
            "json", short: "j", "Print JSON: one document, or one line an event for watch."
        ) { options in options.isJSON = true },
        ControlOption(
            "timeout", short: "t", "SECONDS",
            "Give up, with 75, after so long; 0: never. Default \(Int(Options.defaultTimeout))."
        ) { value, options throws(UsageError) in
            guard let seconds = Double(value), (0...Options.longestTimeout).contains(seconds) else {
                throw UsageError(
                    "--timeout is seconds from 0 to \(Int(Options.longestTimeout)), not "
                        + shown(value))
            }
            options.timeout = seconds
        },
        ControlOption(
            "color", "WHEN", "Colour the output: auto (default), always, never."
        ) { value, options throws(UsageError) in
            guard let choice = ColorChoice(rawValue: value) else {
                throw UsageError("--color is auto, always or never, not \(shown(value))")
            }
            options.color = choice
        },
        ControlOption("help", short: "h", "Explain usherctl, or the command it stands with."),
        ControlOption("version", short: "V", "Print the version."),
    ]

    private static func shown(_ value: String) -> String {
        value.isEmpty ? "an empty word" : value.sanitised.truncated(toWidth: 40)
    }
}
