// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherCore
import UsherEventLoop
import UsherOptions
import UsherUpstream
import UsherWire

/// The services behind the daemon, made as its configuration says.
final class Upstreams {
    let users: any UserDirectory
    let movies: any MovieService
    /// Which user a peer means that names none.
    let ownUser: OwnUser
    private let log: Log
    private var inFlight = 0
    private var isRetired = false
    private(set) var isClosed = false

    init(
        _ configuration: Configuration, of parts: Parts, on loop: EventLoop, log: Log
    ) throws(StartError) {
        self.log = log
        do {
            try Self.checkCertificates(configuration.certificateFile)
            movies = try parts.movies(configuration, loop, log)
        } catch {
            throw StartError(error.message, status: StartError.misconfigured)
        }
        do {
            users = try parts.users(configuration, loop, log)
        } catch {
            movies.close()
            throw StartError(error.message, status: StartError.misconfigured)
        }
        ownUser =
            switch users.ownUser {
            case .peerUID: .peerUID
            case .fixed(let id): .fixed(configuration.ownUser ?? id)
            }
    }

    func fetchUser(_ id: Int64, completion: @escaping (Result<User, WireError>) -> Void) {
        inFlight += 1
        users.fetch(id) { [self] result in
            if case .failure(let error) = result { warn("user \(id)", error) }
            completion(result.mapError(WireError.init))
            ended()
        }
    }

    func fetchPage(
        _ list: MovieListName, _ page: Int,
        completion: @escaping (Result<FetchedMovies, WireError>) -> Void
    ) {
        inFlight += 1
        movies.fetch(list, page: page) { [self] result in
            switch result {
            case .success(let page) where page.droppedRows > 0:
                log.warning("\(list) page \(page.page): \(page.droppedRows) rows made no sense")
            case .success: break
            case .failure(let error): warn("\(list) page \(page)", error)
            }
            completion(
                result.map { FetchedMovies(pages: $0.pages, movies: $0.movies) }
                    .mapError(WireError.init))
            ended()
        }
    }

    /// Logs a failure, unless it is one of the many while a service is left alone: the log has why already.
    private func warn(_ what: String, _ error: UpstreamError) {
        if error.kind != .resting { log.warning("\(what): \(error.message)") }
    }

    /// Whether nothing is in flight.
    var isQuiet: Bool { inFlight == 0 }

    /// Closes as soon as nothing is in flight; others have taken over.
    func retire() {
        isRetired = true
        if inFlight == 0 { close() }
    }

    /// Abandons what is in flight.
    func close() {
        isClosed = true
        users.close()
        movies.close()
    }

    private func ended() {
        inFlight -= 1
        if isRetired, inFlight == 0 { close() }
    }

    /// Certificates that are no use are better told of now than with every request.
    private static func checkCertificates(_ path: String?) throws(UpstreamError) {
        guard let path else { return }
        switch SmallFile.read(path, limit: maximumCertificateBytes) {
        case .failure(let failure): throw failure.error(path, what: "the certificates")
        case .success(let file):
            let mark = Array("-----BEGIN CERTIFICATE-----".utf8)
            guard file.bytes.firstRange(of: mark) != nil else {
                throw UpstreamError(.configuration, "there is no certificate (PEM) in \(path)")
            }
        }
    }

    /// Bytes that a file of certificates may have; Debian's, with all there are, has a quarter of a million.
    private static let maximumCertificateBytes = 4 << 20

    /// A client for one service, of which the log calls it `name`.
    private static func fetcher(
        _ name: String, _ base: BaseURL, _ limits: HTTPLimits, _ configuration: Configuration,
        on loop: EventLoop, log: Log
    ) -> HTTPFetcher {
        var identity = HTTPIdentity(
            userAgent: "usherd/\(productVersion)", certificateFile: configuration.certificateFile)
        identity.proxy = configuration.proxy
        identity.ipVersion = configuration.ipVersion
        let environment = ProcessEnvironment.variables
        if let proxy = configuration.proxy.inUse(for: base, environment: environment) {
            identity.proxyName = proxy.name
            let exceptions = ["no_proxy", "NO_PROXY"].lazy.compactMap { environment[$0] }
                .first { !$0.isEmpty }
            log.notice(
                "\(name): requests to \(base.place) go through the proxy \(proxy.name) (\(proxy.source))"
                    + (exceptions.map { ", unless no_proxy names the host: \($0)" } ?? ""))
        }
        let client = HTTPClient(on: loop, identity: identity, limits: limits)
        let fetcher = HTTPFetcher(on: loop, client: client)
        fetcher.onCircuitChange = { log.notice("\(name): \($0)") }
        return fetcher
    }

    static func directory(
        _ configuration: Configuration, on loop: EventLoop, log: Log
    ) throws(UpstreamError) -> any UserDirectory {
        switch configuration.users {
        case .nss: return NSSUsers(on: loop)
        case .http(let address):
            let base = try BaseURL(address, purpose: "--users")
            let fetcher = fetcher(
                "users", base, configuration.upstreamLimits.users, configuration, on: loop, log: log
            )
            return HTTPUsers(fetcher: fetcher, base: base, ownUser: 1)
        case .demo:
            return DemoUsers(
                on: loop, delaySeconds: configuration.demoDelaySeconds,
                failureRate: configuration.demoFailureRate, seed: configuration.demoSeed)
        }
    }

    static func service(
        _ configuration: Configuration, on loop: EventLoop, log: Log
    ) throws(UpstreamError) -> any MovieService {
        switch configuration.movies {
        case .sample: return SampleMovies()
        case .file(let path): return FileMovies(on: loop, path: path)
        case .tmdb(let address):
            let environment = ProcessEnvironment.variables
            let found = try TMDBKey.find(
                credentialsDirectory: environment["CREDENTIALS_DIRECTORY"],
                file: configuration.tmdbKeyFile, environment: environment)
            guard let found else { throw missingKey }
            if let warning = found.warning { log.warning(warning) }
            let base = try BaseURL(address ?? TMDBMovies.defaultBaseURL, purpose: "--movies")
            let fetcher = fetcher(
                "movies", base, configuration.upstreamLimits.movies, configuration, on: loop,
                log: log)
            return TMDBMovies(fetcher: fetcher, base: base, key: found.key)
        }
    }

    private static let missingKey = UpstreamError(
        .configuration,
        "TMDB needs a key: give it as the credential \(TMDBKey.credentialName), in a file named by "
            + "--tmdb-key-file, or in \(TMDBKey.variableName)")
}

extension WireError {
    /// What peers are told of a service's failure.
    fileprivate init(_ error: UpstreamError) {
        let reason: ErrorReason =
            switch error.kind {
            case .notFound: .notFound
            case .endOfList: .endOfList
            case .timeout: .timeout
            case .unauthorized: .upstreamAuth
            default: .upstreamFailed
            }
        self.init(
            reason, error.message, retryAfterMilliseconds: error.retryAfterMilliseconds)
    }
}
