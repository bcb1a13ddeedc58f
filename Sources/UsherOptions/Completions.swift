// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// A shell that completions can be made for.
package enum Shell: String, Sendable, CaseIterable {
    case bash
    case zsh
    case fish

    package init(named name: String) throws(UsageError) {
        guard let shell = Shell(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("there are completions for \(names), not for \(name)")
        }
        self = shell
    }
}

/// What a completion script knows of an option.
package struct CompletedOption: Sendable, Hashable {
    let name: String
    let short: Character?
    let placeholder: String?
    let summary: String
    /// The first words of the commands that know the option; empty: all.
    let commands: [String]

    package init<Settings>(_ option: Option<Settings>, commands: [String] = []) {
        name = option.name
        short = option.short
        placeholder = option.placeholder
        summary = option.summary
        self.commands = commands
    }

    /// Whether the argument is the name of a file.
    fileprivate var takesFile: Bool { placeholder == "PATH" || placeholder == "FILE" }
}

/// What a completion script knows of a command: its words, and what it does.
package struct CompletedCommand: Sendable, Hashable {
    let words: [String]
    let summary: String

    package init(_ words: [String], _ summary: String) {
        self.words = words
        self.summary = summary
    }
}

/// Completion scripts, made from the tables that the program reads its command line by.
///
/// They hold what the tables say and never ask the daemon: nothing from outside gets into a shell.
package struct Completions: Sendable {
    private let program: String
    private let options: [CompletedOption]
    private let commands: [CompletedCommand]

    package init(
        program: String, options: [CompletedOption], commands: [CompletedCommand] = []
    ) {
        self.program = program
        self.options = options
        self.commands = commands
    }

    package func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private var firstWords: [String] {
        commands.map { $0.words[0] }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func secondWords(behind first: String) -> [String] {
        commands.filter { $0.words.count > 1 && $0.words[0] == first }.map { $0.words[1] }
    }

    // MARK: bash

    private func bashNames(_ options: [CompletedOption]) -> String {
        options.flatMap { option in
            [option.short.map { "-\($0)" }, "--" + option.name].compactMap(\.self)
        }.joined(separator: "|")
    }

    private var bash: String {
        let files = options.filter(\.takesFile)
        let others = options.filter { $0.placeholder != nil && !$0.takesFile }
        var cases = ""
        if !files.isEmpty {
            cases += "    \(bashNames(files))) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
        }
        if !others.isEmpty { cases += "    \(bashNames(others))) return ;;\n" }
        let seconds = firstWords.compactMap { first -> String? in
            let words = secondWords(behind: first).joined(separator: " ")
            return words.isEmpty ? nil : "    \(first)) words='\(words)' ;;\n"
        }.joined()
        let names = options.map { "--" + $0.name }.joined(separator: " ")
        let rest =
            commands.isEmpty
            ? ""
            : """
                *)
                    case $before in
            \(seconds)        \(program) | -*) words='\(firstWords.joined(separator: " "))' ;;
                    esac ;;

            """
        return """
            # bash completion for \(program)
            _\(program)() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words
                COMPREPLY=()
                case $before in
            \(cases)    esac
                case $word in
                -*) words='\(names)' ;;
            \(rest)    esac
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            }
            complete -F _\(program) \(program)

            """
    }

    // MARK: zsh

    private var zsh: String {
        var lines = options.map { option -> String in
            let summary = Self.quoted(
                option.summary.replacing("[", with: "(").replacing("]", with: ")"))
            let action =
                option.placeholder.map {
                    ":\($0):" + (option.takesFile ? "_files" : "")
                } ?? ""
            guard let short = option.short else {
                return "'--\(option.name)[\(summary)]\(action)'"
            }
            let names = "'(-\(short) --\(option.name))'{-\(short),--\(option.name)}"
            return names + "'[\(summary)]\(action)'"
        }
        guard !commands.isEmpty else {
            return "#compdef \(program)\n_arguments -s \\\n    "
                + lines.joined(separator: " \\\n    ") + "\n"
        }
        lines += ["'1: :_\(program)_commands'", "'2: :_\(program)_words'", "'*:: :'"]
        let table = commands.filter { $0.words.count == 1 }.map { command in
            "'\(command.words[0]):\(Self.quoted(command.summary.replacing(":", with: "\\:")))'"
        }
        let seconds = firstWords.compactMap { first -> String? in
            let words = secondWords(behind: first).joined(separator: " ")
            return words.isEmpty ? nil : "    (\(first)) compadd \(words) ;;"
        }
        return """
            #compdef \(program)
            _\(program)_commands() {
              local -a commands=(
                \(table.joined(separator: "\n    "))
              )
              _describe command commands
            }
            _\(program)_words() {
              case $line[1] in
            \(seconds.joined(separator: "\n"))
              esac
            }
            local line
            _arguments -s \\
                \(lines.joined(separator: " \\\n    "))

            """
    }

    // MARK: fish

    private var fish: String {
        var lines = ["# fish completion for \(program)", "complete -c \(program) -f"]
        for option in options {
            var line = "complete -c \(program)"
            if !option.commands.isEmpty {
                let words = option.commands.joined(separator: " ")
                line += " -n '__fish_seen_subcommand_from \(words)'"
            }
            if let short = option.short { line += " -s \(short)" }
            line += " -l \(option.name)"
            if option.placeholder != nil { line += option.takesFile ? " -r -F" : " -x" }
            lines.append(line + " -d '\(Self.fishQuoted(option.summary))'")
        }
        for command in commands {
            var line = "complete -c \(program) -n "
            if command.words.count == 1 {
                line += "__fish_use_subcommand -a \(command.words[0])"
            } else {
                line += "'__fish_seen_subcommand_from \(command.words[0])' -a \(command.words[1])"
            }
            lines.append(line + " -d '\(Self.fishQuoted(command.summary))'")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A text inside single quotes of bash and zsh.
    private static func quoted(_ text: String) -> String { text.replacing("'", with: "'\\''") }

    /// A text inside single quotes of fish.
    private static func fishQuoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }
}
