// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The calm service's state of a space: its meter, and the lineage of its current session.
///
/// Samples and registers may arrive in any order, because each feed computes its sums from the timeline. So a takeover
/// or a pause that becomes known late needs no correction.
struct CalmState: Hashable, Sendable, Codable {
    /// The number of past minutes in the feed.
    static let minutes = 60
    /// How long a finished session stays in the feed.
    static let grace: Milliseconds = .minutes(10)

    var meter: QuietMeter
    /// The lineage of the current session, to be saved and restored across restarts.
    var lineage: LineageRuns?

    init(threshold: Threshold) { meter = QuietMeter(threshold: threshold) }

    /// Follows a change of the current session. Returns whether ``lineage`` has changed and must be saved.
    mutating func update(_ register: Register, others: (NodeID) -> Register?) -> Bool {
        let before = lineage
        var lineage = lineage.flatMap { $0.id == register.lineage ? $0 : nil } ?? LineageRuns(of: register.lineage)
        if let former = register.continues.flatMap({ others($0.node) }), former.id != register.id {
            lineage.update(former)
        }
        lineage.update(register)
        self.lineage = lineage
        return lineage != before
    }

    /// Returns the feed of the current session; `nil` if nothing was measured, or if it ended ``grace`` ago or earlier.
    /// Tells the meter how far back the session needs it.
    mutating func feed(of moment: Moment) -> CalmFeed? {
        // The anchor is one instant on both clocks, whatever the wall clocks say.
        let lead = Lead(of: moment.register.anchor.at, over: moment.anchorBoot)
        guard moment.register.status.isLive || moment.boot - moment.anchorBoot < Self.grace else {
            meter.needed = .distantFuture
            return nil
        }
        guard !meter.timeline.isEmpty, var lineage, lineage.id == moment.register.lineage else { return nil }
        // Include phases that began since the last change of the register.
        lineage.update(moment.register)
        let at = moment.boot + lead
        let stretches = lineage.stretches(until: at, lead: lead)
        meter.needed = stretches.map(\.from).min() ?? moment.boot
        let reading = meter.reading(of: stretches)
        return CalmFeed(
            session: moment.register.id, percent: reading.percent, coverage: reading.coverage, trend: reading.trend,
            level: meter.level(at: moment.boot), threshold: meter.threshold.level,
            minutes: meter.minutes(before: moment.boot, count: Self.minutes), at: max(0, at))
    }
}
