// Part of Usher. SPDX-License-Identifier: Apache-2.0

@testable import UsherClient

// What daemons send.

func userJSON(_ id: Int64, _ name: String) -> String {
    #"{"state":"loaded","user":{"id":\#(id),"name":"\#(name)","username":"u\#(id)","phone":null}}"#
}

func userReply(_ id: Int64, _ name: String) -> String {
    #"{"user":\#(id),"state":\#(userJSON(id, name)),"cursor":"00000000000000aa:1"}"#
}

func statusJSON(total: Int, phase: String = "idle") -> String {
    """
    {"phase":"\(phase)","page":1,"pages":5,"total":\(total),"complete":false}
    """
}

func itemsJSON(_ ids: Range<Int>) -> String {
    "[" + ids.map { #"{"id":\#($0),"title":"Film \#($0)"}"# }.joined(separator: ",") + "]"
}

func moviesReply(offset: Int, ids: Range<Int>, next: Int?, total: Int) -> String {
    """
    {"list":"popular","offset":\(offset),"items":\(itemsJSON(ids)),\
    "next":\(next.map(String.init) ?? "null"),"total":\(total),"complete":false,\
    "status":\(statusJSON(total: total)),"cursor":"00000000000000aa:1"}
    """
}

func changeJSON(
    _ operation: String, at start: Int, ids: Range<Int>, total: Int, phase: String = "idle"
) -> String {
    """
    {"op":"\(operation)","at":\(start),"items":\(itemsJSON(ids)),\
    "status":\(statusJSON(total: total, phase: phase))}
    """
}

extension Daemon {
    /// What the fake server says of itself.
    static let fake = Daemon(version: "0.1.0", role: "control", user: 1000)
}
