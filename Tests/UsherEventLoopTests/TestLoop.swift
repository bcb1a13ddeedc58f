// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Both, because either may be the one that owns the C structures which they share.
import CUsherUV
import Testing

@testable import UsherEventLoop

/// Gives `body` a fresh loop and closes it, which fails the process if a handle was left open.
func withLoop(_ body: (EventLoop) throws -> Void) throws {
    let loop = try EventLoop()
    defer { loop.close() }
    try body(loop)
}

extension EventLoop {
    /// Runs until `stop()`, or records an issue when that does not come.
    func runUntilStopped(
        within milliseconds: UInt64 = 20_000, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let deadline = Timer(on: self) { [unowned self] in
            Issue.record("the loop was not stopped in time", sourceLocation: sourceLocation)
            stop()
        }
        deadline.start(afterMilliseconds: milliseconds)
        run()
    }

    /// Runs until a condition holds at the end of a turn.
    func run(
        sourceLocation: SourceLocation = #_sourceLocation, until condition: @escaping () -> Bool
    ) {
        let watch = Timer(on: self) { [unowned self] in
            if condition() { stop() }
        }
        watch.start(afterMilliseconds: 0, repeatingMilliseconds: 1)
        runUntilStopped(sourceLocation: sourceLocation)
    }

    /// How many turns it takes while nothing is done for a while: one for the clock's sake, and what is watched in vain.
    func turnsOfRest() -> Int {
        let before = turn.count
        let timer = Timer(on: self) { [unowned self] in stop() }
        timer.start(afterMilliseconds: 50)
        runUntilStopped()
        return turn.count - before
    }

    /// Runs so many turns, or records an issue when the loop sleeps for long before.
    func run(turns: Int) {
        var left = turns
        let count = Callback { [unowned self] in
            left -= 1
            if left == 0 { stop() }
        }
        let check = unsafe allocate(uv_check_t.self, context: count)
        unsafe uv_check_init(uv, check)
        unsafe uv_check_start(check) { handle in
            unsafe withContext(handle?.pointee.data, as: Callback<() -> Void>.self) { $0.body() }
        }
        runUntilStopped()
        unsafe closeHandle(check)
    }

    /// Runs one whole turn that does not sleep: what is ready is dealt with, and output sent.
    func turnOnce() {
        let timer = Timer(on: self) { [unowned self] in stop() }
        timer.start(afterMilliseconds: 0)
        runUntilStopped()
    }
}

/// What happened, in order.
final class Record {
    var entries: [String] = []
    var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }

    func note(_ entry: String) {
        entries.append(entry)
    }

    func append(_ span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Notes all that a connection says.
    func follow(_ connection: Connection, as name: String = "") {
        connection.onRead = { [self] in append($0) }
        connection.onEnd = { [self] in note(name + "end") }
        connection.onDrain = { [self] in note(name + "drain") }
        connection.onClose = { [self] in note(name + $0.summary) }
    }
}

extension CloseReason {
    var summary: String {
        switch self {
        case .local: "closed"
        case .hangUp: "hang-up"
        case .failed(let error): error.name
        }
    }
}

/// Bytes that tell their position, so that a lost or doubled piece shows.
func pattern(_ size: Int) -> [UInt8] {
    Array(longPattern.prefix(size))
}

private let longPattern: [UInt8] = {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 << 20)
    for position in 0..<(2 << 20) / 4 {
        let step = UInt32(truncatingIfNeeded: position &* 2_654_435_761)
        unsafe withUnsafeBytes(of: step) { unsafe bytes.append(contentsOf: $0) }
    }
    return bytes
}()
