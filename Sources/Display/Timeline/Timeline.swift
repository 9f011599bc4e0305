// SPDX-License-Identifier: Apache-2.0

public import Session

/// All that a display will show until something happens: a screen for each change that time alone brings, and how the
/// time counts in between.
///
/// For displays that draw by themselves, such as the kiosk page: whoever holds a timeline needs no rule but the clock.
public struct Timeline: Hashable, Sendable {
    /// What is shown from one instant to the next entry's.
    public struct Entry: Hashable, Sendable {
        /// When it begins, on the node's boot clock.
        public var from: Int64
        /// What it shows then.
        public var screen: Screen
        /// How its time goes on; `nil` when idle.
        public var count: Count?
        /// The session and the phase that a press is meant for; `nil` when idle.
        public var session: SessionID?
        /// Index of the phase in the plan.
        public var phase = 0
    }

    /// A time that counts.
    public struct Count: Hashable, Sendable {
        /// An instant on the node's boot clock.
        public var anchor: Int64
        /// Milliseconds of the phase that had passed then.
        public var elapsed: Int64
        /// The phase's length in milliseconds; `nil` when counting up.
        public var length: Int64?
        /// Whether time passes.
        public var isRunning: Bool
    }

    /// In the order of their beginnings; never empty.
    public var entries: [Entry]

    /// More than any plan has of changes.
    private static let most = 4 * Limits.phases

    /// What `face` will show of `view` from `boot` on.
    public init(_ view: View, from boot: Int64, face: Face, options: ScreenOptions = ScreenOptions()) {
        entries = []
        var next: Int64? = boot
        while let from = next, entries.count < Self.most {
            entries.append(Entry(view, from: from, face: face, options: options))
            next = view.nextEntry(after: from)
        }
    }
}

extension Timeline.Entry {
    fileprivate init(_ view: View, from boot: Int64, face: Face, options: ScreenOptions) {
        from = boot
        screen = Screen(view, at: boot, face: face, options: options)
        guard let moment = view.moment(at: boot) else { return }
        let register = moment.register
        session = register.id
        phase = register.phase
        count = Timeline.Count(
            anchor: boot, elapsed: moment.elapsed,
            length: register.mode == .countdown ? register.currentPhase.length : nil,
            isRunning: register.status == .running)
    }
}

extension View {
    /// When the screen differs by more than the time next, on this node's boot clock; `nil` when never by itself.
    fileprivate func nextEntry(after boot: Int64) -> Int64? {
        guard let moment = moment(at: boot) else { return nil }
        var changes: [Int64] = []
        if moment.register.status == .running { changes.append(boot + moment.remaining) }
        if !moment.register.status.isLive { changes.append(moment.anchorBoot + Limits.completionShown) }
        if let contactLostAt, moment.register.status.isLive { changes.append(contactLostAt + Limits.staleAfter) }
        if !moment.isApproximate, let error = moment.error, self.error?.at != nil {
            // The bound grows by a millisecond in five seconds.
            changes.append(boot + (Limits.exactEnough + 1 - error) * 5_000)
        }
        return changes.filter { $0 > boot }.min()
    }
}
