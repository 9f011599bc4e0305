// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Session
import Wire

/// The output of `lockstep status --json`, of each line with `--follow`, and of `/v1/session`. Every field is always there.
///
/// Seconds are whole, times are milliseconds of group time since 1970. All fields below ``problems`` but ``status``,
/// ``plan``, ``isRunning``, ``isOwner``, ``autoAdvance`` and ``stale`` are `null` while nothing is live.
package struct StatusReport: Codable, Hashable, Sendable {
    /// The space.
    package var space: String
    /// The node that reports.
    package var node: String
    /// Whether it is connected to the broker.
    package var linked: Bool
    /// Why it is not; `null` if it is, or if no reason is known.
    @Nullable package var linkProblem: String?
    /// How good the node's wall clock is.
    @Nullable package var clock: ClockReport?
    /// The milliseconds by which it is ahead of group time; `null` if ``clock`` is.
    @Nullable package var clockAhead: Int64?
    /// The node whose clock group time follows; `null` for the own clock, or if no clock can be right.
    @Nullable package var timeFrom: String?
    /// The problems of the node.
    package var problems: [ProblemReport]

    /// `idle`, or the session's status: running, paused, ready; for five seconds completed or superseded.
    /// In an event also stopped.
    package var status: String
    /// The session's id.
    @Nullable package var session: String?
    /// The id of the first session of a chain of takeovers.
    @Nullable package var lineage: String?
    /// The node that writes the session.
    @Nullable package var owner: String?
    /// Whether that is this node.
    package var isOwner: Bool
    /// The title; may be empty.
    @Nullable package var title: String?
    /// An emoji or the name of a built-in drawing.
    @Nullable package var icon: String?
    /// The label that the time counts for.
    @Nullable package var label: LabelReport?
    /// `countdown` or `countup`.
    @Nullable package var mode: String?
    /// Whether the next phase starts by itself.
    package var autoAdvance: Bool
    /// The ordered phases; empty while idle.
    package var plan: [PhaseReport]
    /// Index in ``plan`` of the phase that runs, is paused or waits.
    @Nullable package var phase: Int?
    /// The current phase with its present length.
    @Nullable package var currentPhase: CurrentPhaseReport?

    /// The title, under the name that other timers use.
    @Nullable package var activityName: String?
    /// The start of the session.
    @Nullable package var startTime: Int64?
    /// Seconds of the current phase that have passed, rounded down.
    @Nullable package var elapsedSeconds: Int?
    /// Seconds of the current phase; `null` when counting up.
    @Nullable package var totalSeconds: Int?
    /// Calm percent, 0 to 100; `null` while too little was measured.
    @Nullable package var calmPercent: Int?
    /// rising, falling or steady; `null` if unknown.
    @Nullable package var calmTrend: String?
    /// Minutes that are missing to the week's goal, negative beyond it; `null` without a debt service.
    @Nullable package var debtMinutes: Int?
    /// When the debt service computed that.
    @Nullable package var debtAt: Int64?
    /// The debt service that publishes it.
    @Nullable package var debtBy: String?
    /// Whether time passes.
    package var isRunning: Bool

    /// Seconds that a countdown shows: the rest of the current phase, rounded up; `null` when counting up.
    @Nullable package var remainingSeconds: Int?
    /// When the current phase of a running countdown ends.
    @Nullable package var endsAt: Int64?
    /// The end of the phase in ISO 8601, UTC.
    @Nullable package var endsAtISO: String?
    /// Whether there has been no contact with the owner for 30 seconds.
    package var stale: Bool
    /// When the contact was lost, once stale.
    @Nullable package var staleSince: Int64?
    /// The most by which the time is wrong on this node, in milliseconds; `null` if unknown.
    @Nullable package var errorBound: Int?
    /// Whether displays mark the time as approximate because of ``errorBound``.
    @Nullable package var approximate: Bool?
    /// The later start that ended the session.
    @Nullable package var supersededBy: Superseder?
    /// For a session that was taken over: its former owner, and when.
    @Nullable package var continues: Continuation?
    /// The intent that led to this revision, if one did.
    @Nullable package var last: LastIntent?
    /// Counts the owner's changes.
    @Nullable package var revision: Int?
    /// The number of the owner's journal, from 1; it rises by one after each loss.
    @Nullable package var epoch: Int?
    /// The order of the session's start.
    @Nullable package var stamp: Stamp?

    /// Describes a moment of a view.
    /// - Parameters:
    ///   - moment: The moment to describe; `nil` for that of the instant.
    ///   - groupTime: Group time at that instant.
    ///   - linkProblem: Why the reporting node is not connected.
    ///   - clock: How good the wall clock of the reporting node is.
    ///   - timeFrom: The node whose clock group time is taken from.
    ///   - feeds: The last data of the services.
    ///   - problems: The problems of the reporting node.
    package init(
        view: View, moment: Moment? = nil, space: SpaceID, node: NodeID, at instant: Instant, groupTime: GroupTime,
        linkProblem: String? = nil, clock: ClockQuality? = nil, timeFrom: NodeID? = nil, feeds: Feeds = Feeds(),
        problems: [ProblemReport] = []
    ) {
        self.space = space.rawValue
        self.node = node.rawValue
        linked = false
        self.clock = clock.map(ClockReport.init)
        clockAhead = clock.map { _ in (instant.told - groupTime).count }
        self.timeFrom = timeFrom?.rawValue
        status = "idle"
        (isOwner, autoAdvance, isRunning, stale) = (false, false, false, false)
        plan = []
        let moment = moment ?? view.moment(at: instant.boot)
        let calm = feeds.calm(of: moment?.register.id)?.ifKnown
        calmPercent = calm?.percent
        calmTrend = calm?.trend?.rawValue
        debtMinutes = feeds.debtMinutes(at: groupTime)
        debtAt = feeds.week?.at.milliseconds
        debtBy = feeds.week?.by?.rawValue
        self.problems = problems
        show(view, moment: moment, at: groupTime)
        self.linkProblem = view.isLinked ? nil : linkProblem
    }

    /// Returns the report of a later view of the same node at an instant.
    ///
    /// The quality of the clock, the node's problems and the publisher of the debt stay, since a view has none of them.
    package func updated(_ shown: NodeView, at instant: Instant) -> StatusReport {
        var report = self
        report.show(
            shown.view, moment: shown.view.moment(at: instant.boot),
            at: instant.told - Milliseconds(shown.clockAhead))
        report.linkProblem = shown.view.isLinked ? nil : linkProblem
        let calm = shown.calm?.ifKnown
        report.calmPercent = calm?.percent
        report.calmTrend = calm?.trend?.rawValue
        report.debtMinutes = shown.debtMinutes
        return report
    }

    /// Writes the session as it is at a moment, and whether the node is connected.
    private mutating func show(_ view: View, moment: Moment?, at groupTime: GroupTime) {
        let register = moment?.register
        let isCountdown = register?.mode == .countdown
        linked = view.isLinked
        status = register?.status.rawValue ?? "idle"
        session = register?.id.rawValue
        lineage = register?.lineage.rawValue
        owner = register?.owner.rawValue
        isOwner = register != nil && view.isOwner
        title = register?.title
        icon = register?.icon
        label = register?.label.map(LabelReport.init)
        mode = register?.mode.rawValue
        autoAdvance = register?.autoAdvance ?? false
        plan = register?.plan.map(PhaseReport.init) ?? []
        phase = register?.phase
        currentPhase = moment.map(CurrentPhaseReport.init)
        activityName = register?.title
        startTime = register?.startedAt.milliseconds
        elapsedSeconds = moment.map { Int($0.elapsed.count / 1_000) }
        totalSeconds = isCountdown ? register?.currentPhase.seconds : nil
        isRunning = register?.status == .running
        remainingSeconds = isCountdown ? moment?.shownSeconds : nil
        endsAt = register?.endsAt?.milliseconds
        endsAtISO = register?.endsAt.map(Self.iso)
        stale = moment?.staleFor != nil
        staleSince = moment?.staleFor.map { (groupTime - $0).milliseconds }
        errorBound = moment.flatMap { $0.error.map { Int($0.count) } }
        approximate = moment?.isApproximate
        supersededBy = register?.supersededBy
        continues = register?.continues
        last = register?.last
        revision = register?.rev
        epoch = register?.epoch
        stamp = register?.stamp
    }

    private static func iso(_ time: GroupTime) -> String {
        // Half a millisecond more, since the formatter would cut .991 to .990.
        Date(timeIntervalSince1970: (Double(time.milliseconds) + 0.5) / 1_000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
