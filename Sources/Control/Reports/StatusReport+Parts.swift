// SPDX-License-Identifier: Apache-2.0

package import Session

/// A label in a report or a request.
package struct LabelReport: Codable, Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its colour as `#rrggbb`, or `#rrggbbaa` where it is not opaque.
    package var colour: String

    /// Describes the label of a request, whose colour is grey by default.
    package init(name: String, colour: String?) {
        self.name = name
        self.colour = (colour.flatMap(Colour.init(typed:)) ?? .grey).description
    }

    package init(_ label: Label) {
        name = label.name
        colour = label.colour.description
    }
}

/// A phase of a plan in a report.
package struct PhaseReport: Codable, Hashable, Sendable {
    /// focus, shortBreak, longBreak, work, rest or phase.
    package var kind: String
    /// Its name, if it has one.
    @Nullable package var name: String?
    /// Its length in seconds; of a count-up session the cap.
    package var seconds: Int

    init(_ phase: Phase) {
        kind = phase.kind.rawValue
        name = phase.name
        seconds = phase.seconds
    }
}

/// The current phase in a report.
package struct CurrentPhaseReport: Codable, Hashable, Sendable {
    /// Its place in the plan; 0 is the first.
    package var index: Int
    /// How many phases the plan has.
    package var count: Int
    /// focus, shortBreak, longBreak, work, rest or phase.
    package var kind: String
    /// Its name, if it has one.
    @Nullable package var name: String?
    /// Its length in seconds; of a count-up session the cap.
    package var seconds: Int
    /// Seconds of it that have passed, rounded down.
    package var elapsedSeconds: Int
    /// Seconds of it that are left, rounded up; of a count-up session until the cap.
    package var remainingSeconds: Int

    init(_ moment: Moment) {
        let phase = moment.register.currentPhase
        index = moment.register.phase
        count = moment.register.plan.count
        kind = phase.kind.rawValue
        name = phase.name
        seconds = phase.seconds
        elapsedSeconds = Int(moment.elapsed.count / 1_000)
        remainingSeconds = Int((moment.remaining.count + 999) / 1_000)
    }
}
