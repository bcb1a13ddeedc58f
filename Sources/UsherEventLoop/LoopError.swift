// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV
internal import Glibc

/// A system call or libuv operation that failed.
package struct LoopError: Error, Equatable, CustomStringConvertible {
    /// What was tried, with its object: `bind /run/usher/usher.sock`.
    package let operation: String
    /// The positive errno value.
    package let code: Int32

    package init(_ operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// The symbol of the code: `EADDRINUSE`.
    package var name: String {
        unsafe text { buffer, size in unsafe uv_err_name_r(-code, buffer, size) }
    }

    package var description: String {
        let message = unsafe text { buffer, size in unsafe uv_strerror_r(-code, buffer, size) }
        return "\(operation): \(message) (\(name))"
    }

    /// Lets one of libuv's two describers fill a buffer: the plain forms leak memory for codes
    /// unknown to them.
    private func text(
        _ fill: (UnsafeMutablePointer<CChar>?, Int) -> UnsafeMutablePointer<CChar>?
    ) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = unsafe fill(buffer.baseAddress, buffer.count) else { return "" }
            return unsafe String(cString: start)
        }
    }
}

extension LoopError {
    /// Names the operation that just set errno.
    static func last(_ operation: String) -> LoopError {
        LoopError(operation, code: errno)
    }

    /// Throws if a libuv call returned a negative code.
    static func check(_ status: Int32, _ operation: @autoclosure () -> String) throws(LoopError) {
        if status < 0 { throw LoopError(operation(), code: -status) }
    }
}
