// SPDX-License-Identifier: Apache-2.0

public import Session

/// What the services have said last.
public struct Feeds: Hashable, Sendable {
    private var calm: CalmFeed?
    private var debt: DebtFeed?
    /// The weeks before this one, as the debt service has said them last.
    public private(set) var year: DebtYear?

    /// Nothing yet.
    public init() {}

    /// - Returns: Whether that is something new.
    public mutating func take(_ feed: Feed) -> Bool {
        let before = self
        switch feed {
        case .calm(let calm): self.calm = calm
        case .debt(let debt): self.debt = debt
        case .debtYear(let year): self.year = year
        }
        return self != before
    }

    /// How calm it was in a session; `nil` where nobody said so of this one.
    public func calm(of session: SessionID?) -> CalmFeed? {
        calm.flatMap { $0.session == session ? $0 : nil }
    }

    /// Minutes that are missing to the week's goal, negative where more was done; `nil` where nobody counts them.
    /// - Parameter instant: The present, in milliseconds of group time: what still goes on is added.
    public func debtMinutes(at instant: Int64) -> Int? { debt?.minutes(at: instant) }

    /// The week, as the debt service has said it last.
    public var week: DebtFeed? { debt }

    /// When ``debtMinutes(at:)`` next changes by time alone, in milliseconds of group time; `nil` when it does not.
    public func nextDebtChange(after instant: Int64) -> Int64? {
        guard let debt, let week = debt.week, instant < week.to else { return nil }
        guard let until = week.until, instant < min(until, week.to) else { return week.to }
        let rest = 60_000 - debt.done(at: instant) % 60_000
        return min(instant + rest, week.to)
    }
}
