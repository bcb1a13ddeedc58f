// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherCurl

/// Decompresses gzip into memory, never more than a limit.
enum Gunzip {
    enum Outcome: Equatable {
        case inflated([UInt8])
        case tooLarge
        case damaged
    }

    /// Bytes that one call of zlib may write.
    private static let pieceBytes = 64 * 1_024

    /// Whether the bytes begin as gzip does; JSON and HTML never do.
    static func recognizes(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B
    }

    /// Decompresses one whole gzip member; a cut one is damaged.
    static func inflate(_ bytes: [UInt8], limit: Int) -> Outcome {
        // zlib keeps a pointer to the stream: it has to stay where it is.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        // 15 + 16: the largest window, and a gzip header.
        guard
            unsafe inflateInit2_(
                stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return .damaged }
        defer { unsafe inflateEnd(stream) }

        var input = bytes
        var output: [UInt8] = []
        return unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.pointee.next_in = input.baseAddress
            unsafe stream.pointee.avail_in = UInt32(input.count)
            while true {
                let (piece, status) = unsafe nextPiece(stream)
                guard output.count + piece.count <= limit else { return .tooLarge }
                output += piece
                if status == Z_STREAM_END { return .inflated(output) }
                // Without progress the input ended early.
                let isAtEnd = unsafe stream.pointee.avail_in == 0
                guard status == Z_OK, !piece.isEmpty || !isAtEnd else {
                    return .damaged
                }
            }
        }
    }

    private static func nextPiece(
        _ stream: UnsafeMutablePointer<z_stream>
    ) -> (piece: [UInt8], status: Int32) {
        var status = Z_OK
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
            unsafe stream.pointee.next_out = buffer.baseAddress
            unsafe stream.pointee.avail_out = UInt32(buffer.count)
            status = unsafe CUsherCurl.inflate(stream, Z_NO_FLUSH)
            count = unsafe buffer.count - Int(stream.pointee.avail_out)
        }
        return (piece, status)
    }
}
