// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// A call with parameters as they stand on the wire.
private func call(_ method: String, _ params: String) -> String {
    #"{"id":1,"method":"\#(method)","params":{\#(params)}}"#
}

private func wrong(_ reason: String, _ path: String, says: String = "") -> Answer {
    .error(id: "1", -32602, reason, path: "/params/\(path)", says: says)
}

@Suite(.timeLimit(.minutes(5))) struct `Parameters` {
    @Test func `of users have their types and ranges`() throws {
        let daemon = try RunningDaemon()
        let notUser = wrong("wrong_type", "user", says: "user is a whole number")
        let noUser = wrong("out_of_range", "user", says: "user is from 0 to 4294967294")
        try daemon.check([
            Row("none", #"{"id":1,"method":"user.get"}"#, .result(id: "1")),
            Row("user", call("user.get", #""user":7"#), .result(id: "1")),
            Row("the largest user", call("user.get", #""user":4294967294"#), .result(id: "1")),
            Row("uid -1", call("user.get", #""user":4294967295"#), noUser),
            Row("below zero", call("user.get", #""user":-1"#), noUser),
            Row("beyond any", call("user.get", #""user":9223372036854775807"#), noUser),
            Row("a text", call("user.get", #""user":"7""#), notUser),
            Row("a fraction", call("user.get", #""user":7.0"#), notUser),
            Row("an exponent", call("user.get", #""user":7e0"#), notUser),
            Row("null is no way to leave out", call("user.get", #""user":null"#), notUser),
            Row("true", call("user.get", #""user":true"#), notUser),
            Row("an array", call("user.get", #""user":[7]"#), notUser),
            Row("beyond 63 bits", call("user.get", #""user":18446744073709551615"#), notUser),
            Row(
                "wait a number", call("user.fetch", #""wait":1"#),
                wrong("wrong_type", "wait", says: "true or false")),
            Row("wait a text", call("user.fetch", #""wait":"true""#), wrong("wrong_type", "wait")),
            Row("wait null", call("user.fetch", #""wait":null"#), wrong("wrong_type", "wait")),
            Row(
                "an unknown one", call("user.fetch", #""wiat":false"#),
                wrong("unknown_param", "wiat", says: "it takes user, wait")),
            Row(
                "unknown after known", call("user.fetch", #""wait":false,"x/y~z":1"#),
                wrong("unknown_param", "x~1y~0z")),
            Row(
                "in capitals", call("user.fetch", #""Wait":false"#), wrong("unknown_param", "Wait")),
            Row("no name", call("user.rename", ""), wrong("missing", "name", says: "1 to 80")),
            Row("name a number", call("user.rename", #""name":1"#), wrong("wrong_type", "name")),
            Row("name null", call("user.rename", #""name":null"#), wrong("wrong_type", "name")),
            Row(
                "name very long",
                call("user.rename", #""name":"\#(String(repeating: "x", count: 1_281))""#),
                wrong("out_of_range", "name", says: "1280 bytes")),
        ])
        // A wrong member or parameter is found before anything is done.
        #expect(try daemon.connect().ask("user")["result", "state", "state"].string == "initial")
    }

    @Test func `of movies have their types and ranges`() throws {
        let daemon = try RunningDaemon()
        func range(_ name: String, _ says: String) -> Answer {
            wrong("out_of_range", name, says: says)
        }
        let noList = Answer.error(
            id: "1", 1004, "not_found", path: "/params/list", says: "there are: popular")
        try daemon.check([
            Row("limit 1", call("movies.get", #""limit":1"#), .result(id: "1")),
            Row("limit 500", call("movies.get", #""limit":500"#), .result(id: "1")),
            Row(
                "limit 0", call("movies.get", #""limit":0"#),
                range("limit", "limit is from 1 to 500")),
            Row(
                "limit 501", call("movies.get", #""limit":501"#),
                range("limit", "limit is from 1 to 500")),
            Row("offset 0", call("movies.get", #""offset":0"#), .result(id: "1")),
            Row(
                "offset beyond the end", call("movies.get", #""offset":1000000"#), .result(id: "1")),
            Row(
                "offset below zero", call("movies.get", #""offset":-1"#),
                range("offset", "offset is from 0")),
            Row(
                "offset too large", call("movies.get", #""offset":1000001"#),
                range("offset", "to 1000000")),
            Row(
                "offset a text", call("movies.get", #""offset":"0""#), wrong("wrong_type", "offset")
            ),
            Row("the list", call("movies.get", #""list":"popular""#), .result(id: "1")),
            Row("another list", call("movies.get", #""list":"horror""#), noList),
            Row("a list in capitals", call("movies.get", #""list":"Popular""#), noList),
            Row("no name of a list", call("movies.get", #""list":"""#), noList),
            Row(
                "a list's name too long",
                call("movies.get", #""list":"\#(String(repeating: "x", count: 33))""#),
                range("list", "32 bytes")),
            Row("a list's number", call("movies.get", #""list":1"#), wrong("wrong_type", "list")),
            Row(
                "page 0", call("movies.fetch", #""page":0"#), range("page", "page is from 1 to 500")
            ),
            Row(
                "page 501", call("movies.fetch", #""page":501"#),
                range("page", "page is from 1 to 500")),
            Row("page a text", call("movies.fetch", #""page":"1""#), wrong("wrong_type", "page")),
            Row("page null", call("movies.fetch", #""page":null"#), wrong("wrong_type", "page")),
            Row(
                "a page out of order", call("movies.fetch", #""page":3"#),
                range("page", "the next page of popular is 1")),
            Row("fetching another list", call("movies.fetch", #""list":"horror""#), noList),
            Row("refreshing another list", call("movies.refresh", #""list":"horror""#), noList),
            Row(
                "refresh with a page", call("movies.refresh", #""page":1"#),
                wrong("unknown_param", "page", says: "it takes list")),
        ])
        #expect(try daemon.connect().ask("movies")["result", "status", "page"].integer == 0)
    }

    @Test func `of subscriptions have their types and ranges`() throws {
        let noTopic = Answer.error(
            id: "1", -32010, "unknown_topic", path: "/params/topic", says: "movies/popular")
        let badCursor = wrong("bad_cursor", "since", says: "leave it out")
        let badCursors = [
            "", "0", ":", "0123456789abcdef", "0123456789abcdef:", "0123456789abcdef:-1",
            "0123456789abcdef:01",
            "0123456789abcdef:+1", "0123456789ABCDEF:1", "123456789abcdef:1", "00123456789abcdef:1",
            "0123456789abcdef:18446744073709551616", "0123456789abcdef:1:1", " 0123456789abcdef:1",
            "0123456789abcdef:１", "0123456789abcdeg:1",
        ]
        let badTopics = [
            "", "users", "user/", "user/x", "user/-1", "user/01", "user/ 1", "user/1/2",
            "user/4294967295",
            "user/18446744073709551616", "User", "movies/", "movies/horror", "movies/popular/",
            "engine/", "engine/x",
            "user\u{0}",
        ]
        let rows = [
            Row("no topic", call("subscribe", ""), wrong("missing", "topic")),
            Row("topic a number", call("subscribe", #""topic":1"#), wrong("wrong_type", "topic")),
            Row(
                "topics", call("subscribe", #""topic":["user","movies"]"#),
                wrong("wrong_type", "topic")),
            Row(
                "topic too long",
                call("subscribe", #""topic":"\#(String(repeating: "x", count: 129))""#),
                wrong("out_of_range", "topic", says: "128 bytes")),
            Row(
                "as a number", call("subscribe", #""topic":"user","as":1"#),
                wrong("wrong_type", "as")),
            Row(
                "as too long",
                call("subscribe", #""topic":"user","as":"\#(String(repeating: "x", count: 129))""#),
                wrong("out_of_range", "as", says: "128 bytes")),
            Row(
                "as of 128 bytes",
                call("subscribe", #""topic":"user","as":"\#(String(repeating: "x", count: 128))""#),
                .result(id: "1")),
            Row(
                "mode", call("subscribe", #""topic":"user","mode":"last""#),
                wrong("out_of_range", "mode", says: "did you mean latest?")),
            Row(
                "mode a boolean", call("subscribe", #""topic":"user","mode":true"#),
                wrong("wrong_type", "mode")),
            Row(
                "since null", call("subscribe", #""topic":"user","since":null"#),
                wrong("wrong_type", "since")),
            Row(
                "since a number", call("subscribe", #""topic":"user","since":1"#),
                wrong("wrong_type", "since")),
            Row(
                "a cursor of another epoch",
                call(
                    "subscribe", #""topic":"user","since":"0123456789abcdef:18446744073709551615""#),
                .result(id: "1")),
            Row("ending none", call("unsubscribe", ""), wrong("missing", "as")),
            Row(
                "ending what is not", call("unsubscribe", #""as":"user""#),
                .error(id: "1", -32012, "not_subscribed", path: "/params/as")),
            Row(
                "ending by topic", call("unsubscribe", #""topic":"user""#),
                wrong("unknown_param", "topic")),
            Row(
                "twice",
                call("subscribe", #""topic":"user""#) + "\n"
                    + call("subscribe", #""topic":"user""#),
                .result(id: "1"), .error(id: "1", -32011, "already_subscribed", path: "/params/as")),
            Row(
                "one topic by two names",
                call("subscribe", #""topic":"user""#) + "\n"
                    + call("subscribe", #""topic":"user/0","as":"b""#),
                .result(id: "1"), .result(id: "1")),
        ]
        try RunningDaemon().check(
            rows
                + badCursors.map {
                    Row(
                        "since \($0)", call("subscribe", #""topic":"user","since":"\#($0)""#),
                        badCursor)
                }
                + badTopics.map { topic in
                    let written = topic.replacing("\0", with: #"\u0000"#)
                    return Row(
                        "topic \(topic)", call("subscribe", #""topic":"\#(written)""#), noTopic)
                })
    }

    @Test func `of the rest have their types and ranges`() throws {
        let long = String(repeating: "x", count: 129)
        try RunningDaemon().check([
            Row(
                "hello", call("hello", #""client":{"name":"n","version":"1"},"protocol":1"#),
                .result(id: "1")),
            Row("hello with no client's name", call("hello", #""client":{}"#), .result(id: "1")),
            Row(
                "another protocol", call("hello", #""protocol":2"#),
                wrong("out_of_range", "protocol")),
            Row(
                "protocol a text", call("hello", #""protocol":"1""#),
                wrong("wrong_type", "protocol")),
            Row("client a text", call("hello", #""client":"n""#), wrong("wrong_type", "client")),
            Row(
                "client's name a number", call("hello", #""client":{"name":1}"#),
                wrong("wrong_type", "client/name")),
            Row(
                "client's name too long", call("hello", #""client":{"name":"\#(long)"}"#),
                wrong("out_of_range", "client/name")),
            Row(
                "a client's member", call("hello", #""client":{"pid":1}"#),
                wrong("unknown_param", "client/pid", says: "it takes name, version")),
            Row(
                "ping takes nothing", call("ping", #""x":1"#),
                wrong("unknown_param", "x", says: "it takes nothing")),
            Row(
                "a method to discover", call("rpc.discover", #""method":"user.gte""#),
                wrong("out_of_range", "method", says: "did you mean user.get?")),
            Row("clients from", call("clients", #""offset":5"#), .result(id: "1")),
            Row(
                "clients from below zero", call("clients", #""offset":-1"#),
                wrong("out_of_range", "offset")),
            Row(
                "reload takes nothing", call("engine.reload", #""force":true"#),
                wrong("unknown_param", "force")),
            Row(
                "stop takes nothing", call("engine.stop", #""force":true"#),
                wrong("unknown_param", "force")),
        ])
    }
}
