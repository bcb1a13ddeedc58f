// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import UsherWire

/// What the system's user database says of a uid, as bytes: nothing there is sure to be UTF-8.
struct PasswdRecord: Sendable, Equatable {
    let uid: UInt32
    let login: [UInt8]
    let gecos: [UInt8]

    /// Bytes of the first buffer that the database may fill with a record.
    private static let firstBufferBytes = 1_024
    /// Bytes of the largest; a record that does not fit is an error.
    private static let lastBufferBytes = 1_024 * 1_024

    /// Asks the database, through whatever it is made of; may block for long.
    ///
    /// Nil if there is no such user.
    static func find(_ uid: UInt32) -> Result<PasswdRecord?, UpstreamError> {
        var size = firstBufferBytes
        while true {
            var entry = unsafe passwd()
            var found: UnsafeMutablePointer<passwd>?
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { unsafe buffer.deallocate() }
            let code = unsafe getpwuid_r(uid, &entry, buffer, size, &found)
            // The entry points into the buffer: it is copied before that goes.
            let record = unsafe found == nil ? nil : PasswdRecord(entry)
            switch code {
            case EINTR: continue
            case ERANGE where size < lastBufferBytes: size *= 2
            case 0, ENOENT, ESRCH: return .success(record)
            default:
                return .failure(
                    UpstreamError(
                        .unreachable, "the system's user database failed: \(errorText(code))"))
            }
        }
    }

    init(uid: UInt32, login: [UInt8], gecos: [UInt8]) {
        self.uid = uid
        self.login = login
        self.gecos = gecos
    }

    private init(_ entry: passwd) {
        unsafe self.init(
            uid: entry.pw_uid, login: Self.bytes(entry.pw_name), gecos: Self.bytes(entry.pw_gecos))
    }

    private static func bytes(_ text: UnsafeMutablePointer<CChar>?) -> [UInt8] {
        guard let text = unsafe text else { return [] }
        let length = unsafe strlen(text)
        return unsafe UnsafeBufferPointer(start: text, count: length).map {
            UInt8(bitPattern: $0)
        }
    }

    /// The record as the daemon shows it.
    var user: User {
        let person = GECOS(gecos, login: login)
        let username = String(decoding: login, as: UTF8.self).cut(toBytes: User.textBytes)
        return User(id: Int64(uid), name: person.name, username: username, phone: person.phone)
    }

    /// Whether the record's text had to be repaired.
    var isRepaired: Bool {
        String(validating: login, as: UTF8.self) == nil
            || String(validating: gecos, as: UTF8.self) == nil
    }
}
