// Part of Usher. SPDX-License-Identifier: Apache-2.0

private import CUsherOptions

/// One command-line option, and what it does to the settings.
package struct Option<Settings> {
    package let name: String
    package let short: Character?
    /// What stands for its argument in help; nil if it takes none.
    package let placeholder: String?
    package let summary: String
    /// Takes the argument over, or the empty text for an option without one.
    package let apply: (inout Settings, String) throws(UsageError) -> Void

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

    /// The same option for settings that these are a part of.
    package func within<Whole>(_ part: WritableKeyPath<Whole, Settings>) -> Option<Whole> {
        let apply = self.apply
        guard let placeholder else {
            return Option<Whole>(name, short: short, summary) { whole in
                // An option without an argument has nothing to object to.
                try? apply(&whole[keyPath: part], "")
            }
        }
        return Option<Whole>(name, short: short, placeholder, summary) {
            (whole, text) throws(UsageError) in try apply(&whole[keyPath: part], text)
        }
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
    /// option is left alone, for a command to read. Options before a mistake are applied. No option may parse.
    package func parse(
        _ arguments: [String], into settings: inout Settings, stopsAtOperand: Bool = false
    ) throws(UsageError) -> [String] {
        let words = Words(arguments)
        let names = LongNames(options)
        defer { withExtendedLifetime(names) {} }
        usher_options_begin()
        defer { usher_options_end() }
        while true {
            let found = unsafe usher_next_option(
                Int32(arguments.count), words.pointers, shorts(stopsAtOperand), names.pointer)
            if unsafe found.code == -1 {
                // getopt_long moved the operands to the end.
                let next = unsafe Int(found.next)
                return (next..<max(next, arguments.count)).map { words[$0] }
            }
            let option = unsafe try option(found, in: words)
            let argument = unsafe found.argument.map { unsafe String(cString: $0) } ?? ""
            try option.apply(&settings, argument)
        }
    }

    /// The option that was met, or the mistake that was made.
    private func option(
        _ found: usher_option, in words: Words
    ) throws(UsageError) -> Option<Settings> {
        if let option = unsafe option(of: found.code) { return option }
        guard let option = unsafe option(of: found.mistaken) else {
            throw unsafe UsageError(unknown(found, in: words))
        }
        let isLong = unsafe found.mistaken >= LongNames<Settings>.firstCode
        let name = isLong ? "--\(option.name)" : option.short.map { "-\($0)" } ?? ""
        let lacksArgument = unsafe found.code == Int32(UInt8(ascii: ":"))
        let problem = lacksArgument ? "needs an argument" : "takes no argument"
        throw UsageError("\(name) \(problem); see --help")
    }

    /// The option that a code of `getopt_long` stands for.
    private func option(of code: Int32) -> Option<Settings>? {
        let index = Int(code - LongNames<Settings>.firstCode)
        if options.indices.contains(index) { return options[index] }
        return options.first { $0.short?.asciiValue.map(Int32.init) == code }
    }

    private func unknown(_ found: usher_option, in words: Words) -> String {
        let next = unsafe Int(found.next)
        guard let byte = unsafe UInt8(exactly: found.mistaken & 0xFF), byte != 0 else {
            return unknown(words[next - 1])
        }
        // A character of several bytes has more to come, so its word is still the next one.
        let character =
            byte < 0x80
            ? Character(Unicode.Scalar(byte))
            : words[next].first { $0.utf8.first == byte } ?? "\u{FFFD}"
        return "there is no option -\(character); see --help"
    }

    private func unknown(_ word: String) -> String {
        let name = word.dropFirst(2).prefix { $0 != "=" }
        let matches = options.filter { $0.name.hasPrefix(name) && !name.isEmpty }
        if matches.count > 1 {
            let names = matches.map { "--\($0.name)" }.joined(separator: " or ")
            return "--\(name) may be \(names); write it out"
        }
        if let nearest = EditDistance.nearest(to: String(name), among: options.map(\.name)) {
            return "there is no option --\(name); did you mean --\(nearest)?"
        }
        return "there is no option --\(name); see --help"
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

/// The names of long options, as `getopt_long` takes them.
///
/// Each has a code of its own: of two options with the same code and kind an abbreviation would silently mean the first.
@safe
private final class LongNames<Settings> {
    /// The first option's code; above all codes of short options.
    static var firstCode: Int32 { 0x100 }

    let pointer: UnsafeMutablePointer<option>
    private let names: Words

    init(_ options: [Option<Settings>]) {
        names = Words(options.map(\.name))
        unsafe pointer = .allocate(capacity: options.count + 1)
        for (index, entry) in options.enumerated() {
            unsafe (pointer + index).initialize(
                to: option(
                    name: names.pointers[index], has_arg: entry.placeholder == nil ? 0 : 1,
                    flag: nil, val: Self.firstCode + Int32(index)))
        }
        unsafe (pointer + options.count).initialize(to: option())
    }

    deinit { unsafe pointer.deallocate() }
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
