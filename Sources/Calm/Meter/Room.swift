// SPDX-License-Identifier: Apache-2.0

public import Session
public import Wire

/// A space as the calm service has it: what is heard there, and the session meanwhile.
///
/// What is heard is kept apart from the session, so it does not matter which of the two is known first: a pause that was
/// made while its owner had no connection, or a takeover, is added up anew.
public struct Room: Hashable, Sendable, Codable {
    /// How many minutes of the past the feed tells of.
    static let minutes = 60
    /// For so long after its end there is something to say of a session, in milliseconds; then it may be forgotten.
    static let grace: Int64 = 10 * 60_000

    /// What is heard.
    public var meter: Meter
    private var lineage: Lineage?

    /// Makes a room in which nothing was heard.
    public init(threshold: Threshold) { meter = Meter(threshold: threshold) }

    /// Takes the current session, at each change.
    /// - Parameter others: Finds the latest register of another node: of whom the session was taken over from.
    /// - Returns: Whether something has changed that a restart must find again.
    public mutating func follow(_ register: Register, others: (NodeID) -> Register?) -> Bool {
        let before = lineage
        var lineage = lineage.flatMap { $0.id == register.lineage ? $0 : nil } ?? Lineage(of: register.lineage)
        if let former = register.continues.flatMap({ others($0.node) }), former.id != register.id {
            lineage.follow(former)
        }
        lineage.follow(register)
        self.lineage = lineage
        return lineage != before
    }

    /// The running time of the session and of those that it continues, for a restart to find again.
    public var sessions: Lineage? {
        get { lineage }
        set { lineage = newValue }
    }

    /// What there is to say of a session at an instant; `nil` where nothing was heard, or it is long over.
    /// - Parameter moment: The session as it stands then.
    public mutating func feed(of moment: Moment) -> CalmFeed? {
        // By the anchor: it is the same instant on both clocks, however the wall clocks stand.
        let lead = moment.register.anchor.at - moment.anchorBoot
        guard moment.register.status.isLive || moment.boot - moment.anchorBoot < Self.grace else {
            meter.needed = .max
            return nil
        }
        guard !meter.timeline.isEmpty, var lineage, lineage.id == moment.register.lineage else { return nil }
        // Phases that time alone has begun.
        lineage.follow(moment.register)
        let at = moment.boot + lead
        let stretches = lineage.stretches(until: at, lead: lead)
        meter.needed = stretches.map(\.from).min() ?? moment.boot
        let reading = meter.reading(of: stretches)
        return CalmFeed(
            session: moment.register.id, percent: reading.percent, coverage: reading.coverage, trend: reading.trend,
            level: meter.level(at: moment.boot), threshold: meter.threshold.level,
            minutes: meter.minutes(before: moment.boot, count: Self.minutes), at: max(0, at))
    }

    /// Goes over to another boot's clock, which reads so many milliseconds more.
    public mutating func move(by milliseconds: Int64) { meter.move(by: milliseconds) }
}
