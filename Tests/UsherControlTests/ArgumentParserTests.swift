// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Testing
internal import UsherControl
internal import UsherOptions

@MainActor @Suite struct ArgumentParserTests {
    private func parse(_ line: String) throws -> Invocation {
        try ArgumentParser.parse(line.split(separator: " ").map(String.init))
    }

    private func fault(_ line: String) -> String? {
        #expect(throws: UsageError.self) { try parse(line) }?.message
    }

    @Test(
        arguments: [
            ("user", .request(.userGet)), ("user fetch", .request(.userFetch)),
            ("user rename Ada", .request(.userRename("Ada"))),
            ("user rename -- -x", .request(.userRename("-x"))), ("movies", .request(.moviesGet)),
            ("movies more", .request(.moviesMore)), ("movies refresh", .request(.moviesRefresh)),
            ("watch", .watch([.user, .movies("popular")])),
            ("watch engine movies/top_rated", .watch([.engine, .movies("top_rated")])),
            ("watch movies user movies/popular", .watch([.movies("popular"), .user])),
            ("ping", .request(.ping)), ("stats", .request(.stats)),
            ("call movies.get", .request(.call(method: "movies.get", parameters: nil))),
            (
                "call movies.get {\"limit\":1}",
                .request(.call(method: "movies.get", parameters: "{\"limit\":1}"))
            ),
            ("--help", .help([])), ("help", .help([])), ("-h movies", .help(["movies"])),
            ("movies more --help", .help(["movies", "more"])),
            ("help movies more", .help(["movies", "more"])), ("--version", .version),
            ("-V", .version),
            ("ping --version", .version),
        ] as [(String, Command)])
    func `A line becomes its command`(line: String, command: Command) throws {
        #expect(try parse(line).command == command)
    }

    @Test func `A name with blanks in one word stays one name`() throws {
        #expect(
            try ArgumentParser.parse(["user", "rename", "새 이름"]).command
                == .request(.userRename("새 이름")))
    }

    @Test(arguments: [
        "movies --list top_rated --limit 5 --socket /s --json --timeout 2.5 --color never",
        "--json --socket=/s --timeout=2.5 --color=never movies --list=top_rated --limit=5",
        "-j -s /s -t 2.5 --color never -l top_rated -n 5 movies",
        "-js/s -t2.5 --col never movies -ltop_rated -n5",
    ])
    func `Options stand anywhere, in every form of getopt_long`(line: String) throws {
        var expected = Options()
        expected.list = "top_rated"
        expected.limit = 5
        expected.socketPath = "/s"
        expected.isJSON = true
        expected.timeout = 2.5
        expected.color = .never
        #expect(try parse(line) == Invocation(.request(.moviesGet), expected))
    }

    @Test func `Nothing of one parse is left for the next`() throws {
        _ = fault("movies --bogus --json")
        #expect(try parse("movies") == Invocation(.request(.moviesGet)))
        #expect(try parse("watch --no-reconnect").options.reconnects == false)
        #expect(try parse("watch").options.reconnects)
    }

    @Test(arguments: [
        ("user --json --format x", "--json and --format are two ways to write the same; give one"),
        ("ping --exec x", "ping has no option --exec, only watch has"),
        ("watch --exec=", "--exec needs a command"),
        ("user --format {id", "--format has a brace that is not closed"),
        ("moveis", "there is no command moveis; did you mean movies?"),
        ("movies mroe", "there is no command movies mroe; did you mean movies more?"),
        ("user renmae x", "there is no command user renmae; did you mean user rename?"),
        (
            "user zzzzzz", "there is no command user zzzzzz; there are: fetch, rename"
        ),
        (
            "zzzzzz",
            "there is no command zzzzzz; there are: status, user, movies, watch, ping, stats, metrics, call, completions, help"
        ),
        ("watch moives", "there is no topic moives; did you mean movies?"),
        ("user rename", "too few words; usage: usherctl user rename NAME"),
        ("user rename a b", "too many words; usage: usherctl user rename NAME"),
        ("ping now", "too many words; usage: usherctl ping"),
        ("call", "too few words; usage: usherctl call METHOD [JSON]"),
        ("movies --jsno", "there is no option --jsno; did you mean --json?"),
        ("movies --json=yes", "--json takes no argument; see --help"),
        ("movies --limit", "--limit needs an argument; see --help"),
        ("movies -n", "-n needs an argument; see --help"),
        ("movies --limit 0", "--limit is a whole number above 0, not 0"),
        ("movies --limit x", "--limit is a whole number above 0, not x"),
        ("ping --timeout -1", "--timeout is seconds from 0 to 86400, not -1"),
        ("ping --timeout nan", "--timeout is seconds from 0 to 86400, not nan"),
        ("ping --color blue", "--color is auto, always or never, not blue"),
        ("ping --socket=", "--socket needs a path"),
        ("user --limit 3", "user has no option --limit, only movies has"),
        ("movies --no-reconnect", "movies has no option --no-reconnect, only watch has"),
        (
            "help nonsense",
            "there is no command nonsense; there are: status, user, movies, watch, ping, stats, metrics, call, completions, help"
        ),
    ])
    func `A mistake is told in one line that says what to do`(line: String, message: String) {
        #expect(fault(line) == message)
    }

    @Test func `A mistyped word cannot steer the terminal`() {
        let message = fault("\u{1B}[2Jxyz")
        #expect(message?.unicodeScalars.contains("\u{1B}") == false)
    }
}

@Suite struct HelpTests {
    @Test(arguments: CommandTable.entries.map(\.words))
    func `Each command has help with its usage, within 80 columns`(words: [String]) {
        let text = Help.text(for: words)
        #expect(text.hasPrefix("usage: usherctl " + words.joined(separator: " ")))
        #expect(text.split(separator: "\n").allSatisfy { String($0).displayWidth <= 80 })
        #expect(text.contains("--socket PATH"))
    }

    @Test func `The overview names every command, option and exit code`() {
        let text = Help.text(for: [])
        for entry in CommandTable.entries { #expect(text.contains("  \(entry.usage)  ")) }
        for option in ControlOptions.rows { #expect(text.contains("--\(option.name)")) }
        for code in ExitCode.allCases { #expect(text.contains("  \(code.rawValue) ")) }
        #expect(text.split(separator: "\n").allSatisfy { String($0).displayWidth <= 80 })
    }

    @Test func `A command's help leaves other commands' options out`() {
        #expect(Help.text(for: ["movies"]).contains("--limit"))
        #expect(!Help.text(for: ["user"]).contains("--limit"))
    }
}
