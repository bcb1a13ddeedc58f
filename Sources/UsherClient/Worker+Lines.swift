// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension Worker {
    /// Finds out whose a line is; one that is nobody's is passed over.
    ///
    /// Throws at what cannot come from a sound daemon: then only a new connection helps.
    func handleLine(_ range: Range<Int>) throws(ClientError) {
        let bytes = framer.buffer
        guard String(validating: bytes[range], as: UTF8.self) != nil,
            let members = JSONMembers(of: bytes, in: range)
        else { throw WireDecoder.unexpected("a line that is no JSON object") }
        if members["method"] != nil {
            guard let params = members["params"] else { return }
            switch members.plainString("method") {
            case "event": try handlePush(Array(bytes[params]))
            case "health":
                let health: Health = try WireDecoder.reply(Array(bytes[params]))
                link.note(isDegraded: health.degraded)
            default: return
            }
        } else if let error = members["error"] {
            handleFailure(members.integer("id"), WireDecoder.error(bytes[error]))
        } else if let result = members["result"], let id = members.integer("id") {
            try handleResult(id, Array(bytes[result]))
        }
    }

    private func handleResult(_ id: Int, _ json: [UInt8]) throws(ClientError) {
        if link.complete(id, .success(json)) { return }
        switch expected.removeValue(forKey: id)?.answer {
        case .greeting: greeted(by: try (WireDecoder.reply(json) as HelloReply).daemon)
        case .subscription(let topic): try followers[topic]?.begin(json)
        case nil: break
        }
    }

    private func handleFailure(_ id: Int?, _ error: ClientError) {
        guard let id else {
            // Unasked, it comes right before the daemon hangs up.
            farewell = error
            return
        }
        if link.complete(id, .failure(error)) { return }
        switch expected.removeValue(forKey: id)?.answer {
        case .greeting: farewell = error
        case .subscription(let topic): refuse(topic, error)
        case nil: break
        }
    }

    private func handlePush(_ json: [UInt8]) throws(ClientError) {
        guard let name = JSONMembers(of: json)?.plainString("as"), let topic = topics[name],
            let follower = followers[topic]
        else { return }
        if try !follower.receive(json) { try startOver(follower) }
    }
}
