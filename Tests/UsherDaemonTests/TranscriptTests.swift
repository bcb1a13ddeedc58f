// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// The documents cannot rot: every transcript in them is played to the real daemon.
@Suite(.timeLimit(.minutes(5))) struct `The documents' transcripts` {
    @Test(arguments: try Document.transcripts().filter { !$0.needsRoot })
    func `are what the daemon says`(transcript: Transcript) throws {
        try play(transcript)
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can connect as another user"),
        arguments: try Document.transcripts().filter { $0.needsRoot })
    func `are what the daemon says to another user`(transcript: Transcript) throws {
        try play(transcript)
    }

    private func play(_ transcript: Transcript) throws {
        let discovery = try JSON(parsing: Document("proto-docs/openrpc.json").text)
        try TranscriptPlayer(transcript, discovery: discovery).play()
    }

    @Test func `are there for every method`() throws {
        let asked = try Document.transcripts().flatMap(\.steps).compactMap { step -> String? in
            guard case .send(let line) = step.action else { return nil }
            return line
        }
        let discovery = try JSON(parsing: Document("proto-docs/openrpc.json").text)
        for method in discovery["methods"].array.compactMap({ $0["name"].string }) {
            #expect(asked.contains { $0.contains("\"method\":\"\(method)\"") }, "\(method)")
        }
    }

    @Test(arguments: [
        ("<cursor>", "0123456789abcdef:", false), ("<cursor>", "0123456789abcdef:12", true),
        ("a<number>b", "a1b", true), ("a<number>b", "ab", false), ("a<number>b", "a1c", false),
        ("<2 movies>", #"{"a":"}"},{"b":{}}"#, true), ("<2 movies>", #"{"a":"}"}"#, false),
        ("<number-a> <number-a>", "1 1", true), ("<number-a> <number-a>", "1 2", false),
        ("<object>.", #"{"a":"\"}"}."#, true), ("<what>", "what", false), ("ab", "abc", false),
    ])
    func `are compared as they say`(pattern: String, line: String, fits: Bool) throws {
        var memory: [String: String] = [:]
        let result = Result { try TranscriptPattern(pattern).match(line, &memory) }
        #expect(((try? result.get()) != nil) == fits)
    }
}
