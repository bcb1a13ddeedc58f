// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import UsherCore
internal import UsherWire

/// The table of requests that carried a key: how rows get in and out.
struct RequestTable {
    private let addAboutUser: Statement
    private let addAboutList: Statement
    private let forgetOldest: Statement

    init(_ database: Database) throws(SQLiteFailure) {
        addAboutUser = try database.prepare(
            """
            INSERT INTO requests (uid, revision, key, digest, served_ms, answered,
                id, name, username, phone)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """)
        addAboutList = try database.prepare(
            """
            INSERT INTO requests (uid, revision, key, digest, served_ms, answered,
                list, place, count, phase, message, page, pages, total, complete)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            """)
        forgetOldest = try database.prepare(
            "DELETE FROM requests WHERE uid = ?1 AND revision <= ?2")
    }

    func add(_ request: AnsweredRequest) throws(SQLiteFailure) {
        switch request.answer {
        case .user(let user, let revision):
            try bind(request, answered: revision, to: addAboutUser)
            try addAboutUser.bind(7, user.id)
            try addAboutUser.bind(8, user.name)
            try addAboutUser.bind(9, user.username)
            try addAboutUser.bind(10, user.phone)
            try addAboutUser.run()
        case .movies(let list, let status, let revision, let offset, let count):
            try addAboutList.bind(8, Int64(offset))
            try addAboutList.bind(9, Int64(count))
            try add(request, answered: revision, list, status)
        case .moviesStatus(let list, let status, let revision):
            try addAboutList.bind(8, nil)
            try addAboutList.bind(9, nil)
            try add(request, answered: revision, list, status)
        }
    }

    func forget(_ requests: ForgottenRequests) throws(SQLiteFailure) {
        try forgetOldest.bind(1, Int64(requests.uid))
        try forgetOldest.bind(2, revision: requests.through)
        try forgetOldest.run()
    }

    private func add(
        _ request: AnsweredRequest, answered revision: UInt64, _ list: MovieListName,
        _ status: MovieListStatus
    ) throws(SQLiteFailure) {
        try bind(request, answered: revision, to: addAboutList)
        try addAboutList.bind(7, list.rawValue)
        try addAboutList.bind(10, status.phase.rawValue)
        try addAboutList.bind(11, status.message)
        try addAboutList.bind(12, Int64(status.page))
        try addAboutList.bind(13, Int64(status.pages))
        try addAboutList.bind(14, Int64(status.total))
        try addAboutList.bind(15, status.complete ? 1 : 0)
        try addAboutList.run()
    }

    private func bind(
        _ request: AnsweredRequest, answered revision: UInt64, to statement: Statement
    ) throws(SQLiteFailure) {
        try statement.bind(1, Int64(request.key.uid))
        try statement.bind(2, revision: request.revision)
        try statement.bind(3, request.key.text)
        try statement.bind(4, Int64(bitPattern: request.digest))
        try statement.bind(5, Int64(clamping: request.servedMilliseconds))
        try statement.bind(6, revision: revision)
    }

    // MARK: Loading

    static func load(from database: Database) throws(SQLiteFailure) -> [AnsweredRequest] {
        let rows = try database.prepare(
            """
            SELECT uid, revision, key, digest, served_ms, answered, id, name, username, phone,
                list, place, count, phase, message, page, pages, total, complete
            FROM requests ORDER BY uid, revision
            """)
        var requests: [AnsweredRequest] = []
        while try rows.step() {
            guard let uid = UInt32(exactly: rows.integer(0)),
                let served = UInt64(exactly: rows.integer(4))
            else { throw .corrupt("a request is of no one, or of before all time") }
            requests.append(
                AnsweredRequest(
                    key: RequestKey(uid: uid, text: rows.text(2)),
                    digest: UInt64(bitPattern: rows.integer(3)),
                    answer: try rows.answer(revision: try rows.revision(5)),
                    revision: try rows.revision(1), servedMilliseconds: served))
        }
        return requests
    }
}

extension Statement {
    fileprivate func answer(revision: UInt64) throws(SQLiteFailure) -> RequestAnswer {
        guard isNull(6) else { return .user(user(at: 6), revision: revision) }
        let list = MovieListName(rawValue: text(10))
        guard let phase = MovieListStatus.Phase(rawValue: text(13)) else {
            throw .corrupt("a request found a list in the phase \(text(13))")
        }
        let status = MovieListStatus(
            phase: phase, message: optionalText(14), page: Int(integer(15)),
            pages: Int(integer(16)), total: Int(integer(17)), complete: integer(18) != 0)
        guard !isNull(11) else { return .moviesStatus(list, status, revision: revision) }
        let offset = Int(integer(11))
        let count = Int(integer(12))
        guard offset >= 0, count >= 0, offset.addingReportingOverflow(count).overflow == false
        else { throw .corrupt("a request was answered movies that no list can have") }
        return .movies(list, status, revision: revision, offset: offset, count: count)
    }
}
