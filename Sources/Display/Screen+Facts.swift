// SPDX-License-Identifier: Apache-2.0

public import Session

extension Screen {
    /// What status bars and widgets need beyond the texts of a large display: numbers, and words that are shorter.
    public struct Facts: Hashable, Sendable {
        /// What a person does in this phase; `nil` when idle.
        public var kind: PhaseKind?
        /// What that is called: "Focus"; `nil` when idle.
        public var phaseName: String?
        /// The seconds that the time stands for: what is left of a countdown, or what has passed of a count-up.
        public var seconds: Int?
        /// When the phase of a running countdown ends, in milliseconds of group time since 1970.
        public var endsAt: Int64?
        /// The time of day of that: "14:25".
        public var endClock: String?
        /// "3/8", where the plan has more than one phase of this kind.
        public var phaseCount: String?
        /// "85%", or "–" while nothing is known; only on the `calm` face.
        public var calmPercent: String?
        /// "Last heard 1 min ago", in nothing smaller than minutes; `nil` unless the display is stale.
        public var staleText: String?
        /// Whether the time may be wrong by more than a quarter of a second.
        public var isApproximate = false

        /// Those of a display without a session.
        public init() {}
    }
}

extension Screen.Facts {
    init(of moment: Moment, face: Face, options: ScreenOptions) {
        let register = moment.register
        kind = register.currentPhase.kind
        phaseName = register.currentPhase.name ?? options.strings[register.currentPhase.kind.texts.name]
        seconds = moment.shownSeconds
        endsAt = register.endsAt
        endClock = register.endsAt.map { TimeText.clock($0, offset: options.utcOffset($0)) }
        phaseCount = Screen.position(in: register).map { "\($0.index)/\($0.total)" }
        if face == .calm {
            calmPercent =
                options.calm?.percent.map { options.strings.text(.percent, ["count": String($0)]) } ?? Calm.unknown
        }
        staleText = moment.staleFor.map { Screen.lastHeard(max($0, 60_000), strings: options.strings) }
        isApproximate = moment.isApproximate
    }
}
