// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import CUsherCurl
package import UsherEventLoop

/// HTTP requests on an event loop, by libcurl's multi-socket interface.
///
/// libcurl says which sockets to watch and when to call it again; the loop's polls and one timer do
/// that, so that an idle client costs nothing and a hanging service delays nobody. Names are looked
/// up on threads of libcurl's own. Everything happens on the loop's thread. It must be closed before
/// it is released.
@safe
package final class HTTPClient {
    /// Names a request in flight; never used again for another one.
    package struct RequestID: Sendable, Hashable {
        fileprivate let number: Int
    }

    package let limits: HTTPLimits
    private let loop: EventLoop
    private let identity: HTTPIdentity
    /// The folder of the system's certificates, where that is all it takes.
    private let systemTrust = SystemTrust.findFolder()
    private let multi: UnsafeMutableRawPointer
    private var timer: Timer?
    private var sockets: [Int32: WatchedSocket] = [:]
    private var transfers: [RequestID: CurlTransfer] = [:]
    private var lastNumber = 0
    private var isClosed = false

    package init(on loop: EventLoop, identity: HTTPIdentity, limits: HTTPLimits = HTTPLimits()) {
        self.loop = loop
        self.identity = identity
        self.limits = limits
        unsafe multi = CurlTransfer.makeMulti(connections: limits.connections)
        timer = Timer(on: loop) { [unowned self] in act(on: CURL_SOCKET_TIMEOUT, events: 0) }
        installCallbacks()
    }

    deinit {
        precondition(isClosed, "an HTTPClient must be closed before it is released")
    }

    /// Sends a request, with the limits' time or less.
    ///
    /// Completes once, on the loop, possibly before `get` returns; never after `cancel` or `close`.
    /// The completion may call anything, `close` too.
    @discardableResult
    package func get(
        _ request: HTTPRequest, withinMilliseconds time: UInt64 = .max,
        completion: @escaping (Result<HTTPResponse, UpstreamError>) -> Void
    ) -> RequestID {
        precondition(loop.isCurrent && !isClosed, "used off the loop or after close()")
        lastNumber += 1
        let id = RequestID(number: lastNumber)
        var limits = limits
        limits.tryMilliseconds = Int(clamping: min(UInt64(limits.tryMilliseconds), max(1, time)))
        let transfer = CurlTransfer(
            request, identity: identity, systemTrust: systemTrust, limits: limits,
            completion: completion)
        transfers[id] = transfer
        if let failure = unsafe transfer.start(on: multi) {
            transfers[id] = nil
            transfer.release()
            completion(.failure(failure))
        }
        return id
    }

    /// Abandons a request; it will not complete.
    ///
    /// No effect when it has.
    package func cancel(_ id: RequestID) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        unsafe transfer.stop(on: multi)
        transfer.release()
    }

    /// Abandons all requests and closes all connections; nothing completes after.
    ///
    /// May be called twice.
    package func close() {
        guard !isClosed else { return }
        precondition(loop.isCurrent, "used off the loop")
        isClosed = true
        for transfer in transfers.values {
            unsafe transfer.stop(on: multi)
            transfer.release()
        }
        transfers = [:]
        // Closing its connections, libcurl calls back one last time for each.
        unsafe curl_multi_cleanup(multi)
        sockets = [:]
        timer = nil
    }

    private func installCallbacks() {
        let context = unsafe pointer(to: self)
        unsafe usher_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        unsafe usher_curl_multi_set_socket_callback(multi) { _, socket, wish, context, _ in
            unsafe object(at: context, as: HTTPClient.self).watch(socket, for: wish)
            return 0
        }
        unsafe usher_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        unsafe usher_curl_multi_set_timer_callback(multi) { _, milliseconds, context in
            unsafe object(at: context, as: HTTPClient.self).wake(after: milliseconds)
            return 0
        }
    }

    /// Watches a socket as libcurl wishes, or no longer: libcurl closes it right after it said so.
    ///
    /// A socket that cannot be watched is left to the time limits, which end its request: telling
    /// libcurl of the failure would end every other request too.
    private func watch(_ socket: Int32, for wish: Int32) {
        guard wish != CURL_POLL_REMOVE else {
            sockets[socket] = nil
            return
        }
        if sockets[socket] == nil {
            sockets[socket] = try? WatchedSocket(socket, on: loop) { [unowned self] events in
                act(on: socket, events: events)
            }
        }
        var events: PollEvents = []
        if wish & CURL_POLL_IN != 0 { events.insert(.readable) }
        if wish & CURL_POLL_OUT != 0 { events.insert(.writable) }
        sockets[socket]?.poll.start(events)
    }

    /// Lets the timer call libcurl; never at once, since libcurl asks from within its own
    /// functions.
    private func wake(after milliseconds: Int) {
        guard milliseconds >= 0 else {
            timer?.stop()
            return
        }
        timer?.start(afterMilliseconds: UInt64(milliseconds))
    }

    private func act(on socket: Int32, events: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, socket, events, &running)
        completeFinished()
    }

    /// Hands out results, outside all of libcurl's functions; a completion may close the client.
    private func completeFinished() {
        var left: Int32 = 0
        while !isClosed, let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let code = unsafe message.pointee.data.result
            let handle = unsafe UInt(bitPattern: message.pointee.easy_handle)
            guard let (id, transfer) = transfers.first(where: { $0.value.handle == handle })
            else { continue }
            transfers[id] = nil
            unsafe transfer.stop(on: multi)
            let result = transfer.result(code)
            transfer.release()
            transfer.completion(result)
        }
    }
}

/// A dictionary cannot hold a handle that has one owner; it can hold this.
private final class WatchedSocket {
    let poll: Poll

    init(
        _ socket: Int32, on loop: EventLoop, _ body: @escaping (Int32) -> Void
    ) throws(LoopError) {
        poll = try Poll(on: loop, descriptor: socket) { events in
            var selected: Int32 = 0
            if events.contains(.readable) { selected |= CURL_CSELECT_IN }
            if events.contains(.writable) { selected |= CURL_CSELECT_OUT }
            if events.contains(.error) { selected |= CURL_CSELECT_ERR }
            body(selected)
        }
    }
}
