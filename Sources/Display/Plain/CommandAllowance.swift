// SPDX-License-Identifier: Apache-2.0

package import Session

/// The limit on commands by plain topics: a token bucket for all senders together, since a command names none.
///
/// A start writes a session to the journal, the outbox and the ledger. One each five seconds stays below the sessions
/// of a day that a ledger accepts from a node. `Trust.md` states the numbers. Smaller ones refuse automations that
/// press often in a row; larger ones let one sender fill journal and ledger faster.
package struct CommandAllowance: Sendable {
    /// Tokens of a full bucket, which gets one each second.
    private static let burst: Int64 = 100
    /// Tokens of a start, or of a takeover. Another command costs one.
    private static let startCost: Int64 = 5

    /// Why a command above the limit is refused.
    package static let reason =
        "busy: \(burst) commands in a row, then one a second; a start or a take counts for \(startCost)"

    /// The fill level in thousandths of a token.
    private var level = burst * 1_000
    private var readAt: BootTime?

    package init() {}

    /// Spends the tokens of a command, and returns whether it may be carried out.
    package mutating func spend(on action: PlainCommand.Action, at boot: BootTime) -> Bool {
        level = min(level + (boot - (readAt ?? boot)).count, Self.burst * 1_000)
        readAt = boot
        let cost =
            switch action {
            case .start, .take: Self.startCost * 1_000
            case .press, .toggle, .acknowledge, .title: Int64(1_000)
            }
        guard level >= cost else { return false }
        level -= cost
        return true
    }
}
