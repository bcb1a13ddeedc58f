// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherOptions
internal import UsherWire

/// One row of the table of commands, from which parsing, help and suggestions come.
package struct CommandEntry: Sendable {
    /// The words that call it: `movies more`.
    package let words: [String]
    /// What may stand behind the words, as help writes it.
    package let operands: String
    /// How many operands there may be.
    package let operandCount: ClosedRange<Int>
    package let summary: String
    /// What else help tells, a paragraph an element.
    package let details: [String]
    /// Makes the command of operands whose number was checked.
    let make: @Sendable ([String]) throws(UsageError) -> Command

    init(
        _ words: String, operands: String = "", count: ClosedRange<Int> = 0...0, _ summary: String,
        details: [String] = [],
        make: @escaping @Sendable ([String]) throws(UsageError) -> Command
    ) {
        self.words = words.split(separator: " ").map(String.init)
        self.operands = operands
        self.operandCount = count
        self.summary = summary
        self.details = details
        self.make = make
    }

    /// The words and the operands, as they are typed.
    package var usage: String {
        (words + (operands.isEmpty ? [] : [operands])).joined(separator: " ")
    }
}

/// All commands, in the order in which help lists them.
package enum CommandTable {
    package static let entries: [CommandEntry] = [
        CommandEntry(
            "status", "Shows the daemon, the user and the popular movies at a glance.",
            details: ["What usherctl does without a command."]
        ) { _ in .request(.status) },
        CommandEntry(
            "user", "Shows the user: state, number, name, login name, telephone.",
            details: ["Exits with 3 when the user's state is error."]
        ) { _ in .request(.userGet) },
        CommandEntry("user fetch", "Fetches the user again, waits, and shows it.") { _ in
            .request(.userFetch)
        },
        CommandEntry(
            "user rename", operands: "NAME", count: 1...1,
            "Gives the user another name, which survives fetches and restarts.",
            details: [
                "1 to \(Limits.nameCharacters) characters; quote a name that has blanks, and put "
                    + "-- before one that begins with a dash."
            ]
        ) { operands in .request(.userRename(operands[0])) },
        CommandEntry(
            "movies", "Lists the movies that the daemon has.",
            details: ["Exits with 3 when the list's last fetch failed."]
        ) { _ in .request(.moviesGet) },
        CommandEntry("movies more", "Fetches the next page, and lists what it brought.") { _ in
            .request(.moviesMore)
        },
        CommandEntry(
            "movies refresh", "Starts the list anew from its first page.",
            details: ["Does not wait; the old movies stay until the new ones are there."]
        ) { _ in .request(.moviesRefresh) },
        CommandEntry(
            "watch", operands: "[TOPIC…]", count: 0...16,
            "Shows the present state, then each change, until it is stopped.",
            details: [
                "A topic is user, movies, movies/LIST or engine; without any: user movies.",
                "When the daemon goes away, watch waits for it to come back, says so on stderr, "
                    + "and goes on without missing or repeating a change.",
            ]
        ) { operands throws(UsageError) in .watch(try topics(operands)) },
        CommandEntry("ping", "Asks the daemon whether it is there, and how fast it answers.") { _ in
            .request(.ping)
        },
        CommandEntry("stats", "Shows the daemon's counters.") { _ in .request(.stats) },
        CommandEntry(
            "metrics", "Prints the daemon's counters in the text format of Prometheus.",
            details: [
                "For a timer that writes them where node_exporter's textfile collector finds them."
            ]
        ) { _ in .request(.metrics) },
        CommandEntry(
            "call", operands: "METHOD [JSON]", count: 1...2,
            "Calls any method of the protocol and prints its result.",
            details: [
                "JSON is the params object: usherctl call movies.get '{\"offset\":20,\"limit\":5}'",
                "usherctl call help names the methods.",
            ]
        ) { operands in
            .request(
                .call(method: operands[0], parameters: operands.count > 1 ? operands[1] : nil))
        },
        CommandEntry(
            "completions", operands: "SHELL", count: 1...1,
            "Prints completions for bash, zsh or fish.",
            details: ["In bash: . <(usherctl completions bash)"]
        ) { operands throws(UsageError) in .completions(try Shell(named: operands[0])) },
        CommandEntry(
            "help", operands: "[COMMAND]", count: 0...2, "Explains a command, as --help does."
        ) { operands throws(UsageError) in
            .help(operands.isEmpty ? [] : try entry(for: operands).entry.words)
        },
    ]

    /// The row that the first words call, and the operands behind them.
    package static func entry(
        for words: [String]
    ) throws(UsageError) -> (entry: CommandEntry, operands: [String]) {
        let first = words.first ?? "status"
        let family = entries.filter { $0.words[0] == first }
        guard let plain = family.first(where: { $0.words.count == 1 }) else {
            throw UsageError(
                unknown(
                    "command", first,
                    among: entries.filter { $0.words.count == 1 }.map { $0.words[0] }))
        }
        guard words.count > 1, family.count > 1 else { return (plain, Array(words.dropFirst())) }
        guard let longer = family.first(where: { $0.words == Array(words.prefix(2)) }) else {
            throw UsageError(
                unknown(
                    "command", words[1], behind: first,
                    among: family.compactMap { $0.words.dropFirst().first }))
        }
        return (longer, Array(words.dropFirst(2)))
    }

    private static func topics(_ operands: [String]) throws(UsageError) -> [WatchTopic] {
        var topics: [WatchTopic] = []
        for operand in operands.isEmpty ? ["user", "movies"] : operands {
            guard let topic = WatchTopic(operand) else {
                throw UsageError(
                    unknown("topic", operand, among: ["user", "movies", "movies/LIST", "engine"]))
            }
            if !topics.contains(topic) { topics.append(topic) }
        }
        return topics
    }

    /// Says that a word is not known, with the nearest one that is.
    static func unknown(
        _ kind: String, _ word: String, behind first: String? = nil, among known: [String]
    ) -> String {
        let whole = [first, word.sanitised.truncated(toWidth: 40)].compactMap { $0 }
            .joined(separator: " ")
        guard let nearest = EditDistance.nearest(to: word, among: known) else {
            return "there is no \(kind) \(whole); there are: "
                + known.joined(separator: ", ")
        }
        let suggestion = [first, nearest].compactMap { $0 }.joined(separator: " ")
        return "there is no \(kind) \(whole); did you mean \(suggestion)?"
    }
}

extension CommandTable {
    /// The completions of the command line for a shell.
    static func completions(for shell: Shell) -> String {
        Completions(
            program: "usherctl",
            options: ControlOptions.rows.map { CompletedOption($0.option, commands: $0.commands) },
            commands: entries.map { CompletedCommand($0.words, $0.summary) }
        ).script(for: shell)
    }
}
