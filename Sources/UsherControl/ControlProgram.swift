// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import UsherClient
internal import UsherOptions
internal import UsherWire

/// All of usherctl but the process around it.
@MainActor
package enum ControlProgram {
    /// Does what the arguments behind the program's name ask for.
    package static func run(
        _ arguments: [String], environment: [String: String]
    ) async -> ExitCode {
        receiveSignals()
        do {
            let invocation = try ArgumentParser.parse(arguments)
            switch invocation.command {
            case .help(let words): Output.standard.write(raw: Help.text(for: words))
            case .completions(let shell):
                Output.standard.write(raw: CommandTable.completions(for: shell))
            case .version: Output.standard.write(["usherctl \(productVersion)"])
            case .watch(let topics):
                try await Watch(topics, invocation.options, environment: environment).run()
            case .request(let request):
                return try await report(request, invocation.options, environment: environment)
            }
            return .success
        } catch let error as UsageError {
            return fail(Failure(error.message, .usage))
        } catch let error as ClientError {
            return fail(Failure(error))
        } catch let failure as Failure {
            return fail(failure)
        } catch {
            return fail(Failure("\(error)", .daemonRefused))
        }
    }

    /// Lets signals in that end a program: one that was started by a thread which keeps them from
    /// itself has inherited that.
    private static func receiveSignals() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func fail(_ failure: Failure) -> ExitCode {
        note(failure.message)
        return failure.exitCode
    }

    nonisolated static func note(_ message: String) {
        Output.error.write(["usherctl: \(message.sanitised)"])
    }

    private static func report(
        _ request: ControlRequest, _ options: Options, environment: [String: String]
    ) async throws -> ExitCode {
        let session = Session(options)
        let report = try await Spinner(environment: environment).turning(request.activity) {
            try await session.perform(request.name) { daemon in
                try await request.report(from: session.client, daemon: daemon, options: options)
            }
        }
        let output = Output.standard
        let style = Style(options.color, isTerminal: output.isTerminal, environment: environment)
        let width = output.isTerminal ? output.width(environment: environment) : nil
        if let format = options.format, let table = report.table {
            output.write(try format.lines(of: table))
        } else {
            output.write(
                report.lines(asJSON: options.isJSON, terminalWidth: width, style: style))
        }
        report.notes.forEach(note)
        if output.isTerminal, !options.isJSON { report.hints.forEach(note) }
        return report.exitCode
    }
}

extension ControlRequest {
    /// What the spinner says.
    fileprivate var activity: String {
        switch self {
        case .userFetch: "fetching the user"
        case .userRename: "renaming the user"
        case .moviesMore: "fetching the next page"
        default: "waiting for the daemon"
        }
    }

    /// What a message about the request calls it.
    fileprivate var name: String {
        switch self {
        case .status: "status"
        case .userGet: "user"
        case .userFetch: "user fetch"
        case .userRename: "user rename"
        case .moviesGet: "movies"
        case .moviesMore: "movies more"
        case .moviesRefresh: "movies refresh"
        case .ping: "ping"
        case .stats: "stats"
        case .metrics: "metrics"
        case .call(let method, _): method
        }
    }

    fileprivate func report(
        from client: UsherClient, daemon: Daemon, options: Options
    ) async throws(ClientError) -> Report {
        let list = MovieListName(rawValue: options.list)
        return switch self {
        case .status: try await .readStatus(from: client, daemon: daemon)
        case .userGet: try await .readUser(from: client)
        case .userFetch: try await .fetchUser(from: client)
        case .userRename(let name): try await .renameUser(to: name, at: client)
        case .moviesGet: try await .readMovies(list, limit: options.limit, from: client)
        case .moviesMore: try await .fetchMoreMovies(list, limit: options.limit, from: client)
        case .moviesRefresh: try await .refreshMovies(list, at: client)
        case .ping: try await .ping(client, daemon: daemon)
        case .stats: try await .stats(of: client)
        case .metrics: try await .metrics(of: client, daemon: daemon)
        case .call(let method, let parameters):
            try await .call(method, parameters: parameters, of: client)
        }
    }
}
