// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherCurl

extension UpstreamError {
    /// Says what a libcurl code means for people.
    ///
    /// libcurl's own detailed messages are not used: they may quote what a server sent.
    init(
        curl code: CURLcode, place: String, limits: HTTPLimits, identity: HTTPIdentity,
        hasAnswerBegun: Bool
    ) {
        let proxy = identity.proxyName
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            let family =
                switch identity.ipVersion {
                case .any: ""
                case .four, .six: ", addresses of IPv\(identity.ipVersion.rawValue) only"
                }
            self.init(.unreachable, "the name in \(place) cannot be found (DNS\(family))")
        case CURLE_COULDNT_RESOLVE_PROXY:
            self.init(.unreachable, "the name of the proxy \(proxy ?? "") cannot be found (DNS)")
        case CURLE_PROXY:
            self.init(.unreachable, "the proxy \(proxy ?? "") does not lead to \(place)")
        case CURLE_COULDNT_CONNECT:
            let way = proxy.map { ", or to the proxy \($0) on the way" } ?? ""
            self.init(.unreachable, "cannot connect to \(place)\(way)")
        case CURLE_OPERATION_TIMEDOUT where hasAnswerBegun:
            self.init(
                .timeout,
                "the answer of \(place) did not end within \(duration(limits.tryMilliseconds))")
        case CURLE_OPERATION_TIMEDOUT:
            self.init(
                .timeout,
                "\(place) did not answer in time (\(duration(limits.connectMilliseconds)) to "
                    + "connect, \(duration(limits.tryMilliseconds)) in all)")
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
                "the CA file \(identity.certificateFile ?? "of the system") cannot be used")
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

extension UpstreamError {
    /// A proxy that did not make the way free.
    static func proxyRefused(status: Int, proxy: String?, place: String) -> UpstreamError {
        let name = proxy.map { " \($0)" } ?? ""
        let message = "the proxy\(name) did not let through to \(place) (HTTP \(status))"
        return switch status {
        case 407: UpstreamError(.refused(status: status), message + "; it wants a password")
        case 500...599: UpstreamError(.unreachable, message)
        default: UpstreamError(.refused(status: status), message)
        }
    }
}

/// A number of milliseconds as people read it: `5 s`, `250 ms`.
func duration(_ milliseconds: Int) -> String {
    milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
}
