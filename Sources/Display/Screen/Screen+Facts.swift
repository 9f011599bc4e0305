// SPDX-License-Identifier: Apache-2.0

package import Session

extension Screen {
    /// Numbers and shorter texts for small surfaces such as status bars and widgets.
    package struct Facts: Hashable, Sendable {
        package var kind: PhaseKind?
        package var phaseName: Localized?
        /// The seconds left of a countdown, elapsed in a count-up, or beyond a phase's length.
        package var seconds: Int?
        /// The time of day at which the phase of a running countdown ends, as "14:25".
        package var endClock: Localized?
        /// The position among phases of this kind, as "3/8"; `nil` if there is only one.
        package var phaseCount: Localized?
        /// The calm as "85%", or "–" while unknown; only on the `calm` face.
        package var percentText: Localized?
        /// A text such as "Last heard 1 min ago", in minutes or more; `nil` unless the display is stale.
        package var staleText: Localized?
        /// Whether the time may be wrong by more than a quarter of a second.
        package var isApproximate = false
    }
}

extension Screen.Facts {
    init(of moment: Moment, face: Face, options: ScreenOptions) {
        let register = moment.register
        kind = register.currentPhase.kind
        phaseName =
            register.currentPhase.name.map(Localized.userText) ?? options.strings[register.currentPhase.kind.texts.name]
        seconds = moment.shownSeconds
        let end = moment.isInOvertime ? nil : register.endsAt?.milliseconds
        endClock = end.map { TimeText.clock($0, offset: options.utcOffset($0)) }
        phaseCount = Screen.position(in: register).map { "\($0.index)/\($0.total)" }
        if face == .calm { percentText = options.percentText }
        staleText = moment.staleFor.map { Screen.lastHeard(max($0, .minutes(1)), strings: options.strings) }
        isApproximate = moment.isApproximate
    }
}
