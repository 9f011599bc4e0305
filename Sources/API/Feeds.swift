// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The latest results of the services.
package struct Feeds: Hashable, Sendable {
    private var calm: CalmFeed?
    /// The week, as the debt service has published it last.
    package private(set) var week: DebtFeed?
    /// The weeks before this one, as the debt service has published them last.
    package private(set) var year: DebtYear?

    /// The age from which a week counts as old. The debt service publishes at the end of each day, which can have 25
    /// hours, and may be an hour late.
    package static let longestSilence: Milliseconds = .minutes(26 * 60)

    package init() {}

    /// Stores a result, and returns whether it differs from the one before.
    package mutating func take(_ feed: Feed) -> Bool {
        let before = self
        switch feed {
        case .calm(let calm): self.calm = calm
        case .debt(let debt): week = debt
        case .debtYear(let year): self.year = year
        }
        return self != before
    }

    /// Returns how calm a session was; `nil` without a result for it.
    package func calm(of session: SessionID?) -> CalmFeed? {
        calm.flatMap { $0.session == session ? $0 : nil }
    }

    /// Returns the name of the feed whose latest value came from a service; `nil` if none did.
    package func published(by service: NodeID) -> String? {
        week?.by == service ? "debt" : calm?.by == service ? "calm" : nil
    }

    /// Returns the minutes missing to the week's goal, negative beyond it; `nil` without a debt service.
    /// - Parameter instant: The present: the time of a running session is added.
    package func debtMinutes(at instant: GroupTime) -> Int? {
        week?.minutes(at: instant).map { min(max($0, DebtFeed.bounds.lowerBound), DebtFeed.bounds.upperBound) }
    }

    /// Returns when ``debtMinutes(at:)`` next changes by time alone; `nil` for never.
    package func nextDebtChange(after instant: GroupTime) -> GroupTime? {
        guard let feed = self.week, let week = feed.week, instant < week.to else { return nil }
        guard let until = week.until, instant < min(until, week.to) else { return week.to }
        let toNextMinute = Milliseconds(60_000 - feed.done(at: instant).count % 60_000)
        return min(instant + toNextMinute, week.to)
    }
}
