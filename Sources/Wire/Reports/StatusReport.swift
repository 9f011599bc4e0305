// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import Session

/// What `lockstep status --json` prints and a node answers to `/v1/session`. Every field is always there.
///
/// Seconds are whole, times are milliseconds of group time since 1970. All fields below ``problems`` but ``status``,
/// ``plan``, ``isRunning``, ``isOwner``, ``autoAdvance`` and ``stale`` are `null` while nothing is live.
public struct StatusReport: Codable, Hashable, Sendable {
    /// The space.
    public var space: String
    /// The node that reports.
    public var node: String
    /// Whether it is connected to the broker.
    public var linked: Bool
    /// How good the node's wall clock is; `null` only in a report of an older program.
    @Nullable public var clock: ClockReport?
    /// By how many milliseconds it is ahead of group time; `null` where ``clock`` is.
    @Nullable public var clockAhead: Int64?
    /// What is wrong with the node; `null` only in a report of an older program.
    @Nullable public var problems: [ProblemReport]?

    /// `idle`, or the session's status: running, paused, ready; for five seconds completed or superseded.
    /// In an event also stopped.
    public var status: String
    /// The session's id.
    @Nullable public var session: String?
    /// The id of the first session of a chain of takeovers.
    @Nullable public var lineage: String?
    /// The node that writes the session.
    @Nullable public var owner: String?
    /// Whether that is this node.
    public var isOwner: Bool
    /// What the person does; may be empty.
    @Nullable public var title: String?
    /// An emoji or the name of a built-in drawing.
    @Nullable public var icon: String?
    /// What the time is booked on.
    @Nullable public var label: LabelReport?
    /// `countdown` or `countup`.
    @Nullable public var mode: String?
    /// Whether the next phase starts by itself.
    public var autoAdvance: Bool
    /// The ordered phases; empty while idle.
    public var plan: [PhaseReport]
    /// Index in ``plan`` of the phase that runs, is paused or waits.
    @Nullable public var phase: Int?
    /// That phase as it stands.
    @Nullable public var currentPhase: CurrentPhaseReport?

    /// The title, under the name that other timers use.
    @Nullable public var activityName: String?
    /// The start of the session.
    @Nullable public var startTime: Int64?
    /// Seconds of the current phase that have passed, rounded down.
    @Nullable public var elapsedSeconds: Int?
    /// Seconds of the current phase; `null` when counting up.
    @Nullable public var totalSeconds: Int?
    /// Calm percent, 0 to 100; `null` while nobody measures it, or too little was heard.
    @Nullable public var calmPercent: Int?
    /// rising, falling or steady; `null` where nobody can tell.
    @Nullable public var calmTrend: String?
    /// Minutes that are missing to the week's goal, negative where more was done; `null` while nobody counts them.
    @Nullable public var debtMinutes: Int?
    /// When the debt service found that.
    @Nullable public var debtAt: Int64?
    /// Whether time passes.
    public var isRunning: Bool

    /// Seconds that a countdown shows: the rest of the current phase, rounded up; `null` when counting up.
    @Nullable public var remainingSeconds: Int?
    /// When the current phase of a running countdown ends.
    @Nullable public var endsAt: Int64?
    /// The same in ISO 8601, UTC.
    @Nullable public var endsAtISO: String?
    /// Whether there has been no contact with the owner for 30 seconds.
    public var stale: Bool
    /// Since when there has been none, once stale.
    @Nullable public var staleSince: Int64?
    /// By how many milliseconds the time is wrong at most on this node; `null` when nobody can tell.
    @Nullable public var errorBound: Int?
    /// Whether that is so much, while time passes, that a display shows it as approximate.
    @Nullable public var approximate: Bool?
    /// The later start that ended the session.
    @Nullable public var supersededBy: SupersederReport?
    /// Of a session that its owner has taken over: from whom and when.
    @Nullable public var continues: ContinuationReport?
    /// The intent that led to the present revision, if one did.
    @Nullable public var last: LastIntentReport?
    /// Counts the owner's changes.
    @Nullable public var revision: Int?
    /// Counts the journals that the owner lost.
    @Nullable public var epoch: Int?
    /// The order of the session's start.
    @Nullable public var stamp: StampReport?

    /// Reads a view off at an instant.
    /// - Parameters:
    ///   - groupTime: Group time at that instant, in milliseconds since 1970.
    ///   - clock: How good the wall clock of the reporting node is.
    ///   - feeds: What the services have said last.
    ///   - problems: What is wrong with the reporting node.
    public init(
        view: View, space: SpaceID, node: NodeID, at instant: Instant, groupTime: Int64, clock: ClockQuality? = nil,
        feeds: Feeds = Feeds(), problems: [ProblemReport] = []
    ) {
        self.init(
            moment: view.moment(at: instant.boot), of: view, space: space, node: node, at: instant,
            groupTime: groupTime, clock: clock, feeds: feeds, problems: problems)
    }

    /// Describes a moment of a view, of an ended session too.
    /// - Parameters:
    ///   - groupTime: Group time at that instant, in milliseconds since 1970.
    ///   - clock: How good the wall clock of the reporting node is.
    ///   - feeds: What the services have said last.
    ///   - problems: What is wrong with the reporting node.
    public init(
        moment: Moment?, of view: View, space: SpaceID, node: NodeID, at instant: Instant, groupTime: Int64,
        clock: ClockQuality? = nil, feeds: Feeds = Feeds(), problems: [ProblemReport] = []
    ) {
        let register = moment?.register
        let isCountdown = register?.mode == .countdown
        self.space = space.rawValue
        self.node = node.rawValue
        linked = view.isLinked
        self.clock = clock.map(ClockReport.init)
        clockAhead = clock.map { _ in instant.wall - groupTime }
        self.problems = problems
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
        startTime = register?.startedAt
        elapsedSeconds = moment.map { Int($0.elapsed / 1_000) }
        totalSeconds = isCountdown ? register?.currentPhase.seconds : nil
        let calm = feeds.calm(of: register?.id).flatMap { $0.coverage < CalmFeed.enoughCoverage ? nil : $0 }
        calmPercent = calm?.percent
        calmTrend = calm?.trend?.rawValue
        debtMinutes = feeds.debtMinutes(at: groupTime)
        debtAt = feeds.week?.at
        isRunning = register?.status == .running
        remainingSeconds = isCountdown ? moment?.shownSeconds : nil
        endsAt = register?.endsAt
        endsAtISO = register?.endsAt.map(Self.iso)
        stale = moment?.staleFor != nil
        staleSince = moment?.staleFor.map { groupTime - $0 }
        errorBound = moment.flatMap { $0.error.map { Int($0) } }
        approximate = moment?.isApproximate
        supersededBy = register?.supersededBy.map(SupersederReport.init)
        continues = register?.continues.map(ContinuationReport.init)
        last = register?.last.map(LastIntentReport.init)
        revision = register?.rev
        epoch = register?.epoch
        stamp = register.map { StampReport($0.stamp) }
    }

    private static func iso(_ milliseconds: Int64) -> String {
        // Half a millisecond keeps a fraction such as .991 from being cut to .990.
        Date(timeIntervalSince1970: (Double(milliseconds) + 0.5) / 1_000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
