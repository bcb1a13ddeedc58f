// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import UsherEventLoop

/// One at a time: the umask belongs to the process.
@Suite(.serialized) struct UnixSocketTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("s")
    }

    @Test func `A socket can be connected to, and its credentials read`() throws {
        let socket = try UnixSocket(at: path, mode: 0o600)
        let peer = try #require(Peer(connectingTo: path))
        #expect(try PeerCredentials(of: peer.descriptor).pid == getpid())
        _ = consume socket
    }

    @Test(arguments: [0o000, 0o022, 0o077] as [mode_t], [0o600, 0o660, 0o666, 0o622] as [UInt32])
    func `The mode is exact under any umask, which is left as it was`(
        _ mask: mode_t, _ mode: UInt32
    ) throws {
        let former = umask(mask)
        defer { umask(former) }
        let socket = try UnixSocket(at: path, mode: mode)
        #expect(umask(mask) == mask)
        #expect(try self.mode(of: path)?.uint32Value == mode)
        #expect(try self.mode(of: path + ".lock") == 0o600)
        _ = consume socket
    }

    @Test func `The group is set`() throws {
        let group = try #require(ownGroups().last)
        let socket = try UnixSocket(at: path, mode: 0o660, group: group)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.groupOwnerAccountID] as? NSNumber)?.uint32Value == group)
        #expect(try mode(of: path) == 0o660)
        _ = consume socket
    }

    @Test func `The folder is made, with its exact mode, but only the last`() throws {
        let former = umask(0o077)
        defer { umask(former) }
        let inner = folder.file("run/s")
        let socket = try UnixSocket(at: inner, mode: 0o666)
        #expect(try mode(of: folder.file("run")) == 0o755)
        _ = consume socket
        #expect(
            throws: UnixSocketError.failed(
                LoopError("make the folder \(folder.file("a/b"))", code: ENOENT))
        ) {
            _ = try UnixSocket(at: folder.file("a/b/s"), mode: 0o666)
        }
    }

    @Test func `A second daemon is refused, and told the pid of the first`() throws {
        let socket = try UnixSocket(at: path, mode: 0o600)
        let error = #expect(throws: UnixSocketError.owned(path, pid: getpid())) {
            _ = try UnixSocket(at: path, mode: 0o600)
        }
        #expect(error?.description == "another usherd (pid \(getpid())) serves \(path)")
        #expect(Peer(connectingTo: path) != nil)
        _ = consume socket
    }

    @Test func `A stranger that answers is refused and left alone`() throws {
        let stranger = try UnixSocket(at: path, mode: 0o600)
        try FileManager.default.removeItem(atPath: path + ".lock")
        #expect(throws: UnixSocketError.answered(path)) {
            _ = try UnixSocket(at: path, mode: 0o600)
        }
        #expect(Peer(connectingTo: path) != nil)
        _ = consume stranger
    }

    @Test func `A stranger with a full backlog is alive too`() throws {
        let stranger = try UnixSocket(at: path, mode: 0o600, backlog: 0)
        try FileManager.default.removeItem(atPath: path + ".lock")
        let waiting = Peer(connectingTo: path)
        #expect(throws: UnixSocketError.answered(path)) {
            _ = try UnixSocket(at: path, mode: 0o600)
        }
        withExtendedLifetime(waiting) {}
        _ = consume stranger
    }

    @Test func `A stale socket is replaced`() throws {
        do { _ = try UnixSocket(at: path, mode: 0o600) }
        let stale = FileIdentity(at: path)
        #expect(stale != nil)
        #expect(Peer(connectingTo: path) == nil)
        let socket = try UnixSocket(at: path, mode: 0o600)
        #expect(Peer(connectingTo: path) != nil)
        _ = consume socket
    }

    @Test(arguments: ["regular file", "directory", "symbolic link", "named pipe"])
    func `What is not a socket is refused and left alone`(_ kind: String) throws {
        let target = folder.file("target")
        let live = try UnixSocket(at: target, mode: 0o600)
        switch kind {
        case "regular file": try Data("precious".utf8).write(to: URL(filePath: path))
        case "directory": try #require(unsafe mkdir(path, 0o700) == 0)
        case "symbolic link": try #require(unsafe symlink(target, path) == 0)
        default: try #require(unsafe mkfifo(path, 0o600) == 0)
        }
        let before = FileIdentity(at: path)
        #expect(throws: UnixSocketError.notASocket(path, kind: kind)) {
            _ = try UnixSocket(at: path, mode: 0o600)
        }
        #expect(FileIdentity(at: path) == before)
        _ = consume live
    }

    @Test func `A path of 107 bytes works, one of 108 is refused`() throws {
        let room = UnixSocket.maximumPathBytes - folder.path.utf8.count - 1
        let longest = folder.file(String(repeating: "x", count: room))
        let socket = try UnixSocket(at: longest, mode: 0o600)
        #expect(Peer(connectingTo: longest) != nil)
        _ = consume socket
        let error = #expect(throws: UnixSocketError.pathTooLong(longest + "x", bytes: 108)) {
            _ = try UnixSocket(at: longest + "x", mode: 0o600)
        }
        #expect(error?.description.contains("at most 107") == true)
    }

    @Test(arguments: ["", "/tmp/a\0b"])
    func `A path that is none is refused`(_ path: String) {
        #expect(throws: UnixSocketError.invalidPath(path)) {
            _ = try UnixSocket(at: path, mode: 0o600)
        }
    }

    @Test func `Only the own file is unlinked`() throws {
        let socket = try UnixSocket(at: path, mode: 0o600)
        socket.remove()
        #expect(FileIdentity(at: path) == nil)
        try Data("successor".utf8).write(to: URL(filePath: path))
        socket.remove()
        #expect(FileIdentity(at: path) != nil)
        #expect(FileIdentity(at: path + ".lock") != nil)
        _ = consume socket
    }

    @Test func `An inherited socket serves and is never unlinked`() throws {
        var maker = try UnixSocket(at: path, mode: 0o600)
        let adopted = try UnixSocket(adopting: maker.takeDescriptor())
        adopted.remove()
        #expect(Peer(connectingTo: path) != nil)
        _ = consume adopted
        #expect(Peer(connectingTo: path) == nil)
        #expect(FileIdentity(at: path) != nil)
        _ = consume maker
    }

    @Test func `What was inherited must be a listening Unix stream socket`() throws {
        let (end, peer) = try Peer.pair()
        defer { close(end) }
        #expect(throws: UnixSocketError.notListening(end)) {
            _ = try UnixSocket(adopting: end)
        }
        #expect(throws: UnixSocketError.notListening(-1)) {
            _ = try UnixSocket(adopting: -1)
        }
        withExtendedLifetime(peer) {}
    }

    @Test(arguments: [false, true])
    func `Of twenty starts at once exactly one gets the path`(_ isStale: Bool) throws {
        if isStale { _ = try UnixSocket(at: path, mode: 0o600) }
        let path = path
        let outcomes = atOnce(20) { () -> Result<Owner, UnixSocketError> in
            do throws(UnixSocketError) {
                return .success(Owner(try UnixSocket(at: path, mode: 0o600)))
            } catch {
                return .failure(error)
            }
        }
        var owners = 0
        for outcome in outcomes {
            switch outcome {
            case .success: owners += 1
            case .failure(.owned(path, _)): break
            case .failure(let error): Issue.record(error)
            }
        }
        #expect(owners == 1)
        #expect(Peer(connectingTo: path) != nil)
        withExtendedLifetime(outcomes) {}
    }

    private func mode(of path: String) throws -> NSNumber? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    }

    private func ownGroups() -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: 256)
        let count = unsafe getgroups(256, &groups)
        return [getegid()] + groups.prefix(Int(max(count, 0)))
    }
}

/// Holds a socket in a copyable box.
private final class Owner: Sendable {
    let socket: UnixSocket
    init(_ socket: consuming UnixSocket) { self.socket = socket }
}
