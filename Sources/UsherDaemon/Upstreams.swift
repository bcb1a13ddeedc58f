// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import UsherCore
import UsherEventLoop
import UsherUpstream
import UsherWire

/// The services behind the daemon, made as its configuration says.
struct Upstreams {
    let users: any UserDirectory
    let movies: any MovieService
    private let log: Log

    init(
        _ configuration: Configuration, on loop: EventLoop, log: Log
    ) throws(StartError) {
        self.log = log
        let identity = HTTPIdentity(
            userAgent: "usherd/\(version)", certificateFile: configuration.certificateFile)
        do {
            users = try Self.directory(configuration, identity, on: loop)
            movies = try Self.service(configuration, identity, on: loop, log: log)
        } catch {
            throw StartError(error.message, status: StartError.misconfigured)
        }
    }

    func fetchUser(_ id: Int64, completion: @escaping (Result<User, WireError>) -> Void) {
        users.fetch(id) { [log] result in
            if case .failure(let error) = result { log.warning("user \(id): \(error.message)") }
            completion(result.mapError(WireError.init))
        }
    }

    func fetchPage(
        _ list: MovieListName, _ page: Int,
        completion: @escaping (Result<FetchedMovies, WireError>) -> Void
    ) {
        movies.fetch(list, page: page) { [log] result in
            switch result {
            case .success(let page) where page.droppedRows > 0:
                log.warning("\(list) page \(page.page): \(page.droppedRows) rows made no sense")
            case .success: break
            case .failure(let error): log.warning("\(list) page \(page): \(error.message)")
            }
            completion(
                result.map { FetchedMovies(pages: $0.pages, movies: $0.movies) }
                    .mapError(WireError.init))
        }
    }

    func close() {
        users.close()
        movies.close()
    }

    private static func directory(
        _ configuration: Configuration, _ identity: HTTPIdentity, on loop: EventLoop
    ) throws(UpstreamError) -> any UserDirectory {
        switch configuration.users {
        case .nss: NSSUsers(on: loop)
        case .http(let address):
            HTTPUsers(
                on: loop, base: try BaseURL(address, purpose: "--users"), identity: identity,
                ownUser: configuration.ownUser ?? 1)
        case .demo:
            DemoUsers(
                on: loop, delaySeconds: configuration.demoDelaySeconds,
                failureRate: configuration.demoFailureRate, seed: configuration.demoSeed,
                ownUser: configuration.ownUser ?? 0)
        }
    }

    private static func service(
        _ configuration: Configuration, _ identity: HTTPIdentity, on loop: EventLoop, log: Log
    ) throws(UpstreamError) -> any MovieService {
        switch configuration.movies {
        case .sample: return SampleMovies()
        case .file(let path): return FileMovies(on: loop, path: path)
        case .tmdb(let address):
            let environment = ProcessInfo.processInfo.environment
            let key = try TMDBKey.find(
                credentialsDirectory: environment["CREDENTIALS_DIRECTORY"],
                file: configuration.tmdbKeyFile, environment: environment)
            for note in key.notes { log.warning(note) }
            return try TMDBMovies(on: loop, key: key, address: address, identity: identity)
        }
    }
}

extension WireError {
    /// What peers are told of a service's failure.
    fileprivate init(_ error: UpstreamError) {
        let reason: ErrorReason =
            switch error.kind {
            case .notFound: .notFound
            case .endOfList: .endOfList
            case .timeout: .timeout
            default: .upstreamFailed
            }
        self.init(
            reason, error.message, retryAfterMilliseconds: error.retryAfterMilliseconds)
    }
}
