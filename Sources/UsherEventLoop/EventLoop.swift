// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherUV
internal import Glibc
internal import Synchronization

/// A libuv event loop, and the thread that runs it.
///
/// Everything made `on` a loop belongs to its thread and asserts so; only `inbox` may be used by
/// others. The loop's thread is the one that made it, or the one that last called `run()`. It must
/// be closed before it is released.
///
/// Making a loop sets the process to ignore SIGPIPE: a reader that has vanished, were it that of
/// the log, must be an error (EPIPE) of who writes to it.
@safe
package final class EventLoop {
    /// The way in for other threads.
    package let inbox = Inbox()

    let uv: UnsafeMutablePointer<uv_loop_t>
    /// Where every connection of this loop receives: what was read is handed out and used up before
    /// the next read.
    let receiveBuffer: UnsafeMutablePointer<UInt8>
    let outputPool = OutputPool()
    let hangUps: HangUpWatch
    let turn: Turn
    private let thread: Atomic<UInt>
    private var isClosed = false

    /// What one read can bring; libuv's own suggestion.
    static let receiveBufferSize = 64 * 1024

    /// Makes a loop that belongs to the calling thread.
    package init() throws(LoopError) {
        signal(SIGPIPE, SIG_IGN)
        unsafe uv = .allocate(capacity: 1)
        let status = unsafe uv_loop_init(uv)
        guard status == 0 else {
            unsafe uv.deallocate()
            throw LoopError("uv_loop_init", code: -status)
        }
        unsafe receiveBuffer = .allocate(capacity: Self.receiveBufferSize)
        thread = Atomic(UInt(pthread_self()))
        turn = unsafe Turn(on: uv)
        hangUps = HangUpWatch()
        do {
            try unsafe inbox.open(on: uv)
            try unsafe hangUps.open(on: uv)
        } catch {
            close()
            throw error
        }
    }

    deinit {
        precondition(isClosed, "an EventLoop must be closed before it is released")
    }

    /// Whether the caller is on this loop's thread; callable from any thread.
    package var isCurrent: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Milliseconds of a monotonic clock, read once at the start of each turn.
    package var now: UInt64 {
        unsafe uv_now(uv)
    }

    /// Nanoseconds of the same monotonic clock, read now; callable from any thread.
    package static func monotonicNanoseconds() -> UInt64 {
        uv_hrtime()
    }

    /// Milliseconds of the longest turn since the last call: how long whatever happened had to wait
    /// at most until the loop looked at it.
    ///
    /// The turn at hand is not part of it. It is measured as the loop goes, without a timer: a loop
    /// with nothing to do sleeps.
    package func takeLongestTurn() -> UInt64 {
        assertCurrent()
        defer { turn.longest = 0 }
        return turn.longest
    }

    /// Microseconds for which a loop with nothing to do goes on looking before it sleeps, while peers
    /// are so quick that this pays; 0, the default, has it sleep at once.
    ///
    /// It yields the processor between two looks, and gives polling up where that makes it late.
    package var busyPollMicroseconds: UInt64 {
        get { turn.busyPoll.limit / 1_000 }
        set {
            assertCurrent()
            turn.busyPoll.limit = newValue * 1_000
        }
    }

    /// Runs turns until `stop()`; the last turn's output is sent before it returns.
    package func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        unsafe uv_update_time(uv)
        turn.woke()
        unsafe uv_run(uv, UV_RUN_DEFAULT)
        // A stop in the middle of a turn skips the rest of it.
        turn.end()
    }

    /// Lets `run()` return after this turn; called on the loop (other threads post a job that
    /// does).
    package func stop() {
        assertCurrent()
        unsafe uv_stop(uv)
    }

    /// Runs `body` once after this turn's callbacks and before its output is sent and the loop
    /// sleeps.
    ///
    /// What a body registers runs in the next turn, which then follows without sleeping.
    package func atEndOfTurn(_ body: @escaping () -> Void) {
        assertCurrent()
        turn.bodies.append(body)
    }

    /// Closes a loop that does not run, after every handle made on it was closed.
    ///
    /// Close callbacks run in here, and work still on the thread pool is waited for.
    package func close() {
        assertCurrent()
        precondition(!isClosed, "an EventLoop is closed once")
        turn.end()
        inbox.close()
        hangUps.close()
        turn.close()
        unsafe uv_walk(
            uv,
            { handle, _ in
                precondition(
                    unsafe uv_is_closing(handle) != 0,
                    "an EventLoop was closed with an open handle")
            }, nil)
        unsafe uv_run(uv, UV_RUN_DEFAULT)
        let status = unsafe uv_loop_close(uv)
        precondition(status == 0, LoopError("uv_loop_close", code: -status).description)
        isClosed = true
        unsafe uv.deallocate()
        unsafe receiveBuffer.deallocate()
    }

    /// Traps when a handle is used on a thread that is not its loop's.
    @inline(__always)
    func assertCurrent() {
        precondition(isCurrent, "used on a thread that is not the loop's")
    }
}
