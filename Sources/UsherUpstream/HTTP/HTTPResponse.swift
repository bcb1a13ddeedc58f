// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// An answer whose body came whole.
package struct HTTPResponse: Sendable, Hashable {
    package var status: Int
    package var contentType: String?
    /// The marks by which the service knows this answer again; nil if it gave none.
    var validators: Validators?
    /// Whether the service forbids to keep the answer.
    var mustNotBeStored = false
    /// How long the service asked to wait, clamped to ``HTTPLimits/retryAfterMilliseconds``.
    package var retryAfterMilliseconds: Int?
    /// Decompressed if the answer said that it was compressed.
    package var body: [UInt8]

    /// What marks an answer, as the service wrote it.
    struct Validators: Sendable, Hashable {
        /// The header `ETag`, quotes included.
        var entityTag: String?
        /// The header `Last-Modified`.
        var lastModified: String?

        /// Bytes of a mark; it is sent back, so a longer or odd one is taken as none.
        private static let maximumBytes = 256

        /// A header's value, if it can be sent back as it is.
        static func mark(_ value: String) -> String? {
            let isPlain = value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            return isPlain && (1...maximumBytes).contains(value.utf8.count) ? value : nil
        }
    }

    package init(
        status: Int, contentType: String? = nil, retryAfterMilliseconds: Int? = nil,
        body: [UInt8] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.body = body
    }

    /// Decompresses a body that is gzip though no header said so, as services sent it in real
    /// outages.
    mutating func inflateUnannouncedGzip(
        limit: Int, place: String
    ) throws(UpstreamError) {
        guard Gunzip.recognizes(body) else { return }
        switch Gunzip.inflate(body, limit: limit) {
        case .inflated(let bytes): body = bytes
        case .tooLarge: throw .tooLarge(place: place, limit: limit)
        case .damaged:
            throw UpstreamError(.badReply, "the answer of \(place) cannot be decompressed")
        }
    }

    /// Reads a `Retry-After` header: seconds or an HTTP date; nil when it is neither.
    ///
    /// `now` is in seconds since 1970. Past dates give zero, long waits are cut to the limit.
    static func retryAfterMilliseconds(
        _ text: String, now: Int, limit: Int, date: (String) -> Int?
    ) -> Int? {
        let seconds: Int
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More digits than fit are a long wait too.
            seconds = Int(text) ?? Int.max
        } else {
            guard let moment = date(text) else { return nil }
            seconds = max(0, moment - now)
        }
        return seconds > limit / 1_000 ? limit : seconds * 1_000
    }
}

extension UpstreamError {
    static func tooLarge(place: String, limit: Int) -> UpstreamError {
        UpstreamError(.badReply, "the answer of \(place) is larger than \(limit) bytes")
    }
}
