// Part of Usher. SPDX-License-Identifier: Apache-2.0

internal import Testing
internal import UsherControl

@Suite struct TableTests {
    private let plain = Style(isColored: false)

    private func movies() -> Table {
        var table = Table([
            .init("ID", .right), .init("TITLE", isFlexible: true), .init("RATING", .right),
        ])
        table.append(["496243", "기생충", "8.5"])
        table.append(["129", "Spirited Away", "10.0"])
        return table
    }

    @Test func `Columns line up whatever the script, numbers at the right`() {
        #expect(
            movies().laidOut(toWidth: 80, style: plain) == [
                "    ID  TITLE          RATING",
                "496243  기생충            8.5",
                "   129  Spirited Away    10.0",
            ])
    }

    @Test func `Only the flexible column gives way to a narrow terminal`() {
        #expect(
            movies().laidOut(toWidth: 24, style: plain) == [
                "    ID  TITLE     RATING",
                "496243  기생충       8.5",
                "   129  Spirite…    10.0",
            ])
    }

    @Test(arguments: 1...40)
    func `No line is wider than the terminal`(width: Int) {
        let lines = movies().laidOut(toWidth: width, style: plain)
        #expect(lines.allSatisfy { $0.displayWidth <= width })
    }

    @Test func `The widest flexible column gives way first`() {
        var table = Table([.init("A", isFlexible: true), .init("B", isFlexible: true)])
        table.append([String(repeating: "a", count: 30), String(repeating: "b", count: 12)])
        #expect(
            table.laidOut(toWidth: 26, style: plain).last
                == String(repeating: "a", count: 11) + "…  bbbbbbbbbbbb")
        #expect(
            table.laidOut(toWidth: 22, style: plain).last == "aaaaaaaaa…  bbbbbbbbb…")
    }

    @Test func `A pipe gets fields parted by tabs and no header`() {
        #expect(movies().tabSeparated == ["496243\t기생충\t8.5", "129\tSpirited Away\t10.0"])
    }

    @Test func `A tab or an escape in a cell breaks neither form`() {
        var table = Table([.init("NAME")])
        table.append(["a\tb\u{1B}[2J\nc"])
        #expect(table.tabSeparated == ["a\u{FFFD}b\u{FFFD}[2J\u{FFFD}c"])
    }

    @Test func `Without rows there is the header alone`() {
        let table = Table([.init("ID", .right), .init("NAME")])
        #expect(table.laidOut(toWidth: 80, style: plain) == ["ID  NAME"])
        #expect(table.tabSeparated == [])
    }

    @Test func `Only the header is coloured`() {
        let lines = movies().laidOut(toWidth: 80, style: Style(isColored: true))
        #expect(lines[0] == "\u{1B}[1m    ID  TITLE          RATING\u{1B}[0m")
        #expect(lines[1] == "496243  기생충            8.5")
    }
}

@Suite struct StyleTests {
    @Test(
        arguments: [
            (ColorChoice.auto, true, [:], true), (.auto, false, [:], false),
            (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
            (.auto, true, ["TERM": "dumb"], false), (.auto, false, ["CLICOLOR_FORCE": "1"], true),
            (.auto, false, ["CLICOLOR_FORCE": "0"], false),
            (.auto, false, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
            (.always, false, ["NO_COLOR": "1"], true),
            (.never, true, ["CLICOLOR_FORCE": "1"], false),
        ] as [(ColorChoice, Bool, [String: String], Bool)])
    func `The command line decides, then NO_COLOR, then CLICOLOR_FORCE, then the terminal`(
        choice: ColorChoice, isTerminal: Bool, environment: [String: String], expected: Bool
    ) {
        #expect(
            Style(choice, isTerminal: isTerminal, environment: environment).isColored == expected)
    }
}
