// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import UsherClient
internal import UsherWire

extension Report {
    /// How fast the daemon answers, on a connection that is made already.
    static func ping(
        _ client: UsherClient, daemon: Daemon
    ) async throws(ClientError) -> Report {
        let clock = ContinuousClock()
        let start = clock.now
        let uptime = try await client.ping()
        return ping(roundTrip: start.duration(to: clock.now), uptime: uptime, daemon: daemon)
    }

    package static func ping(roundTrip: Duration, uptime: Duration, daemon: Daemon) -> Report {
        let microseconds = roundTrip / .microseconds(1)
        let milliseconds = (microseconds / 1_000 * 1_000).rounded() / 1_000
        var table = Table([
            .init("ROUND TRIP", .right), .init("UPTIME", .right), .init("VERSION"), .init("ROLE"),
        ])
        table.append([
            "\(milliseconds) ms", uptime.inWords, daemon.version, daemon.role,
        ])
        let json = JSONWriter.text { writer in
            writer.raw("{\"round_trip_ms\":")
            writer.number(milliseconds)
            writer.raw(",\"uptime_ms\":")
            writer.integer(Int64(uptime / .milliseconds(1)))
            writer.raw(",\"version\":")
            writer.string(daemon.version)
            writer.raw(",\"role\":")
            writer.string(daemon.role)
            writer.raw("}")
        }
        return Report(table: table, json: json)
    }

    static func stats(of client: UsherClient) async throws(ClientError) -> Report {
        stats(try await client.stats())
    }

    /// Counters by their path, such as `requests.ping`, in alphabetical order.
    package static func stats(_ json: String) -> Report {
        var table = Table([.init("COUNTER", isFlexible: true), .init("VALUE", .right)])
        let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
        for (path, text) in value?.leaves ?? [] { table.append([path, text]) }
        return Report(table: value == nil ? nil : table, json: json)
    }

    /// The result of any method, as it came.
    static func call(
        _ method: String, parameters: String?, of client: UsherClient
    ) async throws(ClientError) -> Report {
        Report(json: try await client.call(method, params: parameters))
    }
}

extension Duration {
    /// The two largest units: `2 h 3 min`.
    var inWords: String {
        let seconds = components.seconds
        let units = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"),
        ]
        let words = (units + [(seconds % 60, "s")]).drop { $0.0 == 0 }.prefix(2)
            .map { "\($0.0) \($0.1)" }
        return words.isEmpty ? "0 s" : words.joined(separator: " ")
    }
}

/// JSON whose shape is not known beforehand.
enum JSONValue: Decodable {
    case object([String: JSONValue])
    case array([JSONValue])
    case scalar(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .array(elements)
        } else if let flag = try? container.decode(Bool.self) {
            self = .scalar(String(flag))
        } else if let number = try? container.decode(Int64.self) {
            self = .scalar(String(number))
        } else if let number = try? container.decode(Double.self) {
            self = .scalar(String(number))
        } else if container.decodeNil() {
            self = .scalar("")
        } else {
            self = .scalar(try container.decode(String.self))
        }
    }

    /// All values that hold no others, each with its path.
    var leaves: [(path: String, text: String)] {
        switch self {
        case .scalar(let text): [("", text)]
        case .array(let elements):
            elements.enumerated().flatMap { index, element in
                element.leaves(behind: String(index))
            }
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { $0.value.leaves(behind: $0.key) }
        }
    }

    private func leaves(behind key: String) -> [(path: String, text: String)] {
        leaves.map { ($0.path.isEmpty ? key : "\(key).\($0.path)", $0.text) }
    }
}
