// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a display shows at one instant, in words and numbers: the one model that every surface draws from.
public struct Screen: Hashable, Sendable {
    /// Something that the session's state alone does not say.
    public struct Notice: Hashable, Sendable {
        /// What it is about; decides how loud it is.
        public enum Kind: String, Hashable, Sendable {
            /// An answer to this display's own press.
            case message
            /// The owner has not been heard for a while.
            case stale
            /// The last change is not on the disk of this display's machine.
            case unsaved
            /// The clock of this display's machine is wrong.
            case clockWrong
            /// This display is not connected itself.
            case linkLost
            /// The session goes on at another node than it began.
            case tookOver
            /// The session was this display's node's own, and goes on at another one.
            case moved
        }

        /// What it is about.
        public var kind: Kind
        /// Its text.
        public var text: String
        /// Of ``Kind/stale``: when the owner was last heard, on this node's boot clock.
        public var since: Int64?
    }

    /// The face that this is for.
    public var face: Face
    /// Where the session stands; `nil` when there is none to show.
    public var status: Status?
    /// The time as it should stand there, with ``TimeText/approximateSign`` where it may be wrong, then shorter ways to
    /// write it; empty when idle.
    public var times: [String] = []
    /// The widest text that the time has in this phase, so that its size need not change.
    public var widestTime = ""
    /// "Focus in progress".
    public var stateText = ""
    /// The label; `nil` for the default label.
    public var label: Label?
    /// What the person does; may be empty.
    public var title = ""
    /// The emoji that the session was given; `nil` for what is neither that nor the name of a drawing.
    public var emoji: String?
    /// "Focus 2/4", "Breathe", or on the `phases` face "Focus", where the plan has only one phase of the kind.
    public var phaseIndicator: String?
    /// Whether ``phaseIndicator`` names the kind of phase and nothing else, which ``stateText`` names too.
    public var isIndicatorKind = false
    /// The drawing that goes with the phase, or that the session was given.
    public var icon = Icon.hourglass
    /// Whether the person rests in this phase.
    public var isBreak = false
    /// The colour of ring, arc and icon.
    public var tint = Tint.focus
    /// What can be pressed, in order.
    public var buttons: [Button] = []
    /// How much of the phase has passed, 0 to 1; `nil` for a count-up.
    public var progress: Double?
    /// "Calm 85%", or "Calm –" while nothing is known; only on the `calm` face.
    public var calmText: String?
    /// Where the calm goes; `nil` where that is not known.
    public var calmTrend: Calm.Trend?
    /// "-120m", on the `boring` face and only while there is a debt.
    public var debtText: String?
    /// "ends 14:25", while a countdown runs.
    public var endsAt: String?
    /// What the state does not say, most important first.
    public var notices: [Notice] = []
    /// What stands on a display without a session.
    public var idleText = ""
    /// What stands on a button whose press is not answered yet.
    public var pendingText = ""
    /// The same in numbers and in shorter words, for small surfaces.
    public var facts = Facts()

    /// An empty screen.
    public init(face: Face) { self.face = face }

    /// The time, as long as there is room for it.
    public var time: String { times.first ?? "" }
    /// The phase as a text beside ``stateText``; `nil` where it would repeat that.
    public var indicatorBesideState: String? { isIndicatorKind && status?.isLive == true ? nil : phaseIndicator }
    /// The phase as a text below the title and label; `nil` where ``stateText`` stands in their place and names it.
    public var indicatorBelowHeading: String? {
        title.isEmpty && label == nil ? indicatorBesideState : phaseIndicator
    }
    /// Whether there is nothing to show.
    public var isIdle: Bool { status == nil }
    /// Whether the owner has not been heard for a while.
    public var isStale: Bool { notices.contains { $0.kind == .stale } }
    /// Whether the time stands still although the session is live.
    public var isFrozen: Bool { status == .paused || status == .ready }
}

/// The colours that stand for kinds of phase.
public enum Tint {
    /// Of focus, work and all else, where a session has no label.
    public static let focus = Colour(red: 0x6E, green: 0xA8, blue: 0xFE)
    /// Of breaks and rests, with and without a label.
    public static let rest = NamedColours.rest
}
