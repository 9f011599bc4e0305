// SPDX-License-Identifier: Apache-2.0

/// A node's defaults for sessions: phase lengths in seconds, within ``Limits/phaseSeconds``, and alarms.
///
/// The lengths are for phases that a plan does not name, and the alarms for a start that does not say whether it has
/// them.
public struct SessionDefaults: Hashable, Sendable {
    public var shortBreak: Int
    public var longBreak: Int
    /// After this number of phases that are no breaks, an inserted break is a long one; 0 for never.
    public var longBreakEvery: Int
    public var focus: Int
    /// After this time a count-up session ends by itself.
    public var countUpCap: Int
    public var hasAlarm: Bool

    /// The defaults of the app Goodtime, and a cap of 15 hours.
    public init(
        shortBreak: Int = 300, longBreak: Int = 900, longBreakEvery: Int = 4, focus: Int = 1_500,
        countUpCap: Int = 54_000, hasAlarm: Bool = false
    ) {
        self.shortBreak = shortBreak
        self.longBreak = longBreak
        self.longBreakEvery = longBreakEvery
        self.focus = focus
        self.countUpCap = countUpCap
        self.hasAlarm = hasAlarm
    }
}
