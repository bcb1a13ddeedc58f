// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherClient

/// One command's connection to the daemon.
struct Session: Sendable {
    let client: UsherClient
    let options: Options

    init(_ options: Options) {
        self.options = options
        var times = UsherClient.Options()
        // `withinTimeout` is what ends a command; the client's own limits only must not be earlier.
        let timeout = options.timeout > 0 ? options.timeout + 1 : Options.longestTimeout * 365
        times.requestTimeout = .seconds(timeout)
        times.greetingTimeout = max(times.greetingTimeout, .seconds(min(timeout, 60)))
        client = UsherClient(socket: options.socketPath, name: "usherctl", options: times)
    }

    /// Waits until the daemon has greeted; a connection that cannot be made at once is an error.
    func connected() async throws -> Daemon {
        for await state in client.connection {
            switch state {
            case .connected(let daemon): return daemon
            case .disconnected(let error): throw error
            case .connecting, .closed: break
            }
        }
        throw CancellationError()
    }

    /// Does something that needs a connection, and gives up when the time is over or the daemon is
    /// gone and does not come back at once; the message about the time names the command.
    func perform<Result: Sendable>(
        _ command: String, _ body: @escaping @Sendable (Daemon) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup { group in
            group.addTask { try await body(try await connected()) }
            group.addTask { throw try await goneForGood() }
            group.addTask { throw try await timeIsOver(for: command) }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    /// Returns when a lost connection could not be made again at the first attempt.
    ///
    /// The client sends what may be repeated again on a new connection, which covers a restart of
    /// the daemon, but would try for as long as the time-out allows.
    private func goneForGood() async throws -> Failure {
        var wasConnected = false
        for await state in client.connection {
            switch state {
            case .connected: wasConnected = true
            case .disconnected(let error):
                if !wasConnected { return Failure(error) }
                wasConnected = false
            case .connecting, .closed: break
            }
        }
        throw CancellationError()
    }

    private func timeIsOver(for command: String) async throws -> Failure {
        let isLimited = options.timeout > 0
        try await Task.sleep(
            for: .seconds(isLimited ? options.timeout : Options.longestTimeout * 365))
        return .timedOut(command, after: options.timeout)
    }
}
