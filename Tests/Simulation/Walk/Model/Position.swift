// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// A cursor as a peer reads it.
struct Position: Equatable, CustomStringConvertible {
    let epoch: Epoch
    let revision: UInt64

    init(_ cursor: Value) throws(Violation) {
        guard let text = cursor.text, let cursor = Cursor(text) else {
            throw Violation("a cursor is missing: \(cursor.canonical)")
        }
        epoch = cursor.epoch
        revision = cursor.revision
    }

    init(epoch: Epoch, revision: UInt64) {
        self.epoch = epoch
        self.revision = revision
    }

    /// Which run of the daemon the revision was given out in: each run begins a new block.
    var run: UInt64 { revision >> 32 }

    /// Whether no run can have given it out.
    var isMadeUp: Bool { run > 1 << 20 }

    /// A position of the same history that nobody ever was at.
    var madeUp: Position { Position(epoch: epoch, revision: revision + 1 << 60) }

    var description: String { "\(epoch):\(revision)" }
}
