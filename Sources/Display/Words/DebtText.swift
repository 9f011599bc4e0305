// SPDX-License-Identifier: Apache-2.0

/// How the week's debt is written.
public enum DebtText {
    /// `-30m`, `-120m`, above 120 minutes `-2h30m`; `+45m` where more than the goal was done; `0m`.
    /// - Parameter minutes: The debt: positive where minutes are missing.
    public static func text(minutes: Int) -> String {
        let size = abs(minutes)
        let sign = minutes > 0 ? "-" : minutes < 0 ? "+" : ""
        guard size > 120 else { return "\(sign)\(size)m" }
        return "\(sign)\(size / 60)h\(size % 60)m"
    }
}
