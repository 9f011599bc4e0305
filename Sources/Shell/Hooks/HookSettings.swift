// SPDX-License-Identifier: Apache-2.0

/// What a person wants to happen at session events.
public struct HookSettings: Hashable, Sendable {
    /// Commands for `/bin/sh -c`, by event.
    public var commands: [SessionEvent.Name: String] = [:]
    /// Whether events are shown as desktop notifications.
    public var notifies = false

    /// Nothing.
    public init() {}

    /// Whether nothing is wanted.
    public var isEmpty: Bool { commands.isEmpty && !notifies }

    init(_ values: SettingValues) throws(SettingError) {
        for event in SessionEvent.Name.allCases { commands[event] = values[.hook(event)]?.text }
        notifies = try values.isOn(.notify)
    }
}

extension Setting {
    /// The setting of the command for an event.
    static func hook(_ event: SessionEvent.Name) -> Setting {
        switch event {
        case .started: .hookStarted
        case .paused: .hookPaused
        case .resumed: .hookResumed
        case .phase: .hookPhase
        case .completed: .hookCompleted
        case .stopped: .hookStopped
        case .superseded: .hookSuperseded
        case .stale: .hookStale
        }
    }
}
