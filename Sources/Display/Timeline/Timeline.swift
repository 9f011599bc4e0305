// SPDX-License-Identifier: Apache-2.0

package import Session

/// The future screens of a display until the next event, one for each change by time alone.
///
/// It is for displays that draw by themselves, such as the kiosk page: they need only a clock to show it.
package struct Timeline: Hashable, Sendable {
    /// A screen that is shown until the next entry.
    package struct Entry: Hashable, Sendable {
        /// When it begins, on the node's boot clock.
        package var from: BootTime
        /// When its state began, which may be earlier than ``from``, on the same clock; `nil` when idle.
        package var began: BootTime?
        package var screen: Screen
        /// The clock of the screen's time; `nil` when idle.
        package var count: Count?
        /// When the alarm that waits for a person began, on the same clock.
        package var alarm: BootTime?
        /// The session to which a press applies; `nil` when idle.
        package var session: SessionID?
        /// The index of the phase to which a press applies.
        package var phase = 0
    }

    /// A running or stopped clock.
    package struct Count: Hashable, Sendable {
        /// A reference instant, on the node's boot clock.
        package var anchor: BootTime
        /// The time elapsed in the phase at ``anchor``, with the time beyond its length.
        package var elapsed: Milliseconds
        /// The phase's length; `nil` when counting up.
        package var length: Milliseconds?
        package var runs: Bool
        /// Whether the phase goes on past its length.
        package var hasOvertime: Bool
    }

    package var entries: [Entry]

    /// The maximum number of entries, which no plan reaches.
    private static let entriesLimit = 4 * Limits.phases

    package init(_ view: View, from boot: BootTime, face: Face, options: ScreenOptions = ScreenOptions()) {
        entries = []
        var next: BootTime? = boot
        while let from = next, entries.count < Self.entriesLimit {
            entries.append(Entry(view, from: from, face: face, options: options))
            next = view.nextEntry(after: from)
        }
    }
}

extension Timeline.Entry {
    fileprivate init(_ view: View, from boot: BootTime, face: Face, options: ScreenOptions) {
        from = boot
        screen = Screen(view, at: boot, face: face, options: options)
        guard let moment = view.moment(at: boot) else { return }
        let register = moment.register
        session = register.id
        phase = register.phase
        began = moment.anchorBoot + (register.statusBeganAt - register.anchor.at)
        count = Timeline.Count(
            anchor: boot, elapsed: moment.elapsed + moment.over,
            length: register.mode == .countdown ? register.currentPhase.length : nil,
            runs: register.status == .running,
            hasOvertime: register.mode == .countdown && register.hasOvertime)
        alarm = moment.alarm?.boot
    }
}

extension View {
    /// Returns when time alone next changes anything but the shown time, on this node's boot clock; `nil` if never.
    func nextEntry(after boot: BootTime) -> BootTime? {
        guard let moment = moment(at: boot) else { return nil }
        var changes: [BootTime] = []
        if moment.register.status == .running { changes += [boot + moment.remaining, moment.phaseEnd] }
        if !moment.register.status.isLive { changes.append(moment.anchorBoot + Limits.completionShown) }
        changes += moment.alarm?.changes ?? []
        if let contactLostAt, moment.register.status.isLive { changes.append(contactLostAt + Limits.staleAfter) }
        if !moment.isApproximate, let error = moment.error, self.error?.at != nil {
            // The error bound grows by one millisecond in five seconds.
            changes.append(boot + 5_000 * (Limits.exactEnough + 1 - error))
        }
        return changes.filter { $0 > boot }.min()
    }
}
