// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Platform
import Settings

/// The check that the node's machine can show notifications and play sounds, if the settings ask for them.
struct AlertCheck {
    var settings: HookSettings
    var environment: [String: String]

    var problems: [ProblemReport] { [notifications, sounds].compactMap(\.self) }

    private var notifications: ProblemReport? {
        guard settings.notifies else { return nil }
        if !isInstalled("notify-send") {
            return ProblemReport(
                .noAlert, "LOCKSTEP_NOTIFY is on, and notify-send is not installed",
                fix: "sudo apt install libnotify-bin")
        }
        if environment["DBUS_SESSION_BUS_ADDRESS"] == nil, !isInSession("bus") {
            return ProblemReport(
                .noAlert, "LOCKSTEP_NOTIFY is on, and the node runs outside of a desktop session",
                fix: "use the node of a person: lockstep join --user")
        }
        return nil
    }

    private var sounds: ProblemReport? {
        guard settings.sound != .off else { return nil }
        let players = [("pw-play", "PIPEWIRE_REMOTE", "pipewire-0"), ("paplay", "PULSE_SERVER", "pulse/native")]
        let hasServer = players.contains { player, server, socket in
            isInstalled(player) && (environment[server] != nil || isInSession(socket))
        }
        if hasServer || isInstalled("aplay") && access("/dev/snd", R_OK | X_OK) == 0 { return nil }
        let isPlayerInstalled = (players.map(\.0) + ["aplay"]).contains(where: isInstalled)
        return ProblemReport(
            .noAlert,
            "LOCKSTEP_SOUND is on, and "
                + (isPlayerInstalled
                    ? "the node reaches no sound server and no sound card"
                    : "none of pw-play, paplay and aplay is installed"),
            fix: isPlayerInstalled
                ? "use the node of a person in a desktop session: lockstep join --user"
                : "install pipewire-bin, pulseaudio-utils or alsa-utils")
    }

    private func isInstalled(_ program: String) -> Bool {
        Programs.find(program, in: environment["PATH"]) != nil
    }

    private func isInSession(_ socket: String) -> Bool {
        environment["XDG_RUNTIME_DIR"].map { access("\($0)/\(socket)", F_OK) == 0 } ?? false
    }
}
