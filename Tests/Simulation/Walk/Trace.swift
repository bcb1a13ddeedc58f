// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherEventLoop

/// What happened in a walk: a fingerprint always, and the text if somebody wants to read it.
final class Trace {
    let isShown: Bool
    var tally = Tally()
    /// FNV-1a of all that was noted; two walks of one seed have the same.
    private(set) var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

    init(isShown: Bool) { self.isShown = isShown }

    func count(_ fault: Fault) {
        tally.count(fault)
        if isShown { show("fault", fault.rawValue) }
    }

    /// Notes a step of the walk.
    func note(_ who: String, _ what: @autoclosure () -> String) {
        guard isShown else { return }
        show(who, what())
    }

    /// Notes bytes that came out of the daemon.
    func note(_ who: String, received line: [UInt8]) {
        for byte in line { fingerprint = (fingerprint ^ UInt64(byte)) &* 0x100_0000_01B3 }
        if isShown { show(who, "<  " + String(decoding: line, as: UTF8.self)) }
    }

    private func show(_ who: String, _ what: String) {
        let time = Kernel.now - World.birth
        say("\(time) ms\t\(who)\t\(what.count > 400 ? what.prefix(400) + "…" : what)")
    }
}
