// SPDX-License-Identifier: Apache-2.0

package import Session

/// A session that a node has seen, with what starts it again.
package struct RecentSession: Codable, Hashable, Sendable {
    /// The first session of its chain of takeovers.
    package var lineage: String
    /// The request that starts one like it.
    package var start: StartRequest
    /// Its start, in milliseconds of group time.
    package var startedAt: Int64
    /// The time that ran outside of breaks until it was last seen, in milliseconds.
    package var done: Int64
    /// Whether it was over when last seen.
    package var isOver: Bool

    /// Describes a session at a group time.
    package init(_ register: Register, at groupTime: GroupTime) {
        lineage = register.lineage.rawValue
        start = StartRequest(register)
        startedAt = register.startedAt.milliseconds
        let now = min(groupTime, register.endsAt ?? groupTime)
        let time = register.runs.reduce(Milliseconds.zero) { sum, run in
            let counts = register.plan.indices.contains(run.phase) && !register.plan[run.phase].kind.isBreak
            return counts ? sum + max(0, (run.to ?? now) - run.from) : sum
        }
        done = time.count
        isOver = !register.status.isLive
    }
}

extension StartRequest {
    /// The request for a session like an earlier one, without extensions.
    fileprivate init(_ register: Register) {
        let isCountUp = register.mode == .countup
        self.init(
            title: register.title.isEmpty ? nil : register.title,
            phases: isCountUp
                ? nil
                : register.plan.map { phase in
                    PhaseRequest(kind: phase.kind.rawValue, name: phase.name, seconds: phase.seconds - phase.added)
                },
            mode: isCountUp ? register.mode.rawValue : nil, label: register.label?.name,
            colour: register.label?.colour.description, icon: register.icon,
            autoAdvance: register.autoAdvance ? true : nil, alarm: register.hasAlarm ? true : nil,
            overtime: register.hasOvertime ? true : nil)
    }
}

/// A plan that a person has named.
package struct Preset: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its phases.
    package var plan: [Phase]

    package init(name: String, plan: [Phase]) {
        self.name = name
        self.plan = plan
    }
}
