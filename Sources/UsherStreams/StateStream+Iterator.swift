// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension StateStream {
    /// One loop's place in the stream.
    ///
    /// It holds no value, however slow the loop is.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let wakeup = Wakeup()
        @usableFromInline let delivery: Delivery<Value, Value>
        @usableFromInline let registration: LoopRegistration<Value, Value>?
        @usableFromInline var seen: UInt64 = 0

        @inlinable
        init(over stream: StateStream) {
            delivery = stream.delivery
            registration = LoopRegistration(
                of: .wakeup(wakeup), in: delivery, keeping: stream)
        }

        /// The newest value as soon as it is another than the last one; nil after the end, and at
        /// once in a cancelled task.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while !Task.isCancelled {
                switch look() {
                case .value(let value, let version):
                    seen = version
                    return value
                case .end:
                    registration?.remove()
                    return nil
                case .nothingNew:
                    await wakeup.wait(isolation: actor)
                }
            }
            registration?.remove()
            return nil
        }

        @usableFromInline
        enum Sight: Sendable {
            case value(Value, version: UInt64)
            case end
            case nothingNew
        }

        @inlinable
        func look() -> Sight {
            delivery.state.withLock { state in
                if state.version != seen { return .value(state.kept, version: state.version) }
                return state.isFinished ? .end : .nothingNew
            }
        }
    }
}
