// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

/// The calls that a typed line stands for.
func calls(_ line: String) throws(WireError) -> [Call] {
    let command = try Shorthand.parse(line)
    var calls: [Call] = []
    for arguments in command.calls { calls.append(try command.entry.bind(arguments)) }
    return calls
}

/// The error that a typed line is answered with.
func refusal(_ line: String) -> WireError? {
    do throws(WireError) {
        _ = try calls(line)
        return nil
    } catch {
        return error
    }
}

private func subscribe(_ topic: String) -> Call {
    .subscribe(Call.Subscribe(topic: topic, name: topic))
}

struct ShorthandTests {
    @Test(arguments: [
        ("ping", Call.ping), ("ping ", .ping), ("ping\t \t", .ping), ("help", .help),
        ("stats", .stats), ("sync", .sync), ("engine.stop", .engineStop),
        ("hello", .hello(Call.Hello())),
        ("hello protocol=1", .hello(Call.Hello(protocolVersion: 1))),
        ("rpc.discover method=ping", .discover(method: .ping)),
        ("clients offset=5", .clients(offset: 5)),
        ("user", .userGet(user: nil)), ("user user=0", .userGet(user: 0)),
        ("user.get user=1000", .userGet(user: 1000)),
        ("fetch", .userFetch(user: nil, wait: true)),
        ("fetch wait=false user=7", .userFetch(user: 7, wait: false)),
        ("fetch\tuser=7", .userFetch(user: 7, wait: true)),
        ("movies", .moviesGet(.popular, offset: 0, limit: 20)),
        ("movies offset=40 limit=500", .moviesGet(.popular, offset: 40, limit: 500)),
        ("movies.get list=top_rated", .moviesGet(.topRated, offset: 0, limit: 20)),
        ("more", .moviesFetch(.popular, page: nil, wait: true)),
        ("movies.fetch page=2", .moviesFetch(.popular, page: 2, wait: true)),
        ("refresh list=\"now_playing\"", .moviesRefresh(.nowPlaying)),
        ("subscribe topic=movies", subscribe("movies")),
        ("unsubscribe as=m", .unsubscribe(name: "m")),
    ])
    func `A word, or a method with its values, is a call`(line: String, call: Call) throws {
        #expect(try calls(line) == [call])
    }

    @Test(arguments: [
        ("rename Ada", "Ada"), ("rename Ada L", "Ada L"), ("rename   Ada  L \t", "Ada  L"),
        ("rename \"Ada L\"", "Ada L"), ("rename \" Ada \"", " Ada "), ("rename name=Ada", "Ada"),
        ("rename name=\"Ada L\"", "Ada L"), ("user.rename name=\"Ada L\"", "Ada L"),
        ("rename name=Ada\\ L", "Ada L"), ("rename na\"me=Ada L\"", "na\"me=Ada L\""),
        ("user.rename name=a\"b c\"d", "ab cd"), ("rename \"a\\\"b\"", "a\"b"),
        ("rename \"a\\\\b\"", "a\\b"), ("rename Ada \"L\"", "Ada \"L\""),
        ("rename C:\\x", "C:\\x"), ("rename O'Neil", "O'Neil"), ("rename a=b", "a=b"),
        ("rename name =x", "name =x"), ("user.rename name=a=b", "a=b"),
        ("user.rename name=", ""), ("user.rename name=\"\"", ""),
        ("rename \"Ada\" \"L\"", "Ada L"), ("rename \"\"", ""), ("rename 中🎬 é", "中🎬 é"),
    ])
    func `A name is taken as it was meant`(line: String, name: String) throws {
        #expect(try calls(line) == [.userRename(user: nil, name: name)])
    }

