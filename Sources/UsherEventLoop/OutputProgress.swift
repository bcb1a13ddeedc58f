// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How far a peer has come with what was written to it: a moment to compare a later one with.
package struct OutputProgress: Equatable, Sendable {
    /// Bytes that the kernel has taken since the connection was made.
    let written: UInt64
    /// What of them it still holds, its bookkeeping included.
    let held: Int32

    /// Whether the peer has read something between an earlier moment and this one.
    ///
    /// The kernel tells it in steps: what was written at once counts when all of it was read, which
    /// is at most 64 KiB.
    package func isAhead(of earlier: OutputProgress) -> Bool {
        written > earlier.written || held < earlier.held
    }
}

extension Connection {
    /// How far the peer has come; costs one system call.
    package var outputProgress: OutputProgress {
        var held: Int32 = 0
        // Fails only on a closed connection, of which nobody asks.
        _ = unsafe ioctl(descriptor, UInt(TIOCOUTQ), &held)
        return OutputProgress(written: writtenBytes, held: held)
    }
}
