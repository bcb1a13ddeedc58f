// Part of Usher. SPDX-License-Identifier: Apache-2.0

package import UsherOptions

/// Reads a command line: options anywhere on it, as getopt_long takes them, and words, of which the
/// first name the command.
///
/// getopt_long keeps its place in global variables, so this stays on the main actor.
@MainActor
package enum ArgumentParser {
    /// Reads the arguments behind the program's name.
    package static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        var given: [GivenOption] = []
        let words = try OptionTable(ControlOptions.rows.map(\.option))
            .parse(["usherctl"] + arguments, into: &given)
        if given.contains(where: { $0.row.name == "version" }) { return Invocation(.version) }
        let wantsHelp = given.contains { $0.row.name == "help" }
        if wantsHelp, words.isEmpty { return Invocation(.help([])) }

        let (entry, operands) = try CommandTable.entry(for: words)
        if wantsHelp { return Invocation(.help(entry.words)) }
        var options = Options()
        for option in given {
            guard option.row.applies(to: entry.words[0]) else {
                throw UsageError(
                    "\(entry.words[0]) has no option --\(option.row.name), only "
                        + option.row.commands.joined(separator: ", ") + " has")
            }
            try option.row.apply(option.value, to: &options)
        }
        guard entry.operandCount.contains(operands.count) else {
            let fault = operands.count < entry.operandCount.lowerBound ? "too few" : "too many"
            throw UsageError("\(fault) words; usage: usherctl \(entry.usage)")
        }
        guard !options.isJSON || options.format == nil else {
            throw UsageError("--json and --format are two ways to write the same; give one")
        }
        return Invocation(try entry.make(operands), options)
    }
}
