// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a simulated process finds outside of its loops: the time, and who is at the other end of a socket.
///
/// There is one, as there is for a real process, and one walk at a time uses it.
package enum Kernel {
    private static let clock = Atomic<UInt64>(0)
    /// Whether what runs now is to be taken for another thread than the loop's.
    private static let elsewhere = Atomic<Bool>(false)
    static let credentials = Mutex<[Int32: PeerCredentials]>([:])

    static var isElsewhere: Bool { elsewhere.load(ordering: .relaxed) }

    /// Milliseconds of the monotonic clock, which stands still until somebody sets it.
    package static var now: UInt64 {
        get { clock.load(ordering: .relaxed) }
        set { clock.store(newValue, ordering: .relaxed) }
    }

    /// Runs `body` as on another thread: what belongs to a loop is out of reach, except by its inbox.
    package static func onAnotherThread(_ body: () -> Void) {
        elsewhere.store(true, ordering: .relaxed)
        body()
        elsewhere.store(false, ordering: .relaxed)
    }
}
