// SPDX-License-Identifier: Apache-2.0

/// Divides whole minutes among the parts of a sum, so that what a screen shows adds up.
public enum WholeMinutes {
    /// The whole minutes of each part, none of which is negative. Together they are those of the sum. Minutes that the
    /// parts lose by rounding down go to those that lose most, the first of equal ones first.
    public static func of(_ parts: [Milliseconds]) -> [Int] {
        let minute = Milliseconds.minutes(1).count
        let parts = parts.map(\.count)
        var whole = parts.map { Int($0 / minute) }
        let missing = Int(parts.reduce(0, +) / minute) - whole.reduce(0, +)
        let order = parts.indices.sorted { (parts[$1] % minute, $0) < (parts[$0] % minute, $1) }
        for index in order.prefix(missing) { whole[index] += 1 }
        return whole
    }
}
