// SPDX-License-Identifier: Apache-2.0

/// Divides whole minutes among the parts of a sum, so that what a screen shows adds up.
public enum WholeMinutes {
    /// Returns the whole minutes of each part, none of which may be negative. They add up to the whole minutes of the
    /// sum. Minutes lost by rounding down go to the parts that lose most, of equal ones to the earlier first.
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
