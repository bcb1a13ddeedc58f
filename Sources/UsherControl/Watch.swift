// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherClient
internal import UsherStreams
internal import UsherWire

/// Shows topics as they are, and then each change, for as long as it is let.
///
/// Changes are written by the client's own thread, as they come. A reader that stops reading stops
/// that thread, and so the reading of the socket: the daemon then keeps what is owed in constant
/// memory, and the newest state follows once the reader goes on.
struct Watch: Sendable {
    private let topics: [WatchTopic]
    private let options: Options
    private let session: Session
    private let style: Style
    private let environment: [String: String]

    init(_ topics: [WatchTopic], _ options: Options, environment: [String: String]) {
        self.topics = topics
        self.options = options
        session = Session(options)
        let output = Output.standard
        style = Style(options.color, isTerminal: output.isTerminal, environment: environment)
        self.environment = environment
    }

    /// Returns only by an error: no daemon at the beginning, or one that went away if that is to
    /// be the end.
    func run() async throws {
        Output.endWhenReaderLeaves()
        let user = try await session.perform("watch") { _ in try await check() }
        let observations = topics.map { observe($0, user: user) }
        defer { observations.forEach { $0.cancel() } }
        try await followConnection()
    }

    /// Asks for each topic once, so that one that may not be read, or is not there, is an error.
    ///
    /// - Returns: The present state of the user, if it is to be shown.
    private func check() async throws(ClientError) -> UserState? {
        var user: UserState?
        for topic in topics {
            switch topic {
            case .user: user = try await session.client.readUser()
            case .movies(let list):
                _ = try await session.client.readMovies(
                    limit: 1, list: MovieListName(rawValue: list))
            case .engine: break
            }
        }
        return user
    }

    private func write(_ event: WatchEvent) {
        if let command = options.exec { return run(command, for: event) }
        let output = Output.standard
        guard !options.isJSON else { return output.write([event.json]) }
        // Asked for each time: the window may have another size by now.
        let width = output.isTerminal ? output.width(environment: environment) : nil
        output.write(event.lines(terminalWidth: width, style: style))
    }

    /// Runs a command for an event, and waits for it: the next event comes after it.
    private func run(_ command: String, for event: WatchEvent) {
        var environment = environment
        environment["USHER_TOPIC"] = event.topicName
        let status = ShellCommand(command, environment: environment).run(input: event.json + "\n")
        if status != 0 { ControlProgram.note("the command ended with \(status)") }
    }

    // MARK: Topics

    private func observe(_ topic: WatchTopic, user: UserState?) -> Subscription {
        switch topic {
        case .user: observeUser(from: user ?? .initial)
        case .movies(let list): observeMovies(MovieListName(rawValue: list))
        case .engine: session.client.engine.observe { write(.engine($0)) }
        }
    }

    /// Shows a state, and then those that differ from what was shown last.
    private func observeUser(from present: UserState) -> Subscription {
        write(.user(present))
        let shown = Shown(present)
        return session.client.user.observe { state in
            guard let old = shown.value(replacedBy: state), old != state else { return }
            write(.user(state))
        }
    }

    /// Shows a list once it is whole, and then what changes in it.
    private func observeMovies(_ name: MovieListName) -> Subscription {
        let shown = Shown<MovieList?>(nil)
        return session.client.movies(name).observe { list in
            // A long list comes in stretches; its status tells from the first how long it is.
            guard list.movies.count >= list.status.total,
                let old: MovieList? = shown.value(replacedBy: list),
                let event = WatchEvent(name, from: old, to: list)
            else { return }
            write(event)
        }
    }

    // MARK: The connection

    private func followConnection() async throws {
        let (states, sink) = AsyncStream.makeStream(of: ConnectionState.self)
        let observation = session.client.connection.observe { sink.yield($0) }
        defer { observation.cancel() }
        var isAway = false
        for await state in states {
            switch state {
            case .disconnected(let error):
                guard options.reconnects else { throw error }
                if !isAway {
                    ControlProgram.note("\(error.message); waiting for it to come back")
                }
                isAway = true
            case .connected:
                if isAway { ControlProgram.note("the daemon is back") }
                isAway = false
            case .connecting, .closed: break
            }
        }
    }
}

/// What was shown last of a topic.
///
/// The first value that an observer is called with is passed over: it is what the client's stream
/// held before it heard of the topic.
private final class Shown<Value: Sendable>: Sendable {
    private let state: Guarded<(value: Value, isPastFirst: Bool)>

    init(_ value: Value) {
        state = Guarded((value, false))
    }

    /// Keeps a new value and gives back the one before it; nil for the first call.
    func value(replacedBy new: Value) -> Value? {
        state.withLock { state in
            guard state.isPastFirst else {
                state.isPastFirst = true
                return nil
            }
            defer { state.value = new }
            return state.value
        }
    }
}
