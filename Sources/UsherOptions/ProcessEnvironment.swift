// Part of Usher. SPDX-License-Identifier: Apache-2.0

private import CUsherOptions

/// The environment of this process.
package enum ProcessEnvironment {
    /// The variables as they are now; of one that is there twice the first counts, as for `getenv(3)`.
    ///
    /// Bytes that are no UTF-8 become U+FFFD. Must not run while another thread changes the environment.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        guard var next = unsafe usher_environment() else { return variables }
        while let entry = unsafe next.pointee {
            unsafe next += 1
            let text = unsafe String(cString: entry)
            guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(text[..<equals])
            if variables[name] == nil {
                variables[name] = String(text[text.utf8.index(after: equals)...])
            }
        }
        return variables
    }
}
