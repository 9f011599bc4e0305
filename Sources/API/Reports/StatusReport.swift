// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Session
package import Wire

/// The output of `lockstep status --json`, one line of it with `--follow`, and the answer of `/v1/session`.
///
/// Every field is always there. Seconds are whole, times are milliseconds of group time since 1970. While
/// ``status`` is `idle`, all fields below ``problems`` are `nil`, empty or false, but for ``message``,
/// ``messageUntil`` and those of the debt.
package struct StatusReport: Hashable, Sendable, Described {
    package var space = ""
    package var node = ""
    package var linked = false
    package var linkProblem: String?
    package var linkFault: LinkFault?
    package var clock: ClockReport?
    package var clockAhead: Milliseconds?
    package var timeFrom: String?
    package var problems: [ProblemReport] = []

    package var status = "idle"
    package var session: String?
    package var lineage: String?
    package var owner: String?
    package var isOwner = false
    package var title: String?
    package var icon: String?
    package var label: LabelReport?
    package var mode: String?
    package var autoAdvance = false
    package var plan: [PhaseReport] = []
    package var phase: Int?
    package var currentPhase: CurrentPhaseReport?

    package var startTime: GroupTime?
    package var elapsedSeconds: Int?
    package var totalSeconds: Int?
    package var calmPercent: Int?
    package var calmTrend: String?
    package var debtMinutes: Int?
    package var debtAt: GroupTime?
    package var debtBy: String?
    package var isRunning = false
    package var alarm = false
    package var overSeconds: Int?
    package var message: String?
    package var messageUntil: GroupTime?

    package var remainingSeconds: Int?
    package var endsAt: GroupTime?
    package var endsAtISO: String?
    package var stale = false
    package var staleSince: GroupTime?
    package var errorBound: Int?
    package var approximate: Bool?
    package var supersededBy: Superseder?
    package var continues: Continuation?
    package var last: LastIntent?
    package var revision: Int?
    package var epoch: Int?
    package var stamp: Stamp?

    private init() {}

    package static let objectName = "Session"
    package static let blank = StatusReport()

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("space", &space, .nodeName, "The group of nodes that share the session.")
        try coder.field("node", &node, .nodeName, "The reporting node.")
        try coder.field("linked", &linked, .bool, "Whether the node is connected to the broker.")
        try coder.field(
            "linkProblem", nullable: &linkProblem, .string,
            "Why the node is not connected; null if it is, or if no reason is known.")
        try coder.field(
            "linkFault", nullable: &linkFault, .word(),
            "The kind of that reason: login, the broker refuses user or password; tls, no trusted connection; other.")
        try coder.field("clock", nullable: &clock, .object(), "The quality of the node's wall clock.")
        try coder.field(
            "clockAhead", nullable: &clockAhead, .whole(),
            "The offset of the wall clock from group time in milliseconds, positive if ahead.")
        try coder.field(
            "timeFrom", nullable: &timeFrom, .string,
            "The node whose clock group time follows; null for the own clock, or if no clock can be right.")
        try coder.field("problems", &problems, .list(of: .object(), 0...100), "The problems found on the node.")
        try coder.field(
            "status", &status, .oneOf(["idle"] + Status.allCases.map(\.rawValue)),
            "completed and superseded for five seconds, then idle; completed as long as alarm is true. stopped only for a hook."
        )
        try coder.field("session", nullable: &session, .string, "The session's id.")
        try coder.field("lineage", nullable: &lineage, .string, "The first session of a chain of takeovers.")
        try coder.field("owner", nullable: &owner, .string, "The node that writes the session.")
        try coder.field("isOwner", &isOwner, .bool, "Whether that is the reporting node.")
        try coder.field("title", nullable: &title, .string, "The title; may be empty.")
        try coder.field("icon", nullable: &icon, .string, "An emoji or the name of a built-in drawing.")
        try coder.field("label", nullable: &label, .object(), "The label on which the time is booked.")
        try coder.field("mode", nullable: &mode, .string, "countdown or countup")
        try coder.field("autoAdvance", &autoAdvance, .bool, "Whether the next phase starts by itself.")
        try coder.field("plan", &plan, .list(of: .object(), 0...Limits.phases), "The phases; empty while idle.")
        try coder.field("phase", nullable: &phase, .whole(), "The index in plan of the phase that runs or waits.")
        try coder.field("currentPhase", nullable: &currentPhase, .object(), "That phase with its present length.")
        try coder.field("activityName", nullable: &title, .string, "The title, as other timers call it.")
        try coder.field("startTime", nullable: &startTime, .whole(), "The start, in milliseconds since 1970.")
        try coder.field(
            "elapsedSeconds", nullable: &elapsedSeconds, .whole(), "Of the current phase, rounded down.")
        try coder.field(
            "totalSeconds", nullable: &totalSeconds, .whole(), "Of the current phase; null when counting up.")
        try coder.field(
            "calmPercent", nullable: &calmPercent, .percent, "How calm it was; null while too little was measured.")
        try coder.field("calmTrend", nullable: &calmTrend, .string, "rising, falling or steady")
        try coder.field(
            "debtMinutes", nullable: &debtMinutes, .whole(),
            "Minutes missing to the week's goal, negative if it is exceeded; null without a debt service.")
        try coder.field(
            "debtAt", nullable: &debtAt, .whole(),
            "When the debt service computed it, in milliseconds since 1970 in group time.")
        try coder.field("debtBy", nullable: &debtBy, .string, "The debt service that publishes it.")
        try coder.field("isRunning", &isRunning, .bool, "Whether time passes.")
        try coder.field(
            "alarm", &alarm, .bool,
            "Whether the end of a phase or of the session waits for a person's ok, ringing or not.")
        try coder.field(
            "overSeconds", nullable: &overSeconds, .whole(), "Beyond the length of the current phase; null before.")
        try coder.field("message", nullable: &message, .string, "The text that is on all screens.")
        try coder.field("messageUntil", nullable: &messageUntil, .whole(), "When it ends, in milliseconds since 1970.")
        try coder.field(
            "remainingSeconds", nullable: &remainingSeconds, .whole(), "Of a countdown, rounded up.")
        try coder.field(
            "endsAt", nullable: &endsAt, .whole(),
            "When the running phase reaches its length, in milliseconds since 1970; in overtime it is past.")
        try coder.field("endsAtISO", nullable: &endsAtISO, .string, "The same in ISO 8601, UTC.")
        try coder.field(
            "stale", &stale, .bool,
            "Whether there has been no contact with the owner for 30 seconds: it is offline, or this node is.")
        try coder.field("staleSince", nullable: &staleSince, .whole(), "When the contact was lost, once stale.")
        try coder.field(
            "errorBound", nullable: &errorBound, .whole(), "The error bound of the time in milliseconds.")
        try coder.field(
            "approximate", nullable: &approximate, .bool, "Whether displays mark the time as approximate.")
        try coder.field("supersededBy", nullable: &supersededBy, .object(), "The later start that ended the session.")
        try coder.field(
            "continues", nullable: &continues, .object(), "The former owner, and when the session was taken over.")
        try coder.field("last", nullable: &last, .object(), "The intent that caused the current revision.")
        try coder.field("revision", nullable: &revision, .whole(), "Counts the owner's changes.")
        try coder.field("epoch", nullable: &epoch, .whole(), "The number of the owner's journal.")
        try coder.field("stamp", nullable: &stamp, .object(), "The order of the session's start.")
    }

    /// Describes a view at a moment, by default at the moment of `instant`.
    package init(
        view: View, moment: Moment? = nil, space: SpaceID, node: NodeID, at instant: Instant, groupTime: GroupTime,
        linkProblem: String? = nil, linkFault: LinkFault? = nil, clock: ClockQuality? = nil, timeFrom: NodeID? = nil,
        feeds: Feeds = Feeds(),
        problems: [ProblemReport] = []
    ) {
        self.space = space.rawValue
        self.node = node.rawValue
        self.clock = clock.map(ClockReport.init)
        clockAhead = clock.map { _ in instant.told - groupTime }
        self.timeFrom = timeFrom?.rawValue
        let moment = moment ?? view.moment(at: instant.boot)
        debtMinutes = feeds.debtMinutes(at: groupTime)
        debtAt = feeds.week?.at
        debtBy = feeds.week?.by?.rawValue
        self.problems = problems
        (self.linkProblem, self.linkFault) = (linkProblem, linkFault)
        show(view, moment: moment, calm: feeds.calm(of: moment?.register.id), at: groupTime)
    }

    /// Returns the report of a later view of the same node at an instant.
    ///
    /// The quality of the clock, the node's problems and the publisher of the debt stay: a view does not have them.
    package func updated(_ shown: NodeView, at instant: Instant) -> StatusReport {
        var report = self
        report.show(
            shown.view, moment: shown.view.moment(at: instant.boot), calm: shown.calm,
            at: instant.told - shown.clockAhead)
        report.debtMinutes = shown.debtMinutes
        return report
    }

    /// Writes the session as it is at a moment, and whether the node is connected.
    private mutating func show(_ view: View, moment: Moment?, calm: CalmFeed?, at groupTime: GroupTime) {
        let register = moment?.register
        let isCountdown = register?.mode == .countdown
        linked = view.isLinked
        if linked { (linkProblem, linkFault) = (nil, nil) }
        calmPercent = calm?.ifKnown?.percent
        calmTrend = calm?.ifKnown?.trend?.rawValue
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
        startTime = register?.startedAt
        elapsedSeconds = moment?.elapsed.wholeSeconds
        totalSeconds = isCountdown ? register?.currentPhase.seconds : nil
        isRunning = register?.status == .running
        let over = moment.flatMap { $0.isInOvertime ? $0.shownSeconds : nil }
        remainingSeconds = !isCountdown ? nil : over == nil ? moment?.shownSeconds : 0
        alarm = moment?.alarm != nil
        overSeconds = over
        message = view.message?.text
        messageUntil = view.message?.until
        endsAt = register?.endsAt
        endsAtISO = register?.endsAt.map(Self.iso)
        stale = moment?.staleFor != nil
        staleSince = moment?.staleFor.map { groupTime - $0 }
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
        // Half a millisecond is added, since the formatter would cut .991 to .990.
        Date(timeIntervalSince1970: (Double(time.milliseconds) + 0.5) / 1_000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
