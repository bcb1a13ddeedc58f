// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The file that hands pointers to Swift objects to libcurl and takes them back. Who passes one
// keeps its object alive for as long as libcurl may use it: a client its multi handle, a transfer
// its easy handle.

internal import CUsherCurl
internal import Glibc

/// An object's address as libcurl carries it; does not keep the object alive.
func pointer(to object: some AnyObject) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(object).toOpaque()
}

/// The object that was passed with ``pointer(to:)``.
func object<Object: AnyObject>(
    at pointer: UnsafeMutableRawPointer?, as type: Object.Type
) -> Object {
    guard let pointer = unsafe pointer else {
        preconditionFailure("libcurl called back without a context")
    }
    return unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
}

/// One request in libcurl's hands: an easy handle, and what was received.
@safe
final class CurlTransfer {
    let completion: (Result<HTTPResponse, UpstreamError>) -> Void
    /// The easy handle as a number, to find the transfer by.
    var handle: UInt { unsafe UInt(bitPattern: easy) }

    private let easy: UnsafeMutableRawPointer
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var setUp = CURLE_OK

    private let place: String
    private let identity: HTTPIdentity
    private let systemTrust: String?
    private let limits: HTTPLimits
    private var response = HTTPResponse(status: 0)
    /// The header `Date` in seconds since 1970, and `Retry-After` as it came.
    private var date: Int?
    private var retryAfter: String?
    private var headerBytes = 0
    private var isTooLarge = false

    /// Initializes libcurl once in the process; it is safe to do so on any thread.
    private static let library: Void = {
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        precondition(code == CURLE_OK, "libcurl cannot be initialized")
    }()

    static func makeMulti(connections: Int) -> UnsafeMutableRawPointer {
        library
        guard let multi = unsafe curl_multi_init() else { fatalError("out of memory") }
        unsafe usher_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
        return unsafe multi
    }

    init(
        _ request: HTTPRequest, identity: HTTPIdentity, systemTrust: String?, limits: HTTPLimits,
        completion: @escaping (Result<HTTPResponse, UpstreamError>) -> Void
    ) {
        guard let easy = unsafe curl_easy_init() else { fatalError("out of memory") }
        unsafe self.easy = unsafe easy
        self.completion = completion
        self.identity = identity
        self.systemTrust = systemTrust
        self.limits = limits
        place = request.base.place
        set(request)
        setRoute()
        setLimits()
        setReceivers()
    }

