// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UsherUpstream

struct BaseURLTests {
    @Test(arguments: [
        ("https://api.test", "https://api.test", "api.test", "https"),
        ("https://api.test/", "https://api.test", "api.test", "https"),
        ("HTTP://127.0.0.1:8080/a/b//", "http://127.0.0.1:8080/a/b", "127.0.0.1:8080", "http"),
        ("http://[::1]:8080/users", "http://[::1]:8080/users", "[::1]:8080", "http"),
        ("https://api.test/a%20b", "https://api.test/a%20b", "api.test", "https"),
    ])
    func `An address keeps its path and loses the slashes at its end`(
        text: String, whole: String, place: String, scheme: String
    ) throws {
        let base = try BaseURL(text, purpose: "users")
        #expect(base.text == whole)
        #expect(base.place == place)
        #expect(base.scheme == scheme)
    }

    @Test(arguments: [
        "", "api.test", "file:///etc/passwd", "ftp://api.test", "gopher://x", "https://",
        "https:///x", "https://me:hunter2@api.test", "https://me@api.test",
        "https://api.test?x=hunter2", "https://api.test/#x", "https://api.test:0",
        "https://api.test:65536", "https://api.test:x", "https://api.test/a b",
        "https://api.test/\r\nHost: x",
    ])
    func `What is no such address is refused without being repeated`(text: String) throws {
        let error = try #require(throws: UpstreamError.self) {
            try BaseURL(text, purpose: "the users")
        }
        #expect(error.kind == .configuration)
        #expect(
            error.message == "the address of the users must look like https://host[:port][/path], "
                + "without user name, query or fragment")
    }
}
