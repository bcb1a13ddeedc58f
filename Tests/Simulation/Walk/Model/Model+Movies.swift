// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension Model {
    /// Notes a whole list.
    func noteList(
        _ list: String, _ position: Position, _ movies: [MadeUpMovie], _ status: Value
    ) throws(Violation) {
        let topic = "movies/\(list)"
        guard position.revision > 0 else {
            return try Violation.require(movies.isEmpty, "\(topic) has movies without a revision")
        }
        let ids = movies.map { "\($0.id)@\($0.answer)" }.joined(separator: " ")
        try note(topic, position, body: "\(status.canonical) \(ids)")
        if topics[topic]?.movies[position.revision] != nil { return }
        try checkPages(topic, movies, status)
        try checkGenerations(topic, position.revision, movies)
        topics[topic]?.movies[position.revision] = movies
    }

    /// Notes that a page was answered to the one who asked for it.
    func acknowledgePage(
        _ list: String, _ position: Position, of movies: [MadeUpMovie]
    ) throws(Violation) {
        guard let answer = movies.first?.answer else { return }
        try Violation.require(
            disk.pages.contains(answer), "O8: the page of answer \(answer) is not on disk")
        acknowledgedPages[list, default: [:]][answer] = position.revision
    }

    /// A list is the pages of one generation, each as it was answered, without what had come before.
    private func checkPages(
        _ topic: String, _ movies: [MadeUpMovie], _ status: Value
    ) throws(Violation) {
        try Violation.require(
            status["total"].integer == Int64(movies.count), "L1: the total of \(topic) is wrong")
        var seen: Set<Int64> = []
        var page = 0
        var rest = movies[...]
        while let first = rest.first {
            page += 1
            try Violation.require(
                first.page == page || first.page > page && services.hasEmptyPages,
                "L1: \(topic) has page \(first.page) as its page \(page)")
            page = first.page
            let expected = (services.answers[first.answer] ?? []).filter {
                seen.insert($0).inserted
            }
            let found = rest.prefix { $0.answer == first.answer }
            try Violation.require(
                found.map(\.id) == expected, "L1: page \(page) of \(topic) is not what came")
            try Violation.require(
                disk.pages.contains(first.answer), "O8: page \(page) of \(topic) is not on disk")
            rest = rest.dropFirst(found.count)
        }
        let last = Int(status["page"].integer ?? -1)
        try Violation.require(
            last == page || last > page && services.hasEmptyPages,
            "L1: \(topic) has \(page) pages and says \(last)")
    }

    /// Lists grow, and begin anew from later answers only; what was acknowledged is there or was replaced.
    private func checkGenerations(
        _ topic: String, _ revision: UInt64, _ movies: [MadeUpMovie]
    ) throws(Violation) {
        // What was refused was not there in its own run.
        let known = (topics[topic]?.movies ?? [:]).filter { !disk.resurrected.contains($0.key) }
        if disk.resurrected.contains(revision) { return }
        let before = known.keys.filter { $0 < revision }.max().flatMap { known[$0] } ?? []
        let after = known.keys.filter { $0 > revision }.min().flatMap { known[$0] }
        try checkOrder(topic, before, movies)
        if let after { try checkOrder(topic, movies, after) }
    }

    private func checkOrder(
        _ topic: String, _ earlier: [MadeUpMovie], _ later: [MadeUpMovie]
    ) throws(Violation) {
        guard let first = earlier.first, let last = earlier.last else { return }
        guard let newFirst = later.first else {
            return try Violation.require(
                services.hasEmptyPages, "I1: \(topic) had movies and has none")
        }
        if newFirst.answer == first.answer {
            try Violation.require(
                later.starts(with: earlier), "L1: \(topic) lost or changed movies it had")
        } else {
            try Violation.require(
                newFirst.answer > last.answer,
                "L2: an older answer replaced a newer one in \(topic)")
        }
    }

    /// What was acknowledged is in the list as it is in the end, or a later generation took its place.
    func checkAcknowledgedPages(_ list: String) throws(Violation) {
        // A list that fits no line is known as a whole only to those who follow it.
        let known = topics["movies/\(list)"]?.movies ?? [:]
        guard let newest = known.keys.max(), let movies = known[newest] else { return }
        let there = Set(movies.map(\.answer))
        for (answer, revision) in acknowledgedPages[list] ?? [:]
        where revision <= newest && !there.contains(answer) {
            let isReplaced = movies.first.map { $0.answer > answer } ?? services.hasEmptyPages
            try Violation.require(
                isReplaced,
                "I1: the page of answer \(answer) of \(list) was acknowledged, and is gone")
        }
    }
}
