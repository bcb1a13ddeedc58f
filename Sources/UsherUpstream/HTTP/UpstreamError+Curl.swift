// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherCurl

extension UpstreamError {
    /// Says what a libcurl code means for people.
    ///
    /// libcurl's own detailed messages are not used: they may quote what a server sent.
    init(
        curl code: CURLcode, place: String, limits: HTTPLimits, hasAnswerBegun: Bool,
        certificateFile: String?
    ) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            self.init(.unreachable, "the name in \(place) cannot be found (DNS)")
        case CURLE_COULDNT_RESOLVE_PROXY:
            self.init(
                .unreachable, "the name of the proxy that the environment sets cannot be found")
        case CURLE_COULDNT_CONNECT:
            self.init(.unreachable, "cannot connect to \(place)")
        case CURLE_OPERATION_TIMEDOUT where hasAnswerBegun:
            self.init(
                .timeout,
                "the answer of \(place) did not end within \(seconds(limits.totalMilliseconds))")
        case CURLE_OPERATION_TIMEDOUT:
            self.init(
                .timeout,
                "\(place) did not answer in time (\(seconds(limits.connectMilliseconds)) to "
                    + "connect, \(seconds(limits.totalMilliseconds)) in all)")
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self.init(
                .unreachable, "the connection to \(place) broke before the answer was complete")
        case CURLE_SSL_CONNECT_ERROR:
            self.init(.unreachable, "no secure connection (TLS) to \(place) could be made")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            self.init(
                .untrusted,
                "the certificate of \(place) is not trusted; "
                    + "if it is your own, name its issuer with the CA file option")
        case CURLE_SSL_CACERT_BADFILE:
            self.init(
                .configuration,
                "the CA file \(certificateFile ?? "of the system") cannot be used")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            self.init(.badReply, "\(place) does not answer in HTTP")
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
            self.init(.badReply, "the answer of \(place) cannot be decompressed")
        default:
            let meaning = unsafe String(cString: curl_easy_strerror(code))
            self.init(.unreachable, "the request to \(place) failed: \(meaning)")
        }
    }
}

/// A number of milliseconds as people read it: `5 s`, `250 ms`.
private func seconds(_ milliseconds: Int) -> String {
    milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
}
