// SPDX-License-Identifier: Apache-2.0

public import Session
public import Wire

/// The content of a display at one instant, in words and numbers. Every surface draws from this model.
public struct Screen: Hashable, Sendable {
    /// A message beyond the session's state.
    public struct Notice: Hashable, Sendable, Encodable {
        /// The subject of a notice, which decides its prominence.
        public enum Kind: String, Hashable, Sendable, Encodable {
            /// An answer to a press on this display.
            case message
            /// The owner has not been heard within the timeout.
            case stale
            /// The last change is not yet saved on this display's machine.
            case unsaved
            /// The clock of this display's machine is wrong.
            case clockWrong
            /// This display's node has lost its connection.
            case linkLost
            /// Another node has taken the session over.
            case tookOver
            /// Another node has taken the session over from this display's node.
            case moved
        }

        /// The subject.
        public var kind: Kind
        /// The text.
        public var text: Localized
        /// For ``Kind/stale``: when the owner was last heard, in milliseconds of this node's boot clock. The kiosk page
        /// updates the text itself.
        public var since: Int64?
        /// For ``Kind/stale``: the owner.
        public var from: Localized?
    }

    /// The face that shows the screen.
    public var face: Face
    /// The status of the session; `nil` when idle.
    public var status: Status?
    /// The time, with ``TimeText/approximateSign`` if needed, followed by shorter forms; empty when idle.
    public var times: [Localized] = []
    /// The widest text of the time in this phase, from which displays choose a constant size.
    public var widestTime: Localized = ""
    /// The state, as "Focus in progress".
    public var stateText: Localized = ""
    /// The label; `nil` for the default label.
    public var label: Label?
    /// The title of the session; may be empty.
    public var title: Localized = ""
    /// The session's emoji; `nil` if its icon is not an emoji.
    public var emoji: Localized?
    /// The phase, as "Focus 2/4" or "Breathe". Only the `phases` face has it for a phase that is the only one of its kind.
    public var phaseIndicator: Localized?
    /// Whether ``phaseIndicator`` is only the kind of the phase, which ``stateText`` names too.
    public var isIndicatorKind = false
    /// The session's drawing, or the one of the phase.
    public var icon = Icon.hourglass
    /// Whether the phase is a break or a rest.
    public var isBreak = false
    /// The colour of ring, arc and icon.
    public var tint = Tint.focus
    /// The buttons, in order.
    public var buttons: [Button] = []
    /// The elapsed fraction of the phase, 0 to 1; `nil` for a count-up.
    public var progress: Double?
    /// The calm as "Calm 85%", or "Calm –" while unknown; only on the `calm` face.
    public var calmText: Localized?
    /// The trend of the calm; `nil` if unknown.
    public var calmTrend: CalmFeed.Trend?
    /// The debt as "-120m"; only on the `boring` face while there is one.
    public var debtText: Localized?
    /// The end as "ends 14:25", while a countdown runs.
    public var endsAt: Localized?
    /// The notices, the most important first.
    public var notices: [Notice] = []
    /// The text of a display without a session.
    public var idleText: Localized = ""
    /// The caption of a button whose answer has not arrived.
    public var pendingText: Localized = ""
    /// Numbers and shorter texts for small surfaces.
    public var facts = Facts()

    /// Creates an empty screen.
    public init(face: Face) { self.face = face }

    /// The longest form of the time; empty when idle.
    public var time: Localized { times.first ?? "" }
    /// The phase, to be shown beside ``stateText``; `nil` if it would repeat it.
    public var indicatorBesideState: Localized? { isIndicatorKind && status?.isLive == true ? nil : phaseIndicator }
    /// The phase, to be shown below title and label; `nil` if ``stateText`` stands in their place and names it.
    public var indicatorBelowHeading: Localized? {
        title.isEmpty && label == nil ? indicatorBesideState : phaseIndicator
    }
    /// Whether there is no session to show.
    public var isIdle: Bool { status == nil }
    /// Whether the owner has not been heard within the timeout.
    public var isStale: Bool { notices.contains { $0.kind == .stale } }
    /// The commands that continue or end a session whose owner is gone, for displays without buttons.
    public var continueHint: Localized? {
        guard isStale, !buttons.isEmpty else { return nil }
        return buttons.map { "\($0.text): \(Localized.userText("lockstep " + $0.action.name))" }
            .joined(separator: " · ")
    }
    /// Whether the session is live and its time does not run.
    public var isFrozen: Bool { status == .paused || status == .ready }
}

/// The default colours of kinds of phases.
public enum Tint {
    /// The colour of focus, work and other kinds, if the session has no label.
    public static let focus = Colour(red: 0x6E, green: 0xA8, blue: 0xFE)
    /// The colour of breaks and rests, whatever the label.
    public static let rest = NamedColours.rest
}
