// SPDX-License-Identifier: Apache-2.0

/// The texts of debts, in minutes and hours.
package enum DebtText {
    /// Returns the debt as `-30m` or `-120m`, above 120 minutes as `-2h30m`; `+45m` beyond the goal; `0m`.
    /// - Parameter minutes: The debt, positive while minutes are missing.
    package static func text(minutes: Int) -> Localized {
        let size = abs(minutes)
        let sign: Localized = minutes > 0 ? "-" : minutes < 0 ? "+" : ""
        guard size > 120 else { return "\(sign)\(size)m" }
        return "\(sign)\(size / 60)h\(size % 60)m"
    }
}
