// Part of Usher. SPDX-License-Identifier: Apache-2.0

// The lock decides who may touch a socket path: with it held, looking at what is there, removing it
// and binding anew cannot race with another daemon. The lock file stays when the daemon goes; the
// kernel drops the lock. Unlinking it would let two daemons lock two files of the same name.

internal import CUsherUV
internal import Glibc

/// The exclusive right to a socket path, held until dropped or until the process ends, however it
/// ends.
struct SocketLock: ~Copyable {
    private let descriptor: Int32

    /// Takes the lock of `path`, which is the file `path.lock`, and writes this process's number in
    /// it.
    init(for path: String) throws(UnixSocketError) {
        let file = path + ".lock"
        // Only the owner may open it: whoever can, can lock it.
        let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .failed(.last("open \(file)")) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = code == EWOULDBLOCK ? Self.holder(descriptor) : nil
            _ = close(descriptor)
            if code == EWOULDBLOCK { throw .owned(path, pid: holder) }
            throw .failed(LoopError("lock \(file)", code: code))
        }
        Self.writeNumber(getpid(), to: descriptor)
        self.descriptor = descriptor
    }

    deinit {
        _ = close(descriptor)
    }

    /// The number is information for people: if it cannot be written, the lock holds all the same.
    private static func writeNumber(_ pid: Int32, to descriptor: Int32) {
        let line = Array("\(pid)\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = unsafe pwrite(descriptor, line, line.count, 0)
    }

    /// The process that holds the lock; nil if it does not say.
    ///
    /// One that has just taken it may not have written its number yet: then there is none, or that of a process that
    /// is no more.
    private static func holder(_ descriptor: Int32) -> Int32? {
        for _ in 0..<numberReads {
            if let number = readNumber(descriptor), kill(number, 0) == 0 || errno != ESRCH {
                return number
            }
            usleep(numberReadMicroseconds)
        }
        return nil
    }

    /// How often the number is looked for, and how long the wait between is.
    private static let numberReads = 100
    private static let numberReadMicroseconds: UInt32 = 1_000

    private static func readNumber(_ descriptor: Int32) -> Int32? {
        var line = [UInt8](repeating: 0, count: 16)
        let size = unsafe pread(descriptor, &line, line.count, 0)
        let digits = line.prefix(max(size, 0)).prefix { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return Int32(String(decoding: digits, as: UTF8.self))
    }
}
