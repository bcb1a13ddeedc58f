// Part of Usher. SPDX-License-Identifier: Apache-2.0

private import CUsherOptions

/// One command-line option, and what it does to the settings.
package struct Option<Settings> {
    package let name: String
    package let short: Character?
    /// What stands for its argument in help; nil if it takes none.
    package let placeholder: String?
    package let summary: String
    let apply: (inout Settings, String) throws(UsageError) -> Void

    /// An option with an argument.
    package init(
        _ name: String, short: Character? = nil, _ placeholder: String, _ summary: String,
        apply: @escaping (inout Settings, String) throws(UsageError) -> Void
    ) {
        self.name = name
        self.short = short
        self.placeholder = placeholder
        self.summary = summary
        self.apply = apply
    }

    /// An option without one.
    package init(
        _ name: String, short: Character? = nil, _ summary: String,
        apply: @escaping (inout Settings) -> Void
    ) {
        self.name = name
        self.short = short
        self.placeholder = nil
        self.summary = summary
        self.apply = { (settings, _) throws(UsageError) in apply(&settings) }
    }
}

/// A command line that makes no sense; the message says what to do.
package struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
    package let message: String

    package init(_ message: String) { self.message = message }

    package var description: String { message }
}

/// All options of a program: what `getopt_long` reads by and what help prints.
package struct OptionTable<Settings> {
    package let options: [Option<Settings>]

    package init(_ options: [Option<Settings>]) {
        self.options = options
    }

    /// Applies the options of a command line and gives back what is left, in order.
    ///
    /// `arguments` begins with the program's name. With `stopsAtOperand` everything from the first word that is no
    /// option is left alone, for a command to read. Not thread-safe.
    package func parse(
        _ arguments: [String], into settings: inout Settings, stopsAtOperand: Bool = false
    ) throws(UsageError) -> [String] {
        let words = Words(arguments)
        var names: [option] = unsafe []
        let nameWords = Words(options.map(\.name))
        for (index, entry) in options.enumerated() {
            unsafe names.append(
                option(
                    name: nameWords.pointers[index], has_arg: entry.placeholder == nil ? 0 : 1,
                    flag: nil, val: 0))
        }
        unsafe names.append(option())
        usher_options_reset()
        var next = 1
        while true {
            let found = unsafe usher_next_option(
                Int32(arguments.count), words.pointers, shorts(stopsAtOperand), names)
            if unsafe found.code == -1 {
                next = unsafe Int(found.next)
                break
            }
            let index = unsafe try entry(of: found, in: words)
            let argument = unsafe found.argument.map { unsafe String(cString: $0) } ?? ""
            try options[index].apply(&settings, argument)
        }
        // getopt_long moved the operands to the end.
        return (next..<max(next, arguments.count)).map { words[$0] }
    }

    private func entry(
        of found: usher_option, in words: Words
    ) throws(UsageError) -> Int {
        switch unsafe found.code {
        case 0: return unsafe Int(found.index)
        case let code:
            if let index = options.firstIndex(where: {
                $0.short?.asciiValue.map(Int32.init) == code
            }) {
                return index
            }
            let word = unsafe words[Int(found.next) - 1]
            if code == 0x3A { throw UsageError("\(word) needs an argument; see --help") }
            throw UsageError(mistake(word))
        }
    }

    private func mistake(_ word: String) -> String {
        let name = word.drop { $0 == "-" }.prefix { $0 != "=" }
        if word.contains("="), options.contains(where: { $0.name == name }) {
            return "--\(name) takes no argument; see --help"
        }
        let matches = options.filter { $0.name.hasPrefix(name) && !name.isEmpty }
        if matches.count > 1 {
            let names = matches.map { "--\($0.name)" }.joined(separator: " or ")
            return "\(word) may be \(names); write it out"
        }
        return "there is no option \(word); see --help"
    }

    private func shorts(_ stopsAtOperand: Bool) -> String {
        (stopsAtOperand ? "+:" : ":")
            + options.compactMap { entry in
                entry.short.map { "\($0)\(entry.placeholder == nil ? "" : ":")" }
            }.joined()
    }

    /// The options as help shows them, a line or two each.
    package var help: String {
        let column = 30
        return options.map { entry in
            var left = entry.short.map { "  -\($0), " } ?? "      "
            left += "--\(entry.name)" + (entry.placeholder.map { " \($0)" } ?? "")
            guard left.count + 2 > column else {
                return left + String(repeating: " ", count: column - left.count) + entry.summary
            }
            return left + "\n" + String(repeating: " ", count: column) + entry.summary
        }.joined(separator: "\n")
    }
}

/// C strings for as long as `getopt_long` may look at them, and reorder them.
@safe
private final class Words {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ words: [String]) {
        count = words.count
        unsafe pointers = .allocate(capacity: count + 1)
        unsafe (pointers + count).initialize(to: nil)
        for (index, word) in words.enumerated() {
            let bytes = Array(word.utf8CString)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            unsafe copy.initialize(from: bytes, count: bytes.count)
            unsafe (pointers + index).initialize(to: copy)
        }
    }

    deinit {
        for index in 0..<count { unsafe pointers[index]?.deallocate() }
        unsafe pointers.deallocate()
    }

    subscript(index: Int) -> String {
        guard (0..<count).contains(index), let word = unsafe pointers[index] else { return "" }
        return unsafe String(cString: word)
    }
}
