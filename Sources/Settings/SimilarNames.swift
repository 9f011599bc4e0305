// SPDX-License-Identifier: Apache-2.0

extension [String] {
    /// Returns the names that share the longest beginning with a wrong one, for an error.
    func names(like wrong: String) -> String {
        let lengths = map { zip($0, wrong).prefix { $0 == $1 }.count }
        let longest = lengths.max()
        return zip(self, lengths).filter { $0.1 == longest }.map(\.0).joined(separator: ", ")
    }
}
