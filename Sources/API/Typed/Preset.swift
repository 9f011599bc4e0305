// SPDX-License-Identifier: Apache-2.0

package import Session

/// A plan that a person has named.
package struct Preset: Hashable, Sendable {
    package var name: String
    package var plan: [Phase]
    /// Whether its sessions have an alarm, also without the node's setting.
    package var hasAlarm: Bool
    /// Whether its phases go on past their lengths.
    package var hasOvertime: Bool

    package init(name: String, plan: [Phase], hasAlarm: Bool = false, hasOvertime: Bool = false) {
        self.name = name
        self.plan = plan
        self.hasAlarm = hasAlarm
        self.hasOvertime = hasOvertime
    }
}
