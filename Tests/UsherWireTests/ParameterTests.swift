// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

private func parameter(_ name: String, of method: Method) throws -> Parameter {
    try #require(MethodTable.entry(for: method).parameters.first { $0.name == name })
}

private func refusal(_ parameter: Parameter, _ value: Arguments.Value) -> WireError? {
    do throws(WireError) {
        _ = try parameter.check(value, path: "/here")
        return nil
    } catch {
        return error
    }
}

struct ParameterTests {
    @Test func `A whole number passes within its range, ends included`() throws {
        let limit = try parameter("limit", of: .moviesGet)
        for number in [Int64(1), 20, 500] {
            #expect(refusal(limit, .integer(number)) == nil)
        }
        for number in [Int64.min, -1, 0, 501, .max] {
            #expect(
                refusal(limit, .integer(number))
                    == WireError(.outOfRange, "limit is from 1 to 500", path: "/here"))
        }
    }

    @Test func `A text passes up to so many bytes, not characters`() throws {
        let list = try parameter("list", of: .moviesGet)
        #expect(refusal(list, .string("")) == nil)
        #expect(refusal(list, .string(String(repeating: "é", count: 16))) == nil)
        #expect(
            refusal(list, .string(String(repeating: "é", count: 17)))
                == WireError(.outOfRange, "list has more than 32 bytes", path: "/here"))
    }

    @Test func `Eighty characters of several scalars each fit a rename`() throws {
        let name = try parameter("name", of: .userRename)
        let astronaut = "👩🏽‍🚀"
        #expect(astronaut.count == 1 && astronaut.utf8.count == 15)
        #expect(refusal(name, .string(String(repeating: astronaut, count: 80))) == nil)
    }

    @Test func `A choice passes what it lists, and names the nearest otherwise`() throws {
        let mode = try parameter("mode", of: .subscribe)
        for text in ["latest", "all"] { #expect(refusal(mode, .string(text)) == nil) }
        #expect(
            refusal(mode, .string("lates"))
                == WireError(
                    .outOfRange, "mode: there is no lates; did you mean latest?", path: "/here"))
        #expect(refusal(mode, .string("Latest"))?.reason == .outOfRange)
    }

    @Test func `A value of another type is refused with the type it should have`() throws {
        let wrong: [(Parameter, [Arguments.Value], String)] = [
            (
                try parameter("list", of: .moviesGet),
                [.integer(1), .boolean(true), .object(Arguments())], "list is a string"
            ),
            (
                try parameter("mode", of: .subscribe),
                [.integer(1), .boolean(true), .object(Arguments())], "mode is a string"
            ),
            (
                try parameter("page", of: .moviesFetch),
                [.string("1"), .boolean(true), .object(Arguments())], "page is a whole number"
            ),
            (
                try parameter("wait", of: .moviesFetch),
                [.string("true"), .integer(1), .object(Arguments())], "wait is true or false"
            ),
            (
                try parameter("client", of: .hello),
                [.string("x"), .integer(1), .boolean(false)], "client is an object"
            ),
        ]
        for (parameter, values, message) in wrong {
            for value in values {
                #expect(
                    refusal(parameter, value) == WireError(.wrongType, message, path: "/here"))
            }
        }
    }

    @Test func `Arguments are found by name and kind`() {
        var members = Arguments()
        members.set("name", to: .string("x"))
        var arguments = Arguments()
        arguments.set("s", to: .string("t"))
        arguments.set("i", to: .integer(.min))
        arguments.set("b", to: .boolean(false))
        arguments.set("o", to: .object(members))
        #expect(arguments.string("s") == "t")
        #expect(arguments.integer("i") == .min)
        #expect(arguments.boolean("b") == false)
        #expect(arguments.object("o")?.string("name") == "x")
        #expect(arguments.string("i") == nil)
        #expect(arguments.integer("s") == nil)
        #expect(arguments.boolean("o") == nil)
        #expect(arguments.object("b") == nil)
        #expect(arguments.has("o") && !arguments.has("x"))
    }

    @Test func `What a method requires is asked for by name and meaning`() throws {
        let entry = MethodTable.entry(for: .unsubscribe)
        #expect(
            throws: WireError(
                .missing, "unsubscribe needs as: The subscription's name.", path: "/params/as")
        ) { try Arguments().checkRequired(of: entry) }
        var arguments = Arguments()
        arguments.set("as", to: .string(""))
        try arguments.checkRequired(of: entry)
    }

    @Test func `What is left out gets its default`() throws {
        func call(_ method: Method, _ values: (String, Arguments.Value)...) throws -> Call {
            var arguments = Arguments()
            for (name, value) in values { arguments.set(name, to: value) }
            return try MethodTable.entry(for: method).bind(arguments)
        }
        #expect(try call(.userFetch) == .userFetch(user: nil, wait: true))
        #expect(try call(.moviesGet) == .moviesGet(.popular, offset: 0, limit: 20))
        #expect(try call(.moviesFetch) == .moviesFetch(.popular, page: nil, wait: true))
        #expect(try call(.clients) == .clients(offset: 0))
        #expect(try call(.discover) == .discover(method: nil))
        #expect(
            try call(.subscribe, ("topic", .string("user")))
                == .subscribe(Call.Subscribe(topic: "user", name: "user")))
        let cursor = Cursor(epoch: Epoch(value: 1), revision: 2)
        #expect(
            try call(
                .subscribe, ("topic", .string("user")), ("as", .string("u")),
                ("since", .string(cursor.description)), ("mode", .string("all")))
                == .subscribe(
                    Call.Subscribe(topic: "user", name: "u", since: cursor, mode: .all)))
        var client = Arguments()
        client.set("name", to: .string("tv"))
        #expect(
            try call(.hello, ("client", .object(client))) == .hello(Call.Hello(clientName: "tv")))
    }
}

struct LimitsTests {
    @Test func `The limits are those of protocol version 1`() {
        #expect(Limits.lineBytes == 65_536)
        #expect(Limits.jsonDepth == 32)
        #expect(Limits.idBytes == 128)
        #expect(Limits.batchRequests == 100)
        #expect(Limits.moviesPerRequest == 500)
        #expect(Limits.historyTransitions == 256)
        #expect(Limits.nameCharacters == 80)
        let limits = Limits()
        #expect(limits.clients == 4_096)
        #expect(limits.clientsPerUID == 1_024)
        #expect(limits.subscriptions == 64)
        #expect(limits.deferredRequests == 32)
        #expect(limits.unsentBytes == 256 * 1_024)
        #expect(limits.stallMilliseconds == 300_000)
        #expect(limits.stallWhenFullMilliseconds == 10_000)
        #expect(limits.partialLineMilliseconds == 30_000)
        #expect(limits.shutdownGraceMilliseconds == 2_000)
    }
}