    @Test func `Rename takes its values by name when the first word is one`() throws {
        #expect(
            try calls("rename user=5 name=\"Ada L\"") == [.userRename(user: 5, name: "Ada L")])
        #expect(refusal("rename user=5")?.reason == .missing)
    }

    @Test(arguments: [
        ("watch user", ["user"]), ("watch user movies  engine", ["user", "movies", "engine"]),
        ("watch topic=user", ["user"]), ("watch \"movies/a b\" user/5", ["movies/a b", "user/5"]),
        ("watch \"\\\"x\\\"\"", ["\"x\""]), ("watch x\\ ", ["x "]),
        ("watch \"\" user", ["", "user"]),
    ])
    func `Watch makes a call of each topic`(line: String, topics: [String]) throws {
        #expect(try calls(line) == topics.map(subscribe))
    }

    @Test func `Unwatch makes a call of each name`() throws {
        #expect(
            try calls("unwatch user as=m") == [.unsubscribe(name: "user"), .unsubscribe(name: "m")])
    }

    @Test func `A line stands for as many requests as a batch may hold, and no more`() throws {
        let most = Array(repeating: "user", count: Limits.batchRequests).joined(separator: " ")
        #expect(try calls("watch " + most).count == Limits.batchRequests)
        #expect(refusal("watch user " + most)?.reason == .batchTooBig)
    }

    @Test(arguments: [
        ("pnig", ErrorReason.unknownMethod, nil as String?), ("user.got", .unknownMethod, nil),
        ("ping x", .unknownParam, nil), ("ping x=1", .unknownParam, "/params/x"),
        ("movies page=2", .unknownParam, "/params/page"),
        ("ping a/b~c=1", .unknownParam, "/params/a~1b~0c"),
        ("movies =2", .unknownParam, "/params/"),
        ("movies offset=1 offset=1", .duplicateKey, "/params/offset"),
        ("fetch user=a", .wrongType, "/params/user"), ("fetch user=", .wrongType, "/params/user"),
        ("fetch user=1.0", .wrongType, "/params/user"),
        ("fetch user=9223372036854775808", .wrongType, "/params/user"),
        ("fetch user=-1", .outOfRange, "/params/user"),
        ("fetch user=4294967295", .outOfRange, "/params/user"),
        ("fetch wait=1", .wrongType, "/params/wait"),
        ("fetch wait=True", .wrongType, "/params/wait"),
        ("hello client=me", .wrongType, "/params/client"),
        ("movies limit=0", .outOfRange, "/params/limit"),
        ("movies limit=501", .outOfRange, "/params/limit"),
        ("subscribe topic=user mode=al", .outOfRange, "/params/mode"),
        ("subscribe topic=user since=1:2", .badCursor, "/params/since"),
        ("subscribe", .missing, "/params/topic"), ("watch", .missing, "/params/topic"),
        ("unwatch", .missing, "/params/as"),
        ("rename", .missing, "/params/name"), ("rename \t", .missing, "/params/name"),
        ("rename \"Ada", .badJSON, nil), ("rename name=\"Ada", .badJSON, nil),
        ("user.rename name=Ada\\", .badJSON, nil), ("watch \"user", .badJSON, nil),
        ("watch user\\", .badJSON, nil),
    ])
    func `A line that cannot be meant is refused at its place`(
        line: String, reason: ErrorReason, path: String?
    ) {
        let error = refusal(line)
        #expect(error?.reason == reason)
        #expect(error?.path == path)
        #expect(error?.message.isEmpty == false)
    }

    @Test func `A mark that combines with a blank, a quote or a sign takes nothing from it`() throws
    {
        // As Characters, each of these is another one than the blank, quote or sign that it begins with.
        let mark = "\u{301}"
        #expect(
            try calls("rename \"\(mark)a b\"") == [.userRename(user: nil, name: "\(mark)a b")])
        #expect(
            try calls("user.rename name=\(mark)a") == [.userRename(user: nil, name: "\(mark)a")])
        #expect(try calls("rename name=\u{338}a") == [.userRename(user: nil, name: "\u{338}a")])
        #expect(try calls("rename \(mark)a") == [.userRename(user: nil, name: "\(mark)a")])
        #expect(try calls("watch user \(mark)a") == [subscribe("user"), subscribe("\(mark)a")])
        #expect(
            try calls("rename \"a\\\"\(mark)\"") == [.userRename(user: nil, name: "a\"\(mark)")])
    }

    @Test func `Canonical equivalents are different texts, and kept as they were typed`() throws {
        guard case .userRename(_, let name, _)? = try calls("rename e\u{301}\u{212B}").first else {
            Issue.record("not a rename")
            return
        }
        #expect(Array(name.unicodeScalars) == ["e", "\u{301}", "\u{212B}"])
        // U+037E is the Greek question mark, canonically a semicolon; U+2260 is "=" with a stroke.
        #expect(refusal("fetch user\u{2260}5")?.reason == .unknownParam)
    }

    @Test(arguments: [
        ("pnig", "ping"), ("usr", "user"), ("user.rname", "user.rename"), ("wach", "watch"),
        ("subscribed", "subscribe"), ("movie", "movies"), ("stat", "stats"),
        ("engine.sotp", "engine.stop"),
    ])
    func `An unknown word is answered with the nearest one`(word: String, nearest: String) {
        #expect(refusal(word)?.message == "there is no \(word); did you mean \(nearest)?")
    }

    @Test func `A word that is near to nothing is answered with help`() {
        #expect(
            refusal("xylophone")?.message == "there is no xylophone; help lists what there is")
    }

    @Test func `An error quotes little of a line, however it is made`() throws {
        let long = String(repeating: "x", count: 60_000)
        let marked = "x" + String(repeating: "\u{301}", count: 30_000)
        for text in [long, marked] {
            for line in [text, "ping \(text)", "ping \(text)=1"] {
                let error = try #require(refusal(line))
                #expect(error.message.utf8.count < 1_024)
                #expect((error.path ?? "").utf8.count < 512)
            }
            #expect(Shorthand.unknown(text, among: ["ping"]).utf8.count < 512)
        }
    }

    @Test func `The longest lines are read`() throws {
        let name = String(repeating: "x", count: 65_000)
        #expect(refusal("rename \(name)")?.reason == .outOfRange)
        #expect(refusal("user.rename name=\(name)")?.reason == .outOfRange)
        #expect(refusal("watch " + String(repeating: "a ", count: 32_000))?.reason == .batchTooBig)
        #expect(try calls("ping" + String(repeating: " ", count: 65_000)) == [.ping])
        #expect(
            try calls("rename x" + String(repeating: " ", count: 65_000))
                == [.userRename(user: nil, name: "x")])
    }

    @Test func `Only a whole word counts as one at the end of input`() {
        for line in ["ping", "user", "user.fetch", "more"] { #expect(Shorthand.isWord(line)) }
        for line in ["pin", "ping ", "user.f", "", "rename Ada", "Ping"] {
            #expect(!Shorthand.isWord(line))
        }
    }

    @Test func `Help has a line for each method, with what it takes`() {
        let help = Shorthand.help
        #expect(help.count == Method.allCases.count)
        for line in [
            "ping: Answers at once; for probes and for measuring.",
            "rename NAME: Renames a loaded user; the name survives fetches and restarts.",
            "unwatch TOPIC…: Ends a subscription; the reply is its last line.",
            "user [user=N]: Tells a user's state.",
            "movies [list=TEXT] [offset=N] [limit=N]: Gives a stretch of a movie list.",
            "fetch [user=N] [wait=true|false]: Fetches a user; a fetch in flight is joined.",
            "hello [client={…}] [protocol=N]: Says who the client is, and tells the daemon's "
                + "version, limits and features.",
        ] {
            #expect(help.contains(line))
        }
        for entry in MethodTable.entries {
            let word = entry.shorthand?.word ?? entry.method.rawValue
            let lines = help.filter { $0.prefix { $0 != " " && $0 != ":" } == word }
            #expect(lines.count == 1, "\(word)")
        }
    }
}
