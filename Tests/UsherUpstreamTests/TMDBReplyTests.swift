// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

@testable import UsherUpstream

/// What TMDB was seen to send, in shape; the texts are made up.
struct TMDBReplyTests {
    private func read(
        _ body: String, status: Int = 200, page: Int = 1, retryAfterMilliseconds: Int? = nil
    ) -> Result<FetchedPage, UpstreamError> {
        let reply = TMDBReply(page: page, place: "api.test", keyDescription: "the v3 key from K")
        return reply.read(
            HTTPResponse(
                status: status, retryAfterMilliseconds: retryAfterMilliseconds,
                body: Array(body.utf8)))
    }

    private func page(of rows: String, pages: Int = 9) -> String {
        "{\"page\":1,\"results\":[\(rows)],\"total_pages\":\(pages),\"total_results\":1}"
    }

    private func text(_ page: FetchedPage, _ index: Int) -> String {
        String(decoding: page.movies[index].json, as: UTF8.self)
    }

    @Test func `A full row keeps every fact`() throws {
        let page = try read(
            page(
                of: """
                    {"adult":false,"backdrop_path":"/aB3dE6.jpg","genre_ids":[28,878],"id":900001,
                    "original_language":"uk","original_title":"Зразок","overview":"Made up.",
                    "popularity":37.6215,"poster_path":"/Zy4wV1.jpg","release_date":"2026-07-01",
                    "softcore":false,"title":"Sample \\"One\\" & Co — ½","video":true,
                    "vote_average":7.025,"vote_count":1802}
                    """, pages: 58_322)
        ).get()
        #expect(page.page == 1)
        #expect(page.pages == 500)
        #expect(page.droppedRows == 0)
        #expect(page.movies.map(\.id) == [900_001])
        #expect(
            text(page, 0) == "{\"id\":900001,\"title\":\"Sample \\\"One\\\" & Co — ½\","
                + "\"original_title\":\"Зразок\",\"original_language\":\"uk\","
                + "\"overview\":\"Made up.\",\"release_date\":\"2026-07-01\","
                + "\"poster_path\":\"/Zy4wV1.jpg\",\"backdrop_path\":\"/aB3dE6.jpg\","
                + "\"genre_ids\":[28,878],\"popularity\":37.6215,\"vote_average\":7.025,"
                + "\"vote_count\":1802,\"adult\":false,\"video\":true}")
    }

    @Test(arguments: [
        (#""release_date":"","poster_path":null,"overview":"","backdrop_path":null"#, "", 0),
        (#""softcore":true,"some_future_key":{"nested":[1,2]}"#, "", 0),
        (#""popularity":"11.5934942667441""#, #","popularity":11.5934942667441"#, 1),
        (#""popularity":"much","vote_average":"NaN""#, "", 2),
        (#""vote_average":7"#, #","vote_average":7.0"#, 0),
        (#""release_date":"2024-02-30""#, #","release_date":"2024-02-30""#, 0),
        (#""release_date":"2024-02-03T00:00:00.000Z""#, #","release_date":"2024-02-03""#, 1),
        (#""release_date":"next year""#, "", 1),
        (#""genre_ids":[]"#, #","genre_ids":[]"#, 0),
        (#""genre_ids":"drama","vote_count":-1.5,"adult":"no""#, "", 3),
        (#""poster_path":"/f6.png""#, #","poster_path":"/f6.png""#, 0),
        (#""poster_path":"/../../etc/passwd""#, "", 1),
        (#""poster_path":"/a%2F..%2Fb.jpg""#, "", 1),
        (#""poster_path":"//host.test/x.jpg""#, "", 1),
        (#""poster_path":"/x.jpg\u0000.png""#, "", 1),
        (#""poster_path":"x.jpg""#, "", 1),
        (#""poster_path":"/.jpg""#, "", 1),
        (#""poster_path":"/é.jpg""#, "", 1),
        (#""poster_path":"/x.jpg\n""#, "", 1),
        (#""poster_path":"/x.exe""#, "", 1),
        (#""popularity":1e999,"vote_count":99999999999999999999"#, "", 2),
        (#""popularity":99999999999999999999"#, #","popularity":1e+20"#, 0),
        (#""vote_count":7.0,"genre_ids":[1.0,2e1]"#, #","genre_ids":[1,20],"vote_count":7"#, 0),
        (#""vote_count":7.5,"genre_ids":[1,null]"#, "", 2),
        (#""overview":"cut \ud83c","original_language":"\x""#, "", 2),
        ("\"overview\":\"two\nlines\"", "", 1),
        (#""adult":1,"video":"true","popularity":true"#, "", 3),
        (#""adult":true,"adult":0,"popularity":"x","popularity":2"#, #","adult":true"#, 1),
        (#""some_future_key":[1e999,"\ud800",07,]"#, "", 0),
    ])
    func `A field that is odd or missing never costs the row, and is counted`(
        field: String, kept: String, repairs: Int
    ) throws {
        let page = try read(page(of: "{\"id\":1,\"title\":\"T\",\(field)}")).get()
        #expect(page.repairedFields == repairs)
        #expect(text(page, 0) == "{\"id\":1,\"title\":\"T\"\(kept)}")
    }

    @Test func `Control characters in a title stay data, escaped`() throws {
        let row = #"{"id":1,"title":"\u001b]52;c;x\u0007 a\u202eb\u0000"}"#
        let page = try read(page(of: row)).get()
        #expect(
            text(page, 0)
                == "{\"id\":1,\"title\":\"\\u001b]52;c;x\\u0007 a\u{202E}b\\u0000\"}")
    }

    @Test(arguments: [
        #"{"title":"no id"}"#, #"{"id":"1","title":"text"}"#, #"{"id":0,"title":"zero"}"#,
        #"{"id":-5,"title":"negative"}"#, #"{"id":9223372036854775808,"title":"too large"}"#,
        #"{"id":1.5,"title":"half"}"#, #"{"id":1}"#, #"{"id":1,"title":null}"#,
        #"{"id":1,"title":7}"#, #"{"id":1,"title":""}"#, "null", "[]", "7", #""row""#,
        #"{"id":1,"title":"\ud800"}"#, #"{"id":1e18,"title":"may be rounded"}"#,
        #"{"id":1,"title":"a","\ud800":"no key"}"#, #"{"id":"x","id":1,"title":"a"}"#, #""\ud800""#,
        "1e999",
    ])
    func `A bad row is dropped and counted, the good ones stay`(row: String) throws {
        let good = #"{"id":5,"title":"five"}"#
        let page = try read(page(of: "\(row),\(good),\(row)")).get()
        #expect(page.movies.map(\.id) == [5])
        #expect(page.droppedRows == 2)
    }

    @Test func `A row too large for a line is dropped and counted`() throws {
        // `{"id":1,"title":"","overview":""}` and the texts.
        let fitting = String(repeating: "x", count: 16 * 1_024 - 34)
        let page = try read(
            page(
                of: "{\"id\":1,\"title\":\"a\",\"overview\":\"\(fitting)x\"},"
                    + "{\"id\":2,\"title\":\"b\",\"overview\":\"\(fitting)\"}")
        ).get()
        #expect(page.movies.map(\.id) == [2])
        #expect(page.movies[0].json.count == 16 * 1_024)
        #expect(page.droppedRows == 1)
    }

    @Test func `An original title stands in for a missing title`() throws {
        let page = try read(page(of: #"{"id":1,"original_title":"見本"}"#)).get()
        #expect(text(page, 0) == "{\"id\":1,\"title\":\"見本\",\"original_title\":\"見本\"}")
        #expect(page.repairedFields == 1)
    }

    @Test func `A page of bad rows only fails`() throws {
        let error = try #require(read(page(of: "{},{\"id\":0}")).failure)
        #expect(error.kind == .badReply)
        #expect(error.message == "none of the 2 rows that api.test sent makes sense")
    }

    @Test(arguments: [
        (422, #"{"errors":["page is over 500"]}"#),
        (400, #"{"success":false,"status_code":22,"status_message":"made up"}"#),
        (200, #"{"page":4,"results":[],"total_pages":3,"total_results":41}"#),
    ])
    func `Past the last page is the end of the list, in all its forms`(
        status: Int, body: String
    ) throws {
        let error = try #require(read(body, status: status, page: 4).failure)
        #expect(error == UpstreamError(.endOfList, "the list has no page 4"))
    }

    @Test(arguments: [
        "{\"page\":1}", "{\"page\":2,\"results\":[],\"total_pages\":3}",
        "{\"page\":1,\"results\":{},\"total_pages\":3}", "{\"page\":1,\"results\":[{\"id\":1,",
        "{\"page\":1,\"results\":[]}", "{\"results\":[],\"total_pages\":3}",
        #"{"page":"1","results":[],"total_pages":3}"#,
        #"{"page":1,"results":[],"total_pages":3.5}"#,
        #"{"page":1,"results":"\ud800","total_pages":3}"#,
        #"{"page":1,"results":[],"total_pages":3}}"#,
        #"{"\ud800":0,"page":1,"results":[],"total_pages":3}"#,
        #"{"page":1,"total_pages":3,"results":"# + String(repeating: "[", count: 513),
    ])
    func `A wrong envelope fails the page`(body: String) throws {
        let error = try #require(read(body).failure)
        #expect(error.kind == .badReply)
        #expect(error.message == "api.test sent JSON that is not the page 1 asked for")
    }

    @Test func `What is not JSON is told apart by its first byte`() throws {
        let portal = try #require(read("\r\n <html>sign in</html>").failure)
        #expect(portal.kind == .badReply)
        #expect(portal.message.contains("a web page instead of JSON: a sign-in page"))
        #expect(read("").failure?.message == "api.test sent an empty answer")
        #expect(read("[1]").failure?.message == "api.test sent a list instead of one page")
        #expect(read("7").failure?.message == "api.test sent something that is not a page")
        #expect(read("\u{FEFF}{}").failure?.kind == .badReply)
    }

    @Test(arguments: [
        (
            401, #"{"status_code":7}"#, UpstreamError.Kind.unauthorized,
            "TMDB refused the v3 key from K (HTTP 401, code 7); check the key"
        ),
        (
            403, #"{"status_code":10}"#, .unauthorized,
            "TMDB refused the v3 key from K (HTTP 403, code 10); check the key"
        ),
        (403, "<html>", .refused(status: 403), "api.test refused (HTTP 403)"),
        (403, "", .refused(status: 403), "api.test refused (HTTP 403)"),
        (403, #"{"status_code":"7"}"#, .refused(status: 403), "api.test refused (HTTP 403)"),
        (
            403, #"{"status_code":7.0,"status_message":"\ud800"}"#, .unauthorized,
            "TMDB refused the v3 key from K (HTTP 403, code 7); check the key"
        ),
        (400, "{}", .refused(status: 400), "api.test refused (HTTP 400)"),
        (
            404, #"{"status_code":34}"#, .notFound,
            "api.test has no such list (HTTP 404, code 34); check the base address"
        ),
        (
            429, #"{"status_code":25}"#, .rateLimited,
            "api.test was asked too often (HTTP 429, code 25)"
        ),
        (502, "<html>502</html>", .server(status: 502), "api.test failed (HTTP 502)"),
        (
            503, #"{"status_code":46,"status_message":"made up"}"#, .server(status: 503),
            "api.test failed (HTTP 503, code 46)"
        ),
        (301, "", .badReply, "api.test points elsewhere (HTTP 301), which is not followed"),
        (204, "", .badReply, "api.test sent no page (HTTP 204)"),
    ])
    func `A status says what to do, without the service's own words`(
        status: Int, body: String, kind: UpstreamError.Kind, message: String
    ) throws {
        let error = try #require(read(body, status: status).failure)
        #expect(error == UpstreamError(kind, message))
    }

    @Test(arguments: [429, 503]) func `A wait that was asked for is passed on`(status: Int) throws {
        let error = try #require(read("", status: status, retryAfterMilliseconds: 2_000).failure)
        #expect(error.retryAfterMilliseconds == 2_000)
        #expect(error.isRetryable)
    }
}
