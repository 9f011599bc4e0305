// SPDX-License-Identifier: Apache-2.0

/// A limit on how many lines of each kind are logged in a minute.
package struct LogLimiter: Sendable {
    /// The length of a period, in milliseconds.
    private static let period: Int64 = 60_000
    /// The maximum number of kinds in a period: more are a flood of names.
    private static let kindsLimit = 1_024

    private let lines: Int
    private var kinds: [String: (began: Int64, count: Int)] = [:]

    package init(lines: Int = 1) { self.lines = lines }

    /// Counts a line of a kind, and decides whether it is logged.
    /// - Parameter now: The boot clock, in milliseconds.
    /// - Returns: How many lines of this kind were suppressed in the period before, once for each period; `nil` if this
    ///   one is suppressed.
    package mutating func admit(_ kind: String = "", at now: Int64) -> Int? {
        if let (began, count) = kinds[kind], now - began < Self.period {
            kinds[kind] = (began, count + 1)
            return count < lines ? 0 : nil
        }
        if kinds.count >= Self.kindsLimit { kinds = kinds.filter { now - $0.value.began < Self.period } }
        guard kinds.count < Self.kindsLimit || kinds[kind] != nil else { return nil }
        return max(0, (kinds.updateValue((now, 1), forKey: kind)?.count ?? 0) - lines)
    }
}
