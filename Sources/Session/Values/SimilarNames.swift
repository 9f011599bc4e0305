// SPDX-License-Identifier: Apache-2.0

extension [String] {
    /// Returns the names that are most like a wrong one, for an error; none if no name is like it.
    public func names(like wrong: String) -> String? {
        let distances = map { Self.distance($0, wrong) }
        let similar = zip(self, distances).filter { $0.1 == distances.min() && $0.1 <= (wrong.count + 2) / 4 }.map(\.0)
        return similar.isEmpty ? nil : similar.prefix(3).joined(separator: ", ")
    }

    /// Returns how many changes of a letter make two names equal, apart from the order of their words. A change
    /// inserts, removes or replaces a letter, or swaps it with the next.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (sorted(one), sorted(other))
        var (last, beforeLast) = ([Int](0...other.count), [Int]())
        for (index, letter) in one.enumerated() {
            var row = [index + 1]
            for (column, same) in other.enumerated() {
                var least = Swift.min(row[column] + 1, last[column + 1] + 1, last[column] + (letter == same ? 0 : 1))
                if index > 0, column > 0, letter == other[column - 1], one[index - 1] == same {
                    least = Swift.min(least, beforeLast[column - 1] + 1)
                }
                row.append(least)
            }
            (last, beforeLast) = (row, last)
        }
        return last[other.count]
    }

    private static func sorted(_ name: String) -> [Character] {
        let words: String = name.split(separator: "_").sorted().joined(separator: "_")
        return [Character](words)
    }
}
