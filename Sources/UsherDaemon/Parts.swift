// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherEventLoop
package import UsherStore
package import UsherUpstream

/// What a daemon is built of that reaches outside of it: where changes are kept, where users and movies come from, and
/// chance.
///
/// As it is made, it has the real ones, as the configuration names them; a simulation puts its own in their place.
package struct Parts {
    package var store: (Configuration) -> any ChangeLog = { configuration in
        switch configuration.store {
        case .memory: MemoryChangeLog()
        case .sqlite(let path): SQLiteChangeLog(path: path)
        }
    }
    package var users: (Configuration, EventLoop, Log) throws(UpstreamError) -> any UserDirectory =
        Upstreams.directory
    package var movies: (Configuration, EventLoop, Log) throws(UpstreamError) -> any MovieService =
        Upstreams.service
    package var random: any RandomNumberGenerator = SystemRandomNumberGenerator()

    package init() {}
}
