// SPDX-License-Identifier: Apache-2.0

import Runtime
import Session
import Synchronization

/// The bell of a node: it repeats a sound while an alarm rings, unless the node noticed the alarm late.
final class AlarmBell: Sendable {
    /// The time from one sound to the next, as on the pages (`Web/Shared/alerts.js`).
    private static let interval: Milliseconds = 2_500

    /// The alarm seen last, and the sound played for it.
    private struct State {
        /// The beginning of the alarm that was seen last.
        var beginning: GroupTime?
        /// Whether that alarm was seen within ``Limits/alarmNewFor`` of its beginning.
        var isInTime = false
        var playedAt = BootTime.distantPast
        var isPlaying = false
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> BootTime
    private let play: @Sendable () async -> Void

    init(clock: @escaping @Sendable () -> BootTime = Clocks.boot, play: @escaping @Sendable () async -> Void) {
        self.clock = clock
        self.play = play
    }

    /// Rings as the latest view says, until the views end or the task is cancelled.
    func run(_ views: AsyncStream<View>) async {
        var ringing: Task<Void, Never>?
        defer { ringing?.cancel() }
        for await view in views {
            ringing?.cancel()
            // Each view has a task of its own, which the next view cancels.
            ringing = Task { await ring(view) }
        }
    }

    private func ring(_ view: View) async {
        while !Task.isCancelled, let wait = step(view) { try? await Task.sleep(for: .milliseconds(wait.count)) }
    }

    /// Plays the sound if it is due.
    /// - Returns: The time to the next step; `nil` if only another view can make it ring.
    func step(_ view: View) -> Milliseconds? {
        let boot = clock()
        guard let moment = view.lastMoment(at: boot) else { return nil }
        guard let alarm = moment.alarm else {
            guard moment.register.hasAlarm, moment.register.status == .running else { return nil }
            return max(moment.isInOvertime ? moment.phaseEnd - boot : moment.remaining, 1)
        }
        return state.withLock { state in
            if state.beginning != alarm.groupTime {
                (state.beginning, state.isInTime) = (alarm.groupTime, boot - alarm.boot < Limits.alarmNewFor)
            }
            guard alarm.isRinging, state.isInTime else { return nil }
            let next = state.playedAt + Self.interval
            if next > boot { return next - boot }
            state.playedAt = boot
            if !state.isPlaying { start(&state) }
            return Self.interval
        }
    }

    /// Plays the sound in a task of its own. So a later view, which cancels ``ring(_:)``, does not cut it off.
    private func start(_ state: inout State) {
        state.isPlaying = true
        Task {
            await play()
            self.state.withLock { $0.isPlaying = false }
        }
    }
}
