// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a display shows at one instant, in words and numbers: the one model that every surface draws from.
public struct Screen: Hashable, Sendable {
    /// The drawing that goes with the phase.
    public enum Icon: Hashable, Sendable {
        case hourglass, cup
    }

    /// Something that the session's state alone does not say.
    public struct Notice: Hashable, Sendable {
        /// What it is about; decides how loud it is.
        public enum Kind: Hashable, Sendable {
            /// An answer to this display's own press.
            case message
            /// The owner has not been heard for a while.
            case stale
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
    /// The emoji or built-in name that the session was given.
    public var customIcon: String?
    /// "Focus 2/4", where the plan has more than one phase.
    public var phaseIndicator: String?
    /// The drawing that goes with the phase.
    public var icon = Icon.hourglass
    /// What can be pressed, in order.
    public var buttons: [Button] = []
    /// How much of the phase has passed, 0 to 1; `nil` for a count-up.
    public var progress: Double?
    /// "ends 14:25", while a countdown runs.
    public var endsAt: String?
    /// What the state does not say, most important first.
    public var notices: [Notice] = []
    /// What stands on a display without a session.
    public var idleText = ""
    /// What stands on a button whose press is not answered yet.
    public var pendingText = ""

    /// An empty screen.
    public init(face: Face) { self.face = face }

    /// The time, as long as there is room for it.
    public var time: String { times.first ?? "" }
    /// Whether there is nothing to show.
    public var isIdle: Bool { status == nil }
    /// Whether the owner has not been heard for a while.
    public var isStale: Bool { notices.contains { $0.kind == .stale } }
    /// Whether the time stands still although the session is live.
    public var isFrozen: Bool { status == .paused || status == .ready }
}
