// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// One of the process's own streams, written to without a buffer of its own.
package struct Output: Sendable {
    let descriptor: Int32
    package let isTerminal: Bool

    package static let standard = Output(STDOUT_FILENO)
    package static let error = Output(STDERR_FILENO)

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// The width that is taken when neither terminal nor `COLUMNS` tells one.
    static let usualWidth = 80

    /// The columns of the terminal.
    func width(environment: [String: String]) -> Int {
        var size = winsize()
        let status = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        if status == 0, size.ws_col > 0 { return Int(size.ws_col) }
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 {
            return columns
        }
        return Self.usualWidth
    }

    /// Writes lines with one call, so that those of several threads do not mix, and waits until
    /// all is written.
    ///
    /// Does not return when standard output cannot be written; what went to standard error and
    /// could not be shown is let go.
    package func write(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        write(raw: lines.map { $0 + "\n" }.joined())
    }

    func write(raw text: String) {
        var text = text
        let failure = text.withUTF8 { bytes -> Int32? in
            var start = 0
            while start < bytes.count {
                let rest = unsafe UnsafeBufferPointer(rebasing: bytes[start...])
                let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count >= 0 {
                    start += count
                } else if errno == EAGAIN {
                    waitUntilWritable()
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
        if let failure, descriptor == STDOUT_FILENO { Self.give(up: failure) }
    }

    /// A terminal or pipe that another process made non-blocking.
    private func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
    }

    /// Ends the process: quietly when the reader has gone, as SIGPIPE does by default.
    static func give(up failure: Int32) -> Never {
        guard failure == EPIPE else {
            let reason = unsafe String(cString: strerror(failure))
            error.write(["usherctl: the output cannot be written: \(reason)"])
            _exit(ExitCode.outputFailed.rawValue)
        }
        end(by: SIGPIPE)
    }

    /// Ends the process by a signal, so that the parent sees that it was one.
    private static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        _exit(128 + number)
    }
}

extension Output {
    /// Ends the process as soon as the reader of standard output has gone, for a command that may
    /// have nothing to write for hours.
    static func endWhenReaderLeaves() {
        let thread = Thread {
            var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
            if entry.revents & Int16(POLLERR) != 0 { give(up: EPIPE) }
        }
        thread.start()
    }
}
