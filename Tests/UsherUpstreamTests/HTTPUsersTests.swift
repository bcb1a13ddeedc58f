// Part of Usher. SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UsherWire

@testable import UsherUpstream

@Suite(.timeLimit(.minutes(5))) struct HTTPUsersTests {
    private func fetch(
        _ id: Int64, _ steps: String..., on test: TestLoop
    ) throws -> Result<User, UpstreamError> {
        let token = HTTPTestServer.makeToken()
        let address = HTTPTestServer.shared.address(steps, token: token) + "/users"
        let users = HTTPUsers(
            fetcher: test.makeFetcher(), base: try BaseURL(address, purpose: "users"), ownUser: 1)
        #expect(users.ownUser == .fixed(1))
        let result = try test.wait { done in users.fetch(id, completion: done) }
        users.close()
        return result
    }

    @Test(arguments: [
        User(id: 1, name: "Ann Example", username: "ann", phone: "555-0101"),
        User(id: 2, name: "Bo", username: "bo"),
        User(id: 3, name: "Cy", username: "cy"),
        User(id: 4, name: "Di", username: "di", phone: "5550104"),
        User(id: 5, name: "Ed", username: ""),
        User(id: 6, name: "fay", username: "fay"),
    ])
    func `A user comes as the service has it, gaps filled`(user: User) throws {
        try withTestLoop { test in
            let result = try fetch(user.id, "user", on: test)
            #expect(result == .success(user))
        }
    }

    @Test func `An unknown user, another user and a list are three errors`() throws {
        try withTestLoop { test in
            let unknown = try #require(try fetch(99, "user", on: test).failure)
            #expect(unknown.kind == .notFound)
            #expect(unknown.message.hasSuffix("has no user 99"))
            let other = try #require(try fetch(7, "user", on: test).failure)
            #expect(other.kind == .badReply)
            #expect(other.message.hasSuffix("sent user 8 when asked for user 7"))
            let list = try #require(try fetch(8, "user", on: test).failure)
            #expect(list.kind == .badReply)
            #expect(list.message.hasSuffix("sent a list instead of one user"))
        }
    }

    @Test func `A failing service is tried again`() throws {
        try withTestLoop { test in
            let user = try fetch(3, "status=503", "limited=0", "cut", "user", on: test)
            #expect(try user.get().name == "Cy")
            #expect(try fetch(3, "status=500", on: test).failure?.kind == .server(status: 500))
        }
    }

    @Test(
        arguments: [
            (#"{"id":7,"name":"N","username":"u","phone":1.5}"#, "1.5"),
            (#"{"id":7,"name":"N","username":"u","phone":5550101.0}"#, "5550101"),
            (#"{"id":7,"name":"N","username":"u","phone":99999999999999999999}"#, "1e+20"),
            (#"{"id":7,"name":"N","username":"u","phone":1e999}"#, nil),
            (#"{"id":7.0,"name":"N","username":"u","phone":"\ud800","x":"\x"}"#, nil),
            (#"{"id":7,"name":"N","username":"u","phone":true}"#, nil),
            (#"{"id":7,"name":"N","username":"u","phone":{"home":1}}"#, nil),
            (#"{"id":"7","name":"N","username":"u","phone":"+81 3 5555 0100"}"#, "+81 3 5555 0100"),
        ] as [(String, String?)])
    func `A phone is text, a number, or none`(body: String, phone: String?) throws {
        let fetched = try UserReply(id: 7, place: "here").read(
            HTTPResponse(status: 200, body: Array(body.utf8))
        ).get()
        #expect(fetched.user == User(id: 7, name: "N", username: "u", phone: phone))
        #expect(fetched.repairedFields == 1)
    }

    @Test(arguments: [
        #"{"id":"07","name":"N"}"#, #"{"id":" 7","name":"N"}"#, #"{"id":null,"name":"N"}"#,
        #"{"name":"N"}"#, #"{"id":7.5,"name":"N"}"#, #"{"id":7,"name":"N","username":7}"#,
        #"{"id":7,"name":"\ud800","username":"u"}"#, #"{"id":7,"name":"N","\ud800":1}"#,
        #"{"id":8,"id":7,"name":"N"}"#, #"{"id":7,"name":7}"#, #"{"id":7,"name":""}"#, #"{"id":7}"#,
        "{", "<", "",
        "7",
    ])
    func `What is no user is a bad reply`(body: String) {
        let result = UserReply(id: 7, place: "here").read(
            HTTPResponse(status: 200, body: Array(body.utf8)))
        #expect(result.failure?.kind == .badReply)
    }

    @Test(arguments: [
        (401, UpstreamError.Kind.unauthorized), (403, .unauthorized), (404, .notFound),
        (410, .notFound), (418, .refused(status: 418)), (429, .rateLimited),
        (500, .server(status: 500)), (302, .badReply), (204, .badReply),
    ])
    func `A status says what is wrong`(status: Int, kind: UpstreamError.Kind) {
        let result = UserReply(id: 7, place: "here").read(HTTPResponse(status: status))
        #expect(result.failure?.kind == kind)
    }

    @Test func `Text of any length is cut, so that a user fits a line`() throws {
        let long = String(repeating: "\\u0001", count: 10_000)
        let body = "{\"id\":7,\"name\":\"\(long)\",\"username\":\"\(long)\",\"phone\":\"\(long)\"}"
        let user = try UserReply(id: 7, place: "here").read(
            HTTPResponse(status: 200, body: Array(body.utf8))
        ).get().user
        var writer = JSONWriter()
        writer.user(user)
        #expect(writer.bytes.count < Limits.lineBytes)
    }
}
