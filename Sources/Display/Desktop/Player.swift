// SPDX-License-Identifier: Apache-2.0

package import API
package import Session

/// A live session as a media player of the desktop (MPRIS 2.2): what it shows, and what its keys request.
package struct Player: Hashable, Sendable {
    /// A value of D-Bus.
    package enum Value: Hashable, Sendable {
        case text(String)
        case texts([String])
        /// The path of an object.
        case path(String)
        case flag(Bool)
        case real(Double)
        case whole(Int64)
        /// Named values, in order.
        case entries([Entry])

        package struct Entry: Hashable, Sendable {
            package var key: String
            package var value: Value
        }
    }

    /// The properties that change with the session. All others but the position are constant.
    package static let changing = ["PlaybackStatus", "Metadata", "CanGoNext", "CanPlay", "CanPause", "CanControl"]
    /// A larger change of the position is a jump. A comparison of clocks moves the position by less.
    private static let jump: Milliseconds = .seconds(1)

    private let register: Register
    private let allowed: [IntentOperation]
    private let isReadOnly: Bool
    private let hasAlarm: Bool
    private let metadata: Value
    private let trackID: String
    /// The time of the phase that had passed at ``boot``.
    private let elapsed: Milliseconds
    private let boot: BootTime
    /// When time alone next changes a property, on the boot clock; `nil` if it does not.
    package let nextChange: BootTime?

    /// A request of a media key.
    package enum Request: Hashable, Sendable {
        case press(Press)
        case acknowledge
    }

    /// Creates the player of a node's view; `nil` unless a session is live or its alarm waits.
    package init?(_ node: NodeView, at boot: BootTime, strings: Strings) {
        guard let moment = node.view.moment(at: boot), moment.register.status.isLive || moment.alarm != nil else {
            return nil
        }
        hasAlarm = moment.alarm != nil && !node.isReadOnly
        register = moment.register
        self.boot = boot
        elapsed = moment.elapsed
        isReadOnly = node.isReadOnly
        let canContinue = node.view.isLinked && node.mayOwn
        let actions = isReadOnly ? [] : Buttons.allActions(of: moment, canContinue: canContinue)
        allowed = actions.compactMap { if case .press(let operation) = $0 { operation } else { nil } }

        let screen = Screen(node.view, at: boot, face: .phases, options: ScreenOptions(strings: strings))
        let phase = "\(screen.phaseIndicator ?? screen.stateText)"
        // The lineage stays when another node takes the session over. A path has letters, digits and underscores only.
        let lineage = register.lineage.rawValue.replacing("-", with: "_")
        trackID = "/lockstep/session/\(lineage)/\(register.phase)"
        // A count-up has no length, but a cap.
        let length: [Value.Entry] =
            register.mode == .countdown
            ? [.init(key: "mpris:length", value: .whole(register.currentPhase.length.count * 1_000))] : []
        metadata = .entries(
            [.init(key: "mpris:trackid", value: .path(trackID))] + length + [
                .init(key: "xesam:title", value: .text(register.title.isEmpty ? phase : register.title)),
                .init(key: "xesam:artist", value: .texts([register.label?.name ?? phase])),
            ])
        let changes = [
            register.status == .running ? moment.isInOvertime ? moment.phaseEnd : boot + moment.remaining : nil,
            moment.staleFor == nil ? moment.contactLostAt.map { $0 + Limits.staleAfter } : nil,
        ]
        nextChange = changes.compactMap(\.self).min()
    }

    /// Returns the value of a property, also while there is no player; `nil` for an unknown property.
    package static func value(of property: String, in player: Player?, at boot: BootTime) -> Value? {
        switch property {
        case "Identity": .text("Lockstep")
        case "DesktopEntry": .text("lockstep")
        case "SupportedUriSchemes", "SupportedMimeTypes": .texts([])
        case "CanQuit", "CanRaise", "HasTrackList", "CanGoPrevious", "CanSeek": .flag(false)
        case "Rate", "MinimumRate", "MaximumRate", "Volume": .real(1)
        case "PlaybackStatus":
            .text(player.map { $0.register.status == .running ? "Playing" : "Paused" } ?? "Stopped")
        case "Metadata": player?.metadata ?? .entries([])
        case "Position": .whole((player?.position(at: boot).count ?? 0) * 1_000)
        case "CanGoNext": .flag(player?.allowed.contains(.skip) ?? false)
        // By the specification these two do not depend on whether the time runs.
        case "CanPlay", "CanPause": .flag(player.map { $0.hasAlarm || $0.toggle != nil } ?? false)
        case "CanControl": .flag(player?.isReadOnly == false)
        default: nil
        }
    }

    /// Returns the properties that differ from an earlier player.
    package func changes(since earlier: Player) -> [String] {
        Self.changing.filter { name in
            Self.value(of: name, in: self, at: boot) != Self.value(of: name, in: earlier, at: boot)
        }
    }

    /// Returns whether the position has jumped since an earlier player in the same phase, by more than ``jump``.
    package func hasJumped(since earlier: Player) -> Bool {
        let distance = elapsed - earlier.position(at: boot)
        return trackID == earlier.trackID && max(distance, -distance) > Self.jump
    }

    /// Returns the request of a method of the player; `nil` if it has no effect. While an alarm waits, the keys that
    /// pause and play end the alarm.
    package func request(for method: String) -> Request? {
        if hasAlarm, ["Play", "Pause", "PlayPause"].contains(method) { return .acknowledge }
        return press(for: method).map(Request.press)
    }

    /// Returns the press of a method, for the session and phase that the player shows.
    func press(for method: String) -> Press? {
        let isRunning = register.status == .running
        let wanted: IntentOperation? =
            switch method {
            case "Play": isRunning ? nil : toggle
            case "Pause": isRunning ? toggle : nil
            case "PlayPause": toggle
            case "Stop": .stop
            case "Next": .skip
            default: nil
            }
        guard let wanted, allowed.contains(wanted) else { return nil }
        return Press(wanted, session: register.id, phase: register.phase)
    }

    private var toggle: IntentOperation? {
        let operation = Buttons.toggle(register)
        return allowed.contains(operation) ? operation : nil
    }

    private func position(at instant: BootTime) -> Milliseconds {
        guard register.status == .running else { return elapsed }
        return min(max(elapsed + (instant - boot), 0), register.currentPhase.length)
    }
}
