// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherOptions

/// Something that can be configured, on the command line and in a file alike, under one name.
struct Setting {
    let option: Option<Configuration>
    /// What a file would have to say to get what a configuration has; nothing where nothing is set.
    let values: (Configuration) -> [String]
    /// Whether it can be given several times, each time adding to the last.
    let isRepeatable: Bool

    init(
        _ name: String, _ placeholder: String, _ summary: String,
        values: @escaping (Configuration) -> [String], isRepeatable: Bool = false,
        apply: @escaping (inout Configuration, String) throws(UsageError) -> Void
    ) {
        option = Option(name, placeholder, summary, apply: apply)
        self.values = values
        self.isRepeatable = isRepeatable
    }

    /// A text of any content.
    init(
        _ name: String, _ placeholder: String, _ summary: String,
        _ path: WritableKeyPath<Configuration, String>
    ) {
        self.init(name, placeholder, summary, values: { [$0[keyPath: path]] }) {
            (configuration, text) throws(UsageError) in
            configuration[keyPath: path] = try Self.text(text, name)
        }
    }

    /// A text of any content that may be missing.
    init(
        _ name: String, _ placeholder: String, _ summary: String,
        _ path: WritableKeyPath<Configuration, String?>
    ) {
        self.init(
            name, placeholder, summary, values: { $0[keyPath: path].map { [$0] } ?? [] }
        ) { (configuration, text) throws(UsageError) in
            configuration[keyPath: path] = try Self.text(text, name)
        }
    }

    private static func text(_ text: String, _ name: String) throws(UsageError) -> String {
        guard !text.isEmpty else {
            throw UsageError("--\(name) needs a value; leave it out to get the default")
        }
        return text
    }
}
