// SPDX-License-Identifier: Apache-2.0

import Session

/// The sessions that people start and the buttons that they press.
enum Plans {
    static let all: [(mode: Mode, plan: [Phase])] = [
        (.countdown, [Phase(kind: .focus, seconds: 1_500)]),
        (.countdown, [Phase(kind: .focus, seconds: 10), Phase(kind: .shortBreak, seconds: 5)]),
        (.countdown, [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 300)]),
        (.countdown, (0..<8).map { Phase(kind: $0 % 2 == 0 ? .work : .rest, seconds: $0 % 2 == 0 ? 4 : 2) }),
        (.countdown, [Phase(kind: .phase, name: "Breathe", seconds: 2)]),
        (.countdown, (0..<6).map { Phase(kind: $0 % 2 == 0 ? .focus : .longBreak, seconds: 900 - 60 * $0) }),
        (.countup, [Phase(kind: .focus, seconds: 1)]),
    ]

    /// The operation of a press. Corrections differ by the press, so that each has an effect.
    static func operation(_ index: Int, id: Int) -> IntentOperation {
        let operations: [IntentOperation] = [
            .pause, .resume, .stop, .extend(seconds: 60), .startBreak, .startFocus, .skip,
            .correct(title: "Corrected \(id)", label: id % 3 == 0 ? "" : "Work"), .extend(seconds: -3),
            .extend(seconds: -600),
        ]
        return operations[abs(index) % operations.count]
    }

    /// `more` adds an alarm (1) and overtime (2).
    static func start(_ index: Int, auto: Bool, more: Int, id: Int) -> Start {
        let (mode, plan) = all[index % all.count]
        return Start(
            title: id % 3 == 0 ? "" : "Reading \(id)", label: id % 2 == 0 ? Label(name: "Study") : nil, mode: mode,
            plan: plan, autoAdvance: auto, hasAlarm: more & 1 != 0, hasOvertime: more & 2 != 0)
    }
}
