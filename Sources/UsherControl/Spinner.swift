// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A sign on standard error that something is going on; nothing is left of it afterwards.
struct Spinner: Sendable {
    /// What is shorter than this needs no sign.
    static let delay = Duration.milliseconds(300)
    private static let interval = Duration.milliseconds(100)
    private static let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    /// To the line's beginning, and delete to its end.
    private static let erasure = "\r\u{1B}[K"

    let isShown: Bool
    let width: Int

    /// Only a terminal that can move its cursor is shown one.
    init(environment: [String: String]) {
        isShown = Output.error.isTerminal && environment["TERM"] != "dumb"
        width = Output.error.width(environment: environment)
    }

    /// Turns while the body runs, with a text that says what is waited for.
    func turning<Result: Sendable>(
        _ text: String, while body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard isShown else { return try await body() }
        let turning = Task { await turn(text) }
        defer { turning.cancel() }
        do {
            let result = try await body()
            await stop(turning)
            return result
        } catch {
            await stop(turning)
            throw error
        }
    }

    private func stop(_ turning: Task<Void, Never>) async {
        turning.cancel()
        await turning.value
    }

    private func turn(_ text: String) async {
        guard await pause(Self.delay) else { return }
        Self.eraseOnInterrupt()
        var frame = 0
        repeat {
            let line = "\(Self.frames[frame]) \(text.sanitised)…".truncated(toWidth: width - 1)
            Output.error.write(raw: "\r" + line)
            frame = (frame + 1) % Self.frames.count
        } while await pause(Self.interval)
        Output.error.write(raw: Self.erasure)
    }

    /// Whether it was waited for so long without being cancelled.
    private func pause(_ duration: Duration) async -> Bool {
        do {
            try await Task.sleep(for: duration)
            return true
        } catch {
            return false
        }
    }

    /// Takes the spinner away before an interrupt ends the process, unless interrupts are ignored.
    private static func eraseOnInterrupt() {
        var present = sigaction()
        guard unsafe sigaction(SIGINT, nil, &present) == 0,
            unsafe present.__sigaction_handler.sa_handler == nil
        else { return }
        signal(SIGINT) { number in
            let erasure: StaticString = "\r\u{1B}[K"
            _ = unsafe Glibc.write(STDERR_FILENO, erasure.utf8Start, erasure.utf8CodeUnitCount)
            signal(number, SIG_DFL)
            raise(number)
        }
    }
}
