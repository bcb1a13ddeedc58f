// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A part of Usher that reads what strangers send, and is therefore fuzzed.
///
/// The names are those of the folders with the corpora.
enum FuzzTarget: String, CaseIterable {
    /// Bytes of a connection: framing, JSON, and binding to methods.
    case requests
    /// Names of revisions and topics.
    case cursors
    /// Lines that people type.
    case shorthand
    /// What movie and user services answer.
    case upstream
    /// What the daemon writes.
    case text

    func makeOracle() -> any Oracle {
        switch self {
        case .requests: RequestOracle()
        case .cursors: CursorOracle()
        case .shorthand: ShorthandOracle()
        case .upstream: UpstreamOracle()
        case .text: TextOracle()
        }
    }
}

/// Says of any input whether the code under test did what it should.
///
/// The fuzzer asks an oracle about inputs that it makes up, the tests about those that are kept. One oracle sees many
/// inputs after each other, as a connection's parser does.
protocol Oracle {
    func check(_ input: [UInt8]) throws(Finding)
}

/// What the code under test did wrong.
struct Finding: Error, CustomStringConvertible {
    let description: String
}

/// Throws a finding unless the condition holds.
func require(
    _ condition: Bool, _ finding: @autoclosure () -> String
) throws(Finding) {
    if !condition { throw Finding(description: finding()) }
}

/// Bytes as a person can read them.
func shown(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes.prefix(400), as: UTF8.self).debugDescription
}
