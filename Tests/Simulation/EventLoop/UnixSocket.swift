// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A listening socket at a path; one that was inherited from a service manager does not exist here.
package struct UnixSocket: ~Copyable {
    package static let maximumPathBytes = 107

    package let path: String?

    package init(
        at path: String, mode: UInt32, group: UInt32? = nil, backlog: Int32 = 511
    ) throws(UnixSocketError) {
        self.path = path
    }

    package init(adopting descriptor: Int32) throws(UnixSocketError) {
        throw .notListening(descriptor)
    }

    /// No number is needed: the walk connects to whichever listener there is.
    package mutating func takeDescriptor() -> Int32 { 0 }

    package func remove() {}
}

/// A file's identity, of which a simulation has none.
package struct FileIdentity: Equatable, CustomStringConvertible {
    package init?(of descriptor: Int32) { return nil }

    package var description: String { "" }
}
