// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherEventLoop
import UsherUpstream
import UsherWire

/// A movie whose title says which answer of the service brought it, on which page.
struct MadeUpMovie: Hashable {
    let id: Int64
    let answer: Int
    let page: Int

    /// Reads the title again: `12.3` is page 3, brought by the answer 12.
    init?(id: Int64, title: String) {
        let parts = title.split(separator: ".")
        guard parts.count == 2, let answer = Int(parts[0]), let page = Int(parts[1]) else {
            return nil
        }
        self.id = id
        self.answer = answer
        self.page = page
    }

    init?(_ movie: EncodedMovie) {
        let json = String(decoding: movie.json, as: UTF8.self)
        guard let start = json.firstRange(of: "\"title\":\"")?.upperBound else { return nil }
        self.init(id: movie.id, title: String(json[start...].prefix { $0 != "\"" }))
    }
}

/// The services behind the daemon: questions wait here until the walk answers them, in any order, or never.
final class Services {
    struct Question {
        let subject: Subject
        let number: Int
        let askedAt: UInt64
        /// Whether the service was replaced by a reload since.
        var isOld = false
        let answer: (Services, Chance) -> Void
    }

    enum Subject: Hashable {
        case user(Int64)
        case list(String)
    }

    static let lists: [MovieListName] = [.popular, .topRated]

    let ownUser: OwnUser
    private let trace: Trace
    /// Bytes of a movie's overview: with long ones a list does not fit a line.
    private let overviewBytes: Int
    private let pages: Int
    private(set) var questions: [Question] = []
    /// The ids of each page that was answered, by the number of the answer.
    private(set) var answers: [Int: [Int64]] = [:]
    /// Names that the directory gave.
    private(set) var names: Set<String> = []
    /// Whether a page came that may have held nothing new.
    private(set) var hasEmptyPages = false
    private var lastNumber = 0
    /// What went wrong: a question that should never have been asked.
    private(set) var complaint: String?

    init(_ chance: Chance, _ trace: Trace) {
        self.trace = trace
        ownUser = chance.percent(60) ? .peerUID : .fixed(7)
        overviewBytes = chance.percent(12) ? 9_000 : 0
        pages = 1 + chance.below(6)
    }

    /// The process is gone, and with it all connections to the services.
    func forget() { questions = [] }

    /// Asks for what the daemon asks for.
    fileprivate func ask(_ subject: Subject, _ answer: @escaping (Services, Chance) -> Void) {
        if questions.contains(where: { $0.subject == subject }) {
            complaint = "one fetch in flight: \(subject) was asked for again"
        }
        lastNumber += 1
        let now = Kernel.now
        questions.append(
            Question(subject: subject, number: lastNumber, askedAt: now, answer: answer))
    }

    /// Marks what is in flight as asked before a reload.
    func age() {
        for index in questions.indices { questions[index].isOld = true }
    }

    /// Answers one question.
    func answer(_ chance: Chance) {
        guard !questions.isEmpty else { return }
        let index = chance.below(questions.count)
        let question = questions.remove(at: index)
        if index > 0 { trace.count(.answeredOutOfOrder) }
        if question.isOld { trace.count(.answeredAfterReload) }
        if Kernel.now - question.askedAt > 5_000 {
            trace.count(.answeredLate)
        }
        trace.note("service", "answers \(question.subject)")
        question.answer(self, chance)
    }

    fileprivate func user(_ id: Int64, _ chance: Chance) -> Result<User, UpstreamError> {
        guard chance.percent(80) else {
            trace.count(.userFailed)
            return .failure(failure(chance))
        }
        lastNumber += 1
        let name = "F\(lastNumber)"
        names.insert(name)
        return .success(User(id: id, name: name, username: "u\(id)"))
    }

    fileprivate func page(
        _ page: Int, _ number: Int, _ chance: Chance
    ) -> Result<FetchedPage, UpstreamError> {
        if chance.percent(12) {
            trace.count(.pageFailed)
            return .failure(failure(chance))
        }
        if chance.percent(8) {
            trace.count(.endOfList)
            return .failure(UpstreamError(.endOfList, "no more"))
        }
        // A few of the page before come again, as lists shift while they are read.
        let count = chance.percent(5) ? 0 : 1 + chance.below(8)
        let first = max(0, (page - 1) * 6 - chance.below(3))
        let ids =
            (first..<first + count).map { Int64($0 + 1) } + (count > 2 ? [Int64(first + 2)] : [])
        if page > 1, first < (page - 1) * 6 { trace.count(.repeatedMovies) }
        answers[number] = ids
        if first + count <= (page - 1) * 6 + 2 { hasEmptyPages = true }
        let movies = ids.map { id in
            var movie = Movie(id: id, title: "\(number).\(page)")
            if overviewBytes > 0 { movie.overview = String(repeating: "o", count: overviewBytes) }
            return EncodedMovie(movie)
        }
        return .success(FetchedPage(page: page, pages: pages, movies: movies))
    }

    private func failure(_ chance: Chance) -> UpstreamError {
        chance.pick([
            UpstreamError(.timeout, "too late"), UpstreamError(.server(status: 500), "ill"),
            UpstreamError(.rateLimited, "too often", retryAfterMilliseconds: 1_000),
            UpstreamError(.notFound, "nobody"),
        ])
    }
}

/// The user directory of one process.
final class SimulatedUsers: UserDirectory {
    private let services: Services
    private var isClosed = false
    let counters = UpstreamCounters()

    init(_ services: Services) { self.services = services }

    var ownUser: OwnUser { services.ownUser }

    func fetch(_ id: Int64, completion: @escaping (Result<User, UpstreamError>) -> Void) {
        services.ask(.user(id)) { [self] services, chance in
            if !isClosed { completion(services.user(id, chance)) }
        }
    }

    func close() { isClosed = true }
}

/// The movie service of one process.
final class SimulatedMovies: MovieService {
    private let services: Services
    private var isClosed = false
    let counters = UpstreamCounters()
    let lists = Services.lists

    init(_ services: Services) { self.services = services }

    func fetch(
        _ list: MovieListName, page: Int,
        completion: @escaping (Result<FetchedPage, UpstreamError>) -> Void
    ) {
        let number = services.nextNumber
        services.ask(.list(list.rawValue)) { [self] services, chance in
            if !isClosed { completion(services.page(page, number, chance)) }
        }
    }

    func close() { isClosed = true }
}

extension Services {
    fileprivate var nextNumber: Int {
        lastNumber + 1
    }
}
