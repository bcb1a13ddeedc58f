// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// A request of exactly so many bytes with its end, which `tail` is.
private func padded(to count: Int, tail: String = "\n") -> [UInt8] {
    let head = #"{"id":1,"method":"sync""#
    let blanks = count - head.utf8.count - 1 - tail.utf8.count
    return Array((head + String(repeating: " ", count: blanks) + "}" + tail).utf8)
}

/// The bytes in the middle of a request, in place of a method.
private func method(_ bytes: [UInt8]) -> [UInt8] {
    Array(#"{"id":1,"method":""#.utf8) + bytes + Array("\"}\n".utf8)
}

private func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
        let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        return isBigEndian ? bytes : bytes.reversed()
    }
}

private let sync = #"{"id":1,"method":"sync"}"#

@Suite(.timeLimit(.minutes(5))) struct `Framing` {
    @Test func `cuts lines at LF and nowhere else`() throws {
        try RunningDaemon().check([
            Row("LF", sync, .synced("1")),
            Row("CR LF", sync + "\r", .synced("1")),
            Row("a second CR is JSON's white space", sync + "\r\r", .synced("1")),
            Row("a CR within", "{\"id\":1,\r\"method\":\"sync\"}", .synced("1")),
            Row("two lines at once", sync + "\n" + sync, .synced("1"), .synced("1")),
            Row("U+2028", #"{"id":"a\#u{2028}b","method":"sync"}"#, .synced("\"a\u{2028}b\"")),
            Row("U+2029", #"{"id":"a\#u{2029}b","method":"sync"}"#, .synced("\"a\u{2029}b\"")),
            Row("U+0085", #"{"id":"a\#u{85}b","method":"sync"}"#, .synced("\"a\u{85}b\"")),
            Row("a form feed", "\u{0C}" + sync, .unreadable(-32700, "bad_json", offset: 0)),
            Row("a CR first", "\r" + sync, .unreadable(-32700, "bad_json", offset: 0)),
        ])
    }

    @Test func `passes over blank lines and comments`() throws {
        try RunningDaemon().check([
            Row("nothing", ""),
            Row("CR", "\r"),
            Row("blanks", " \t "),
            Row("a comment", "# " + sync),
            Row("a comment behind blanks", "  \t# " + sync),
            Row("a comment of bytes", bytes: [0x23, 0xFF, 0x00, 0xC0, 0x0A]),
            Row("blanks before a request", " \t " + sync, .synced("1")),
            Row("blanks before a word", " \t sync", .synced("1")),
            Row("lines count for ids, whatever they are", "\n# x\n\nsync", .synced("4")),
        ])
    }

    @Test func `takes lines of 65,536 bytes and no longer ones`() throws {
        let tooLong = Answer.unreadable(-32000, "line_too_long")
        let letters = Array(repeating: UInt8(ascii: "a"), count: 1_000_000)
        try RunningDaemon().check([
            Row("65,535", bytes: padded(to: 65_535), .synced("1")),
            Row("65,536", bytes: padded(to: 65_536), .synced("1")),
            Row("65,537", bytes: padded(to: 65_537), tooLong),
            Row("65,536 with its CR", bytes: padded(to: 65_536, tail: "\r\n"), .synced("1")),
            Row("65,537 with its CR", bytes: padded(to: 65_537, tail: "\r\n"), tooLong),
            Row("a megabyte is one error", bytes: letters + [0x0A], tooLong),
            Row("a long comment", bytes: [0x23] + letters + [0x0A], tooLong),
            Row(
                "the line after it", bytes: letters + Array("\nsync\n".utf8), tooLong, .synced("2")),
            Row(
                "two of them", bytes: letters + [0x0A] + letters + [0x0A], tooLong, tooLong),
        ])
    }

    @Test func `refuses NUL wherever it is, and executes nothing`() throws {
        let daemon = try RunningDaemon()
        func nul(_ offset: Int) -> Answer { .unreadable(-32700, "nul_byte", offset: offset) }
        let fetch = #"{"id":1,"method":"user.fetch"}"#
        try daemon.check([
            Row("as C sends it", fetch + "\0", nul(30)),
            Row("before", "\0" + fetch, nul(0)),
            Row("within a string", #"{"id":1,"method":"user.\#u{0}fetch"}"#, nul(23)),
            Row("between", "{\"id\":1,\0\"method\":\"user.fetch\"}", nul(8)),
            Row("behind blanks", "  " + fetch + "\0", nul(32)),
            Row("alone", "\0", nul(0)),
            Row(
                "behind a word", "fetch\0", .error(id: "1", -32700, "nul_byte", offset: 5)),
            Row(
                "as an escape it is no method", #"{"id":1,"method":"sync\u0000"}"#,
                .error(id: "1", -32601, "unknown_method")),
        ])
        #expect(try daemon.connect().ask("user")["result", "state", "state"].string == "initial")
    }

    @Test func `refuses what is not UTF-8, and says where`() throws {
        func invalid(_ offset: Int) -> Answer {
            .unreadable(-32700, "invalid_utf8", offset: offset)
        }
        try RunningDaemon().check([
            Row("a byte that never occurs", bytes: method([0xFF]), invalid(18)),
            Row("a lone continuation", bytes: method([0x61, 0x80]), invalid(19)),
            Row("an overlong NUL", bytes: method([0xC0, 0x80]), invalid(18)),
            Row("an overlong slash", bytes: method([0xE0, 0x80, 0xAF]), invalid(18)),
            Row("a surrogate", bytes: method([0xED, 0xA0, 0x80]), invalid(18)),
            Row("beyond U+10FFFF", bytes: method([0xF4, 0x90, 0x80, 0x80]), invalid(18)),
            Row("cut short", bytes: method([0xE4, 0xB8]), invalid(18)),
            Row(
                "cut short by the line", bytes: Array("{\"a".utf8) + [0xF0, 0x9F, 0x0A], invalid(3)),
            Row("behind blanks", bytes: Array("  ".utf8) + method([0xFF]), invalid(20)),
            Row(
                "in a key", bytes: Array("{\"".utf8) + [0xFE, 0x22, 0x3A, 0x31, 0x7D, 0x0A],
                invalid(2)),
            Row("first of all", bytes: [0xC3, 0x28, 0x0A], invalid(0)),
            Row(
                "in a word's value", bytes: Array("rename ".utf8) + [0xFF, 0x0A],
                .error(id: "1", -32700, "invalid_utf8", offset: 7)),
            Row(
                "valid letters are no method", #"{"id":1,"method":"中🎬"}"#,
                .error(id: "1", -32601, "unknown_method")),
        ])
    }

    @Test func `lets a byte order mark pass at the very start only`() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let line = Array((sync + "\n").utf8)
        let refused = Answer.unreadable(-32700, "bad_json", offset: 0)
        try RunningDaemon().check([
            Row("first", bytes: mark + line, .synced("1")),
            Row("before a word", bytes: mark + Array("sync\n".utf8), .synced("1")),
            Row("alone", bytes: mark + [0x0A]),
            Row("twice", bytes: mark + mark + line, refused),
            Row("on the second line", bytes: line + mark + line, .synced("1"), refused),
            Row(
                "behind a blank", bytes: [0x20] + mark + line,
                .unreadable(-32700, "bad_json", offset: 1)),
            Row(
                "offsets leave it out", bytes: mark + method([0xFF]),
                .unreadable(-32700, "invalid_utf8", offset: 18)),
        ])
    }

    @Test func `refuses UTF-16 in either order`() throws {
        let marked: [UInt8] = [0xFF, 0xFE] + utf16(sync, isBigEndian: false) + [0x0A]
        try RunningDaemon().check([
            Row("marked", bytes: marked, .unreadable(-32700, "invalid_utf8", offset: 0)),
            Row(
                "little end first", bytes: utf16(sync, isBigEndian: false) + [0x0A],
                .unreadable(-32700, "nul_byte", offset: 1)),
            Row(
                "big end first", bytes: utf16(sync, isBigEndian: true) + [0x0A],
                .unreadable(-32700, "nul_byte", offset: 0)),
        ])
    }

    @Test func `refuses a line that begins as none does`() throws {
        let refused = Answer.unreadable(-32700, "bad_json", offset: 0)
        try RunningDaemon().check([
            Row("a number", "1", refused),
            Row("a string", #""sync""#, refused),
            Row("a capital", "Sync", refused),
            Row("an accent", "été", refused),
            Row("a closing brace", "}", refused),
            Row("a verb of HTTP that is no verb", "GETS", refused),
            Row(
                "a verb in small letters", "get / HTTP/1.1",
                .error(id: "1", -32601, "unknown_method")),
        ])
    }

    @Test(arguments: ["GET /", "POST /x HTTP/1.1\r", "HEAD / HTTP/1.0", "PUT /", "  GET /"])
    func `answers HTTP with one error and closes`(request: String) throws {
        let client = try RunningDaemon().connect()
        try client.send(request, "Host: localhost", "", sync)
        let lines = try client.allLines()
        #expect(lines.count == 1)
        let complaint = lines.first.flatMap {
            Answer.error(id: "null", -32700, "bad_json", says: "HTTP").complaint(about: $0)
        }
        #expect(complaint == nil)
    }
}
