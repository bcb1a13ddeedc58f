// Part of Usher. SPDX-License-Identifier: Apache-2.0

/// How far apart two words are, for suggestions when one is mistyped.
package enum EditDistance {
    /// The nearest of the words, or nil when none is near enough to have been meant.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let typed = Array(word.utf8.prefix(longestWord))
        let limit = max(1, typed.count / 3)
        return known.map { ($0, between(typed, Array($0.utf8))) }
            .filter { $0.1 <= limit }
            .min { $0.1 < $1.1 }?.0
    }

    /// Bytes of a mistyped word that are looked at.
    private static let longestWord = 64

    /// Insertions, deletions, replacements and swaps of neighbours that make one word the other.
    private static func between(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [Array(0...right.count)]
        for (i, byte) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (byte == other ? 0 : 1))
                if i > 0, j > 0, byte == right[j - 1], left[i - 1] == other {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
