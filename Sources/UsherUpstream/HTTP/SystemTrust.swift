// Part of Usher. SPDX-License-Identifier: Apache-2.0

// Debian keeps the certificates that the system trusts twice: in one file, and in a folder, each under the hash of its
// name. libcurl reads the whole file when it first makes a secure connection, which takes the loop some fifty
// milliseconds; from the folder OpenSSL reads the one certificate that it needs.

internal import CUsherCurl
internal import Glibc

/// Where the certificates are that the system trusts.
enum SystemTrust {
    /// libcurl's folder of certificates, if it can be used by itself.
    ///
    /// Looks into the folder, so it blocks for a moment.
    static func findFolder() -> String? {
        guard let information = unsafe curl_version_info(CURLVERSION_SEVENTH),
            let path = unsafe information.pointee.capath
        else { return nil }
        let folder = unsafe String(cString: path)
        return hasHashedNames(folder) ? folder : nil
    }

    /// Whether a folder has files under hashes, such as `5ed36f99.0`.
    static func hasHashedNames(_ folder: String) -> Bool {
        guard let stream = unsafe opendir(folder) else { return false }
        defer { unsafe closedir(stream) }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe Array($0.prefix { $0 != 0 })
            }
            let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].count == 8, !parts[1].isEmpty,
                parts[0].allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                parts[1].allSatisfy({ (0x30...0x39).contains($0) })
            {
                return true
            }
        }
        return false
    }
}
