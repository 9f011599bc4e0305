// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The kind of the reason why a node is not connected to its broker.
package enum LinkFault: String, CaseIterable, Sendable {
    /// The broker refuses the user or the password.
    case login
    /// The broker answers, and TLS fails: its certificate may not be from the authority that the node trusts.
    case tls
    case other
}

/// A label in a report or a request.
package struct LabelReport: Hashable, Sendable, Described {
    package var name: String
    /// The label's colour as `#rrggbb`, or `#rrggbbaa` where it is not opaque.
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

    package static let blank = LabelReport(name: "", colour: nil)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("name", &name, .string)
        try coder.field("colour", &colour, TextRule(pattern: "^#[0-9a-f]{6}([0-9a-f]{2})?$"))
    }
}

/// A phase of a plan.
package struct PhaseReport: Hashable, Sendable, Described {
    package var kind: String
    package var name: String?
    package var seconds: Int

    init(_ phase: Phase) {
        kind = phase.kind.rawValue
        name = phase.name
        seconds = phase.seconds
    }

    package static let blank = PhaseReport(.blank)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("kind", &kind, .oneOf(PhaseKind.self))
        try coder.field("name", nullable: &name, .string, "Its own name.")
        try coder.field("seconds", &seconds, .whole(), "Its length; of a count-up session the time limit.")
    }
}

/// The phase that runs or waits, with its times.
package struct CurrentPhaseReport: Hashable, Sendable, Described {
    package var index = 0
    package var count = 0
    package var phase = PhaseReport.blank
    package var elapsedSeconds = 0
    package var remainingSeconds = 0

    private init() {}

    init(_ moment: Moment) {
        index = moment.register.phase
        count = moment.register.plan.count
        phase = PhaseReport(moment.register.currentPhase)
        elapsedSeconds = moment.elapsed.wholeSeconds
        remainingSeconds = Int((moment.remaining.count + 999) / 1_000)
    }

    package static let blank = CurrentPhaseReport()

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("index", &index, .whole(), "Its place in the plan; 0 is the first.")
        try coder.field("count", &count, .whole(), "How many phases the plan has.")
        try phase.describe(to: &coder)
        try coder.field("elapsedSeconds", &elapsedSeconds, .whole(), "Rounded down.")
        try coder.field(
            "remainingSeconds", &remainingSeconds, .whole(), "Rounded up; when counting up until the limit.")
    }
}