    private func set(_ request: HTTPRequest) {
        set(CURLOPT_URL, request.exposedURL)
        // libcurl would read file: and more if it were not told so.
        set(CURLOPT_PROTOCOLS_STR, request.base.scheme)
        set(CURLOPT_REDIR_PROTOCOLS_STR, request.base.scheme)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_USERAGENT, identity.userAgent)
        set(CURLOPT_ACCEPT_ENCODING, "gzip")
        setTrust()
        add(header: "Accept: application/json")
        if case .bearer(let token) = request.credential {
            add(header: "Authorization: Bearer \(token.text)")
        }
        if let tag = request.validators?.entityTag { add(header: "If-None-Match: \(tag)") }
        if let date = request.validators?.lastModified {
            add(header: "If-Modified-Since: \(date)")
        }
        note(unsafe usher_curl_set_list(easy, CURLOPT_HTTPHEADER, headerList))
    }

    /// Whom to trust: the file that was named and nothing else, or the system.
    private func setTrust() {
        if let file = identity.certificateFile {
            set(CURLOPT_CAINFO, file)
            clear(CURLOPT_CAPATH)
        } else if let systemTrust {
            clear(CURLOPT_CAINFO)
            set(CURLOPT_CAPATH, systemTrust)
        }
    }

    /// How to get there: libcurl takes the proxy from the environment if it is told of none, and tries the other family
    /// of addresses when the first does not connect at once.
    private func setRoute() {
        switch identity.proxy {
        case .environment: break
        case .none: set(CURLOPT_PROXY, "")
        case .address(let address): set(CURLOPT_PROXY, address)
        }
        set(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, HTTPIdentity.otherFamilyMilliseconds)
        switch identity.ipVersion {
        case .any: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_WHATEVER))
        case .four: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .six: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        }
    }

    private func setLimits() {
        set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectMilliseconds)
        set(CURLOPT_TIMEOUT_MS, limits.tryMilliseconds)
        // Only looks at the length that is announced; `receive` counts.
        set(CURLOPT_MAXFILESIZE, limits.bodyBytes)
        set(CURLOPT_NOSIGNAL, 1)
        // Without it, giving up on a name look-up waits for the look-up's thread, and the loop with
        // it.
        set(CURLOPT_QUICK_EXIT, 1)
    }

    private func setReceivers() {
        let context = unsafe pointer(to: self)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        note(unsafe usher_curl_set_pointer(easy, CURLOPT_WRITEDATA, context))
        note(
            unsafe usher_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION) {
                bytes, _, count, context in
                let transfer = unsafe object(at: context, as: CurlTransfer.self)
                let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
                return unsafe transfer.receive(piece) ? count : 0
            })
        note(unsafe usher_curl_set_pointer(easy, CURLOPT_HEADERDATA, context))
        note(
            unsafe usher_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION) {
                bytes, _, count, context in
                let transfer = unsafe object(at: context, as: CurlTransfer.self)
                let line = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
                return unsafe transfer.receive(headerLine: line) ? count : 0
            })
    }

    private func set(_ option: CURLoption, _ value: Int) {
        note(unsafe usher_curl_set_long(easy, option, value))
    }

    /// libcurl copies the text.
    private func set(_ option: CURLoption, _ value: String) {
        note(unsafe usher_curl_set_string(easy, option, value))
    }

    /// Takes away what libcurl has by default.
    private func clear(_ option: CURLoption) {
        note(unsafe usher_curl_set_string(easy, option, nil))
    }

    private func add(header: String) {
        guard let longer = unsafe curl_slist_append(headerList, header) else {
            note(CURLE_OUT_OF_MEMORY)
            return
        }
        unsafe headerList = unsafe longer
    }

    /// Keeps the first thing that went wrong while the request was set up.
    private func note(_ code: CURLcode) {
        if setUp == CURLE_OK { setUp = code }
    }

    /// Hands the request to libcurl; gives why that is not possible.
    func start(on multi: UnsafeMutableRawPointer) -> UpstreamError? {
        guard setUp == CURLE_OK else { return error(setUp) }
        guard unsafe curl_multi_add_handle(multi, easy) == CURLM_OK else {
            return error(CURLE_FAILED_INIT)
        }
        return nil
    }

    /// Takes the request out of libcurl's hands.
    func stop(on multi: UnsafeMutableRawPointer) {
        unsafe curl_multi_remove_handle(multi, easy)
    }

    /// Frees what libcurl has of the request; the last thing done with it.
    func release() {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(headerList)
    }

    /// Keeps a piece of the body, decompressed already; false ends the transfer.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard response.body.count + bytes.count <= limits.bodyBytes else {
            isTooLarge = true
            return false
        }
        unsafe response.body.append(contentsOf: bytes)
        return true
    }

    /// Keeps what matters of one whole header line; false ends the transfer.
    private func receive(headerLine bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= limits.headerBytes else {
            isTooLarge = true
            return false
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // Another answer: what came before was an interim one.
            response = HTTPResponse(status: 0)
            (date, retryAfter) = (nil, nil)
        }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let value = String(line[line.utf8.index(after: colon)...].trimmingWhitespace())
        keep(header: line[..<colon].lowercased(), value)
        return true
    }

    private func keep(header name: String, _ value: String) {
        switch name {
        case "content-type": response.contentType = value
        case "etag":
            guard let mark = HTTPResponse.Validators.mark(value) else { return }
            response.validators = response.validators ?? .init()
            response.validators?.entityTag = mark
        case "last-modified":
            guard let mark = HTTPResponse.Validators.mark(value) else { return }
            response.validators = response.validators ?? .init()
            response.validators?.lastModified = mark
        case "cache-control":
            if value.lowercased().contains("no-store") { response.mustNotBeStored = true }
        case "date": date = seconds(value)
        case "retry-after": retryAfter = value
        default: break
        }
    }

    /// Seconds since 1970 of a date as HTTP has them; nil for anything else.
    private func seconds(_ text: String) -> Int? {
        let moment = unsafe curl_getdate(text, nil)
        return moment == -1 ? nil : moment
    }

    /// What came of the request, once libcurl is done with it.
    func result(_ code: CURLcode) -> Result<HTTPResponse, UpstreamError> {
        var status = 0
        unsafe usher_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        response.status = status
        response.retryAfterMilliseconds = retryAfter.flatMap { text in
            // By the service's own clock, where it tells it: ours may be wrong.
            HTTPResponse.retryAfterMilliseconds(
                text, now: date ?? time(nil), limit: limits.retryAfterMilliseconds, date: seconds)
        }
        guard code == CURLE_OK else { return .failure(error(code)) }
        return .success(response)
    }

    private func error(_ code: CURLcode) -> UpstreamError {
        if isTooLarge || code == CURLE_FILESIZE_EXCEEDED {
            return .tooLarge(place: place, limit: limits.bodyBytes)
        }
        var proxyStatus = 0
        unsafe usher_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
        if proxyStatus != 0, !(200...299).contains(proxyStatus) {
            return .proxyRefused(status: proxyStatus, proxy: identity.proxyName, place: place)
        }
        return UpstreamError(
            curl: code, place: place, limits: limits, identity: identity,
            hasAnswerBegun: response.status != 0)
    }
}

extension Substring {
    /// The text without spaces, tabs and line ends around it.
    func trimmingWhitespace() -> Substring {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = utf8.firstIndex(where: { !isSpace($0) }),
            let last = utf8.lastIndex(where: { !isSpace($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
