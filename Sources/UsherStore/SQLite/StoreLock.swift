// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import UsherWire

/// The file beside the store, `PATH.lock`, that one process holds; and what it remembers of the store.
///
/// Two daemons that start at once would each keep the other from SQLite's exclusive lock, and both would give up. So
/// this lock decides first, before the loser has touched the store. It is never unlinked: who unlinks a lock file lets
/// in two owners.
///
/// Its text is the holder's process and, since that outlives the store's being replaced by an older copy of itself, the
/// epoch with the highest revision that was ever reserved in it.
final class StoreLock {
    /// An epoch, and the highest revision that may have been used in it.
    struct Witness: Equatable {
        let epoch: Epoch
        let reservedThrough: UInt64
    }

    /// What the last holder left; nil for a new file.
    let witness: Witness?
    private let descriptor: Int32
    private let isHeld: Bool

    /// Takes the lock of the store at `path`, or tells at once who has it.
    init(of path: String) throws(StoreError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        descriptor = unsafe Glibc.open(path + ".lock", flags, 0o600)
        if descriptor < 0 { throw StoreFile.failure(path + ".lock") }
        isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        let failure = isHeld || errno == EWOULDBLOCK ? nil : StoreFile.failure(path + ".lock")
        let text = Self.read(descriptor)
        witness = Self.witness(in: text)
        if !isHeld {
            let holder = text.first.flatMap { pid_t($0) }.map { "pid \($0)" } ?? "locked"
            throw failure ?? StoreError(.locked, path: path, detail: holder)
        }
        if let witness { remember(witness) }
    }

    deinit {
        // To close is not enough: a process that is being forked has the descriptor too, until it runs its program.
        if isHeld { flock(descriptor, LOCK_UN) }
        Glibc.close(descriptor)
    }

    /// Leaves this process's number and the witness for the next holder.
    ///
    /// The text has a fixed length and is written over the one before, so that a full disk cannot lose it. A failure is
    /// not told: the lock is as good without, and an older witness only notices less.
    func remember(_ witness: Witness) {
        let reserved = Self.padded(witness.reservedThrough)
        let text = Array("\(Self.padded(UInt64(getpid()))) \(witness.epoch) \(reserved)\n".utf8)
        unsafe pwrite(descriptor, text, text.count, 0)
        fdatasync(descriptor)
    }

    private static func read(_ descriptor: Int32) -> [Substring] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return text.split(whereSeparator: { $0 == " " || $0 == "\n" })
    }

    private static func witness(in text: [Substring]) -> Witness? {
        guard text.count == 3, let epoch = Epoch(text[1]), let reserved = UInt64(text[2]) else {
            return nil
        }
        return Witness(epoch: epoch, reservedThrough: reserved)
    }

    private static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.utf8.count) + digits
    }
}
