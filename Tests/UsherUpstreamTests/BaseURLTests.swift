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
        ("https://API.Test:443/", "https://API.Test:443", "API.Test:443", "https"),
        ("https://api.test:", "https://api.test", "api.test", "https"),
        ("https://api.test:080/a", "https://api.test:80/a", "api.test:80", "https"),
        ("http://[::FFFF:1.2.3.4]", "http://[::FFFF:1.2.3.4]", "[::FFFF:1.2.3.4]", "http"),
        ("http://[fe80::1%25eth0]:1", "http://[fe80::1%25eth0]:1", "[fe80::1%25eth0]:1", "http"),
        ("http://xn--e1afmkfd/", "http://xn--e1afmkfd", "xn--e1afmkfd", "http"),
        ("http://a_b/@:;,.//x", "http://a_b/@:;,.//x", "a_b", "http"),
        ("http://h/a/../b/./c", "http://h/a/../b/./c", "h", "http"),
        ("http://h/{a}%2f%zz%", "http://h/%7Ba%7D%2f%25zz%25", "h", "http"),
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
        "https://api.test:-1", "https://api.test:99999999999999999999", "https://api.test:1:2",
        "https:api.test", "https:/api.test", "https:////api.test", "//api.test", "://api.test",
        " https://api.test", "https://api.test?", "https://api.test#", "https://@api.test",
        "https://:@api.test", "https://:80", "https://[", "https://[]", "https://[::1",
        "https://[::1]x", "https://[zz]", "https://::1", "https://a%41", "https://%00",
        "https://a|b", "https://a\\b", "https://é.test", "https://api.test/é", "socks5://h",
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
