// SPDX-License-Identifier: Apache-2.0

import Session

extension StartRequest {
    /// The request for a session like an earlier one, without extensions.
    init(_ register: Register) {
        let isCountUp = register.mode == .countup
        self.init(
            title: register.title.isEmpty ? nil : register.title,
            phases: isCountUp
                ? nil
                : register.plan.map { phase in
                    PhaseRequest(kind: phase.kind.rawValue, name: phase.name, seconds: phase.seconds - phase.added)
                },
            mode: isCountUp ? .countup : nil, label: register.label?.name,
            colour: register.label?.colour.description, icon: register.icon,
            autoAdvance: register.autoAdvance ? true : nil, alarm: register.hasAlarm,
            overtime: register.hasOvertime ? true : nil)
    }
}
