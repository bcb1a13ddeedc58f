// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

private func wrong(
    _ code: Int, _ reason: String, _ path: String? = nil, says: String = ""
) -> Answer {
    .error(id: "1", code, reason, path: path, says: says)
}

@Suite(.timeLimit(.minutes(5))) struct `A typed line` {
    @Test func `is a word, or a method with key=value words`() throws {
        let done = Answer.result(id: "1")
        let daemon = try RunningDaemon()
        try daemon.check([
            Row("sync", "sync", .synced("1")),
            Row("ping", "ping", done),
            Row("blanks behind", "sync  \t", .synced("1")),
            Row("with CR", "sync\r", .synced("1")),
            Row("user", "user", done),
            Row("fetch", "fetch", done),
            Row("rename", "rename Ada Lovelace", done),
            Row("movies", "movies", done),
            Row("more", "more", done),
            Row("watch", "watch user", done),
            Row("watch several", "watch user movies engine", done, done, done),
            Row("watch by key", "watch topic=user", done),
            Row("unwatch", "watch user\nunwatch user", done, .synced("2")),
            Row("stats", "stats", done),
            Row("help", "help", done),
            Row("a method", "user.get", done),
            Row("with a value", "user.get user=7", done),
            Row("with two", "movies.get offset=0 limit=5", done),
            Row("with quotes", #"user.rename name="Ada L""#, done),
            Row("a word with a value", "fetch wait=false", done),
            Row("a topic", "subscribe topic=movies mode=all as=m", done),
            Row("refresh", "refresh list=popular", done),
            Row("engine.reload", "engine.reload", done),
            Row(
                "ids are the numbers of lines",
                "sync\n\nsync\n{\"id\":9,\"method\":\"sync\"}\nsync",
                .synced("1"), .synced("3"), .synced("9"), .synced("5")),
        ])
    }

    @Test func `that is wrong says what is`() throws {
        let missing = wrong(-32602, "missing", "/params/topic", says: "name a topic")
        try RunningDaemon().check([
            Row(
                "an unknown word", "pnig",
                wrong(-32601, "unknown_method", says: "did you mean ping?")),
            Row(
                "a word of two", "fetch2",
                wrong(-32601, "unknown_method", says: "did you mean fetch?")),
            Row(
                "a method nearly", "user.gett",
                wrong(-32601, "unknown_method", says: "did you mean user.get?")),
            Row("nothing like it", "xyzzy", wrong(-32601, "unknown_method", says: "help lists")),
            Row("words of JSON", "null", wrong(-32601, "unknown_method")),
            Row(
                "capitals within", "pinG",
                wrong(-32601, "unknown_method", says: "did you mean ping?")),
            Row(
                "too many words", "ping now",
                wrong(
                    -32602, "unknown_param", says: "now is not a key=value word; it takes nothing")),
            Row(
                "an unknown key", "user.get usr=1",
                wrong(-32602, "unknown_param", "/params/usr", says: "it takes user=")),
            Row(
                "a number that is none", "user.get user=x",
                wrong(-32602, "wrong_type", "/params/user")),
            Row("no value", "user.get user=", wrong(-32602, "wrong_type", "/params/user")),
            Row(
                "a number out of range", "more page=501",
                wrong(-32602, "out_of_range", "/params/page")),
            Row(
                "a truth that is none", "fetch wait=yes",
                wrong(-32602, "wrong_type", "/params/wait")),
            Row(
                "a key twice", "user.get user=1 user=2",
                wrong(-32600, "duplicate_key", "/params/user")),
            Row(
                "an open quote", #"user.rename name="Ada"#, wrong(-32700, "bad_json", says: "quote")
            ),
            Row(
                "an open backslash", #"user.rename name=Ada\"#,
                wrong(-32700, "bad_json", says: "backslash")),
            Row("watch alone", "watch", missing),
            Row(
                "watch what is not", "watch nothing",
                wrong(-32010, "unknown_topic", "/params/topic")),
            Row("rename alone", "rename", wrong(-32602, "missing", "/params/name")),
            Row("rename to nothing", #"rename """#, wrong(-32602, "out_of_range", "/params/name")),
            Row(
                "rename with a tab within", "rename a\tb",
                wrong(-32602, "out_of_range", "/params/name")),
            Row("rename before a fetch", "rename Ada", wrong(1001, "invalid_transition")),
            Row(
                "an object", "hello client=x",
                wrong(-32602, "wrong_type", "/params/client", says: "JSON")),
            Row(
                "65,000 letters", "ping " + String(repeating: "a", count: 65_000),
                wrong(-32602, "unknown_param")),
            Row(
                "one character of 60,000 bytes", "e" + String(repeating: "\u{301}", count: 30_000),
                wrong(-32601, "unknown_method")),
        ])
    }

    @Test(arguments: [
        ("Ada Lovelace", "Ada Lovelace"), ("  Ada  ", "Ada"), (#""Ada L""#, "Ada L"),
        (#"name="Ada L""#, "Ada L"), (#"name=Ada\ L"#, "Ada L"), (#"name="a\"b""#, #"a"b"#),
        ("새 이름", "새 이름"),
        (#"O'Brien"#, "O'Brien"), ("a=b", "a=b"),
    ])
    func `renames to what was meant`(typed: String, name: String) throws {
        let client = try RunningDaemon().connect()
        _ = try client.ask("fetch")
        #expect(try client.ask("rename \(typed)")["result", "state", "user", "name"].string == name)
    }

    @Test func `waits for the one before it, as in a shell`() throws {
        let daemon = try RunningDaemon([
            "--users", "demo", "--demo-delay", "0.2", "--demo-failure-rate", "0",
        ])
        let client = try daemon.connect()
        try client.send("fetch", "rename Ada", "user", #"{"id":"now","method":"sync"}"#)
        let replies = try (0..<4).map { _ in try client.json() }
        #expect(replies.map { $0["id"].integer ?? 0 } == [1, 2, 3, 0])
        #expect(replies[2]["result", "state", "user", "name"].string == "Ada")
    }
}
