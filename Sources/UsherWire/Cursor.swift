// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A random name of one history of revisions: 16 lower-case hexadecimal digits.
///
/// It lives as long as the stored state does, and is new whenever history was lost.
package struct Epoch: Sendable, Hashable, CustomStringConvertible {
    package let value: UInt64

    package init(value: UInt64) { self.value = value }

    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.length,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let value = UInt64(text, radix: 16)
        else { return nil }
        self.value = value
    }

    /// Digits of the text form.
    package static let length = 16

    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: Self.length - digits.utf8.count) + digits
    }
}

/// A point in a topic's history, written `epoch:revision`; opaque to peers.
package struct Cursor: Sendable, Hashable, CustomStringConvertible {
    package let epoch: Epoch
    package let revision: UInt64

    package init(epoch: Epoch, revision: UInt64) {
        self.epoch = epoch
        self.revision = revision
    }

    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = Epoch(parts[0]),
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            parts[1] == "0" || parts[1].utf8.first != 0x30, let revision = UInt64(parts[1])
        else { return nil }
        self.init(epoch: epoch, revision: revision)
    }

    package var description: String { "\(epoch):\(revision)" }
}
