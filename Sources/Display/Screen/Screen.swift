// SPDX-License-Identifier: Apache-2.0

package import API
package import Session
package import Wire

/// The content of a display at one instant, in words and numbers. Every surface draws from this model.
package struct Screen: Hashable, Sendable {
    /// A message beyond the session's state.
    package struct Notice: Hashable, Sendable, JSONWritable {
        /// The subject of a notice, which decides its prominence.
        package enum Kind: String, Hashable, Sendable {
            /// An answer to a press on this display.
            case answer
            /// The end of a phase or of the session waits for a person.
            case alarm
            /// A text that a person shows on all screens.
            case message
            /// Contact with the owner was lost ``Limits/staleAfter`` ago or earlier.
            case stale
            case unsaved
            case clockWrong
            /// This display's node has no connection to the broker, or the display has no node.
            case unlinked
            case tookOver
            /// Another node has taken the session over from this display's node.
            case moved
        }

        package var kind: Kind
        package var text: Localized
        /// For ``Kind/stale``: when the owner was last heard, on this node's boot clock. The kiosk page updates the
        /// text itself.
        package var since: BootTime?
        /// For ``Kind/stale``: the owner.
        package var from: Localized?

        package var json: JSONText {
            ["kind": kind.rawValue.json, "text": text.json, "since": since?.milliseconds.json, "from": from?.json]
        }
    }

    package var face: Face
    package var status: Status?
    /// The time, with ``TimeText/approximateSign`` if needed, followed by shorter forms. Without a session it is the
    /// time of day, or empty.
    package var times: [Localized] = []
    /// The widest text of the time in this phase, from which displays choose a constant size.
    package var widestTime: Localized = ""
    /// The state, as "Focus in progress".
    package var stateText: Localized = ""
    package var label: Label?
    package var title: Localized = ""
    /// The session's emoji; `nil` if its icon is not an emoji.
    package var emoji: Localized?
    /// The phase, as "Focus 2/4" or "Breathe". If a phase without a name is the only one of its kind, only the `phases`
    /// face has it.
    package var phaseIndicator: Localized?
    /// Whether ``phaseIndicator`` is only the kind of the phase, which ``stateText`` names too.
    package var isIndicatorKind = false
    /// The session's drawing, or the drawing of the phase.
    package var icon = Icon.hourglass
    package var isBreak = false
    /// The colour of ring, arc and icon.
    package var tint = Tint.focus
    package var buttons: [Button] = []
    /// The elapsed fraction of the phase, 0 to 1; `nil` for a count-up.
    package var progress: Double?
    /// The calm as "Calm 85%", or "Calm –" while unknown; only on the `calm` face.
    package var calmText: Localized?
    package var calmTrend: CalmFeed.Trend?
    /// The debt as "-120m"; only on the `boring` face while there is one.
    package var debtText: Localized?
    /// The end as "ends 14:25", while a countdown runs.
    package var endsAt: Localized?
    /// Whether the end of a running phase is as near as ``ScreenOptions/near`` says.
    package var isNear = false
    package var idle = Idle.icon
    /// The minutes of today, or of the week beside ``days``; only without a session.
    package var sumText: Localized?
    /// The days of the week; only without a session and with ``Idle/week``.
    package var days: [Day] = []
    /// The notices, the most important first.
    package var notices: [Notice] = []
    package var idleText: Localized = ""
    /// The caption of a button whose answer has not arrived.
    package var pendingText: Localized = ""
    package var facts = Facts()

    package init(face: Face) { self.face = face }

    package var time: Localized { times.first ?? "" }
    /// The phase, to be shown beside ``stateText``; `nil` if it would repeat that text.
    package var indicatorBesideState: Localized? { isIndicatorKind && status?.isLive == true ? nil : phaseIndicator }
    /// The phase, to be shown below title and label; `nil` if ``stateText`` stands in their place and names it.
    package var indicatorBelowHeading: Localized? {
        title.isEmpty && label == nil ? indicatorBesideState : phaseIndicator
    }
    package var isIdle: Bool { status == nil }
    package var isStale: Bool { notices.contains { $0.kind == .stale } }
    /// The commands that continue or end a session whose owner is gone, for displays without buttons.
    package var continueHint: Localized? {
        guard isStale, !buttons.isEmpty else { return nil }
        return buttons.map { "\($0.text): \(Localized.userText("lockstep " + $0.action.name))" }
            .joined(separator: " · ")
    }
    /// Whether the session is live and its time does not run.
    package var isFrozen: Bool { status == .paused || status == .ready }
}

/// The default colours of kinds of phases.
package enum Tint {
    /// The colour of focus, work and other kinds, if the session has no label.
    package static let focus = Colour(red: 0x6E, green: 0xA8, blue: 0xFE)
    /// The colour of breaks and rests, whatever the label.
    package static let rest = NamedColours.rest
}
