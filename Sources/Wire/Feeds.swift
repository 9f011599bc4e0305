// SPDX-License-Identifier: Apache-2.0

public import Session

/// What the services have said last.
public struct Feeds: Hashable, Sendable {
    private var calm: CalmFeed?
    private var debt: DebtFeed?

    /// Nothing yet.
    public init() {}

    /// - Returns: Whether that is something new.
    public mutating func take(_ feed: Feed) -> Bool {
        let before = self
        switch feed {
        case .calm(let calm): self.calm = calm
        case .debt(let debt): self.debt = debt
        }
        return self != before
    }

    /// How calm it was in a session; `nil` where nobody said so of this one.
    public func calm(of session: SessionID?) -> CalmFeed? {
        calm.flatMap { $0.session == session ? $0 : nil }
    }

    /// Minutes that are missing to the week's goal, negative where more was done; `nil` where nobody counts them.
    public var debtMinutes: Int? { debt?.minutes }
}
