// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

extension RunningDaemon {
    /// The arguments that set limits.
    static func limits(_ limits: KeyValuePairs<String, Int>) -> [String] {
        limits.flatMap { ["--limit", "\($0.key)=\($0.value)"] }
    }

    /// A connection that asked for more than the kernel holds and reads nothing, when the daemon has noticed.
    func connectStalled(as name: String? = nil, seenBy observer: LineClient) throws -> LineClient {
        let client = try connect()
        if let name { _ = try client.hello(as: name) }
        let index = try observer.clients().count - 1
        for _ in 0..<200 { try client.send(largeRequest) }
        guard try eventually({ try observer.clients()[index]["unsent_bytes"].integer ?? 0 > 0 })
        else { throw TestFailure("all was sent to a client that reads nothing") }
        return client
    }
}

/// A request whose answer has many kilobytes.
let largeRequest = #"{"id":1,"method":"rpc.discover","params":{"method":"subscribe"}}"#

extension LineClient {
    /// Says hello as a program of this name, and gives the result.
    func hello(as name: String) throws -> JSON {
        try ask(#"{"id":0,"method":"hello","params":{"client":{"name":"\#(name)"}}}"#)["result"]
    }

    /// The clients as the daemon sees them, in the order in which they came.
    func clients() throws -> [JSON] { try ask("clients")["result", "items"].array }

    /// Part of what `stats` tells.
    func statistics(_ name: String) throws -> JSON { try ask("stats")["result"][name] }

    /// Asks until the daemon's clock has gone on, so that what follows is later than what went before.
    func letTimePass() throws {
        let start = try ask("ping")["result", "uptime_ms"].integer ?? 0
        while try ask("ping")["result", "uptime_ms"].integer ?? 0 <= start + 1 {}
    }

    /// Sends as much of some bytes as the socket takes at once.
    func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(
                descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        if count < 0, errno == EAGAIN { return 0 }
        guard count >= 0 else { throw TestFailure("send: errno \(errno)") }
        return count
    }

    /// Whether the daemon has closed this connection; reads and drops what comes before its end.
    func isCutOff() -> Bool {
        do {
            while try line() != nil {}
            return true
        } catch {
            // Reset, since the daemon had not read everything; or a line was cut off in the middle.
            return errno != EAGAIN
        }
    }
}

/// A user who is in no group of the system's.
let stranger = OtherPeer.User(54_321)
/// A group that is on no system.
let someGroup: UInt32 = 54_322
