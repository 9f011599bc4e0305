// SPDX-License-Identifier: Apache-2.0

/// A limit on how many events of each kind are admitted in a minute, such as lines of a log.
package struct RateLimiter: Sendable {
    /// The length of a period, in milliseconds.
    private static let period: Int64 = 60_000
    /// The maximum number of kinds in a period: more are a flood of names.
    private static let kindsLimit = 1_024

    private let limit: Int
    private var kinds: [String: (began: Int64, count: Int)] = [:]

    package init(perMinute limit: Int = 1) { self.limit = limit }

    /// Counts an event of a kind, and decides whether it is admitted.
    /// - Parameter now: The boot clock, in milliseconds.
    /// - Returns: How many events of this kind were suppressed in the period before, once for each period; `nil` if
    ///   this one is suppressed.
    package mutating func admit(_ kind: String = "", at now: Int64) -> Int? {
        if let (began, count) = kinds[kind], now - began < Self.period {
            kinds[kind] = (began, count + 1)
            return count < limit ? 0 : nil
        }
        if kinds.count >= Self.kindsLimit { kinds = kinds.filter { now - $0.value.began < Self.period } }
        guard kinds.count < Self.kindsLimit || kinds[kind] != nil else { return nil }
        return max(0, (kinds.updateValue((now, 1), forKey: kind)?.count ?? 0) - limit)
    }
}
