// SPDX-License-Identifier: Apache-2.0

package import API
import Glibc

/// The settings of hooks, notifications and the sound.
package struct HookSettings: Hashable, Sendable {
    /// The commands for `/bin/sh -c`, by event.
    package var commands: [EventName: String] = [:]
    package var notifies = false
    package var sound = Sound.off

    /// The sound of a node: once at the end of a phase or session, and repeated while an alarm rings.
    package enum Sound: Hashable, Sendable {
        case off
        /// The chime that the node makes itself.
        case chime
        /// The path of a person's own sound.
        case file(String)

        /// Returns the path of its file; `nil` without a sound.
        /// - Parameter state: The state directory of the node.
        package func path(in state: String) -> String? {
            switch self {
            case .off: nil
            case .chime: state + "/chime.wav"
            case .file(let path): path
            }
        }
    }

    package init() {}

    package var isEmpty: Bool { commands.isEmpty && !notifies && sound == .off }

    init(_ values: SettingValues) throws(SettingError) {
        for event in EventName.allCases {
            let setting = Setting(rawValue: "LOCKSTEP_HOOK_\(event.rawValue.uppercased())")
            commands[event] = setting.flatMap { values[$0]?.text }
        }
        notifies = try values.isOn(.notify)
        sound =
            try values.read(.sound, Self.sound, "on, off or the path of a sound file that this user can read") ?? .off
    }
}

extension HookSettings {
    private static func sound(_ text: String) -> Sound? {
        switch text {
        case "on": .chime
        case "off": .off
        default: text.hasPrefix("/") && access(text, R_OK) == 0 ? .file(text) : nil
        }
    }
}
