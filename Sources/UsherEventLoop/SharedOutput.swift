// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// Output that goes to many connections, kept once for all of them.
///
/// Pieces are appended, and each is given to its connections before the next one is. Those that get
/// several in a row, and have nothing else to send, send them from here, uncopied.
package final class SharedOutput {
    fileprivate var bytes = OutputBuffer()
    /// Where the last piece begins.
    private(set) var lastPiece = 0

    /// With more bytes in it another one is begun, so that a burst's memory is not kept.
    static let largestReused = 64 * 1024

    package init() {}

    var count: Int { bytes.count }

    /// Appends one piece, in two parts.
    package func append(_ first: [UInt8], _ second: [UInt8]) {
        lastPiece = count
        bytes.append(first)
        bytes.append(second)
    }

    /// Makes room: empties an output that no connection sends from any more, and gives up a large one.
    package static func renew(_ output: inout SharedOutput) {
        if output.count > largestReused {
            output = SharedOutput()
        } else if isKnownUniquelyReferenced(&output) {
            output.bytes.truncate(to: 0)
        }
    }
}

/// The pieces of a shared output that one connection sends.
struct SharedPart {
    let output: SharedOutput
    private let start: Int
    var end: Int

    init(lastOf output: SharedOutput) {
        self.output = output
        start = output.lastPiece
        end = output.count
    }

    var count: Int { end - start }

    /// Lends the bytes.
    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        output.bytes.withBytes { body($0.extracting(start..<end)) }
    }
}
