// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Glibc
import NodeRuntime
import Platform
import Session

extension Catalogue {
    /// The words in the language of this process's environment.
    static var ofEnvironment: Strings { best { name in getenv(name).map { String(cString: $0) } } }
}

/// The words of desktop notifications.
struct NotificationWords: Sendable {
    private let strings: Strings

    /// - Parameter language: A tag or a locale; `nil` for that of the environment.
    init(language: String?) { strings = language.map { Catalogue.best(for: [$0]) } ?? Catalogue.ofEnvironment }

    func notification(of event: SessionEvent) -> Hooks.Notification {
        var summary = strings[event.isTakeover ? .movedSomewhere : key(of: event.name)]
        if event.isLate {
            let at = event.at.milliseconds
            let time = TimeText.clock(at, offset: SystemClock.utcOffset(at: at))
            summary = strings.text(.eventLate, ["event": summary, "time": time])
        }
        let session = [event.register.title, event.register.label?.name ?? ""].filter { !$0.isEmpty }
        let lines = [session.joined(separator: " · "), "\(state(at: event))"].filter { !$0.isEmpty }
        return ("\(summary)", lines.joined(separator: "\n"))
    }

    /// Returns the state that a display shows beside the time; empty if the summary says enough.
    private func state(at event: SessionEvent) -> Localized {
        switch event.name {
        case .superseded where event.isTakeover:
            guard let by = event.register.supersededBy else { return "" }
            let at = by.at.milliseconds
            let time = TimeText.clock(at, offset: SystemClock.utcOffset(at: at))
            return strings.text(.moved, ["node": .userText(by.node.rawValue), "time": time])
        case .started, .resumed, .phase, .superseded:
            let options = ScreenOptions(strings: strings, isReadOnly: true, utcOffset: SystemClock.utcOffset)
            let screen = Screen(event.view, at: event.boot, face: .phases, options: options)
            guard event.name != .superseded else { return screen.stateText }
            return [screen.indicatorBesideState, screen.stateText].compactMap(\.self).joined(separator: " · ")
        case .paused, .completed, .stopped, .stale, .alarm: return ""
        }
    }

    private func key(of name: EventName) -> Strings.Key {
        switch name {
        case .started: .eventStarted
        case .paused: .eventPaused
        case .resumed: .eventResumed
        case .phase: .eventPhase
        case .completed: .eventCompleted
        case .stopped: .eventStopped
        case .superseded: .eventSuperseded
        case .stale: .eventStale
        case .alarm: .timeIsUp
        }
    }
}
