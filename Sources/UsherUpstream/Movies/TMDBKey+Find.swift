// Part of Usher. SPDX-License-Identifier: Apache-2.0

extension TMDBKey {
    /// The name of the systemd credential.
    package static let credentialName = "tmdb-api-key"
    /// The name of the variable of the environment.
    package static let variableName = "TMDB_API_KEY"

    /// A key, and what the operator should hear about its source.
    package struct Found: Sendable, Hashable {
        package let key: TMDBKey
        /// For the log; nil if all is well.
        package let warning: String?
    }

    /// Looks for a key: in systemd's credentials, then in the file that was named, then in the
    /// environment.
    ///
    /// The first source that is there counts, even if what it holds is no key. Gives nil when there
    /// is none; a file that was named has to be there. Reads files, so it blocks for a moment.
    package static func find(
        credentialsDirectory: String?, file: String?, environment: [String: String]
    ) throws(UpstreamError) -> Found? {
        if let credentialsDirectory, !credentialsDirectory.isEmpty {
            let path = "\(credentialsDirectory)/\(credentialName)"
            switch SmallFile.read(path, limit: maximumBytes) {
            case .success(let file): return try Found(file, path: path)
            case .failure(.missing): break
            case .failure(let failure): throw failure.error(path, what: "the TMDB key")
            }
        }
        if let file {
            switch SmallFile.read(file, limit: maximumBytes) {
            case .success(let content): return try Found(content, path: file)
            case .failure(let failure): throw failure.error(file, what: "the TMDB key")
            }
        }
        // An empty variable is how a unit file or a shell unsets one.
        guard let text = environment[variableName], !text.isEmpty else { return nil }
        return Found(key: try TMDBKey(text, source: variableName), warning: nil)
    }
}

extension TMDBKey.Found {
    fileprivate init(_ file: SmallFile, path: String) throws(UpstreamError) {
        key = try TMDBKey(String(decoding: file.bytes, as: UTF8.self), source: path)
        warning =
            file.isReadableByEveryone
            ? "everyone can read the TMDB key in \(path); chmod 600 it" : nil
    }
}
