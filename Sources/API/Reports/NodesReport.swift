// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The output of `lockstep nodes --json` and of `/v1/nodes`: an array, ordered by node.
package struct NodesReport: Hashable, Sendable {
    /// The id in a report under which messages on topics that name no node are counted.
    package static let strangers = "?"

    package var nodes: [NodeReport]

    /// Creates a report. Messages on topics that name no node are counted in a last element, ``strangers``.
    package init(_ nodes: [NodeReport], strangers: [Discard: Int] = [:]) {
        self.nodes = nodes.sorted { $0.node < $1.node }
        if !strangers.isEmpty { self.nodes.append(NodeReport(Self.strangers, isOnline: false, dropped: strangers)) }
    }

    package static var format: ListFormat<ObjectFormat<NodeReport>> { .list(of: .object(), 0...100_000) }

    package var encoded: [UInt8] { Self.format.json(nodes) }
}

/// One participant in a report. Every field is always there.
package struct NodeReport: Hashable, Sendable, Described {
    /// How a participant takes part, as far as the reporting node knows.
    package enum State: String, CaseIterable, Sendable {
        case clockWrong, sleeping, online, offline
        /// Its first presence has not arrived, or the reporting node is not connected.
        case unknown
    }

    package var node: String
    package var name: String?
    package var role: String?
    package var online: Bool
    package var state: State
    package var lastHeard: GroupTime?
    package var software: String?
    package var connection: String?
    package var clock: ClockReport?
    package var session: String?
    package var dropped: [Discard: Int]
    package var recordsWaiting: Int?
    package var isSelf: Bool
    package var serves: String?
    package var isService: Bool { role == Role.service.rawValue }

    /// Describes a participant.
    /// - Parameters:
    ///   - isClockWrong: Whether its clock, its group time or its session's stamp is more than ten seconds off.
    ///   - isHeard: Whether the reporting node would hear of a change, because it is connected or reports itself.
    package init(
        _ node: String, presence: Presence? = nil, isOnline: Bool, isClockWrong: Bool = false, isHeard: Bool = true,
        lastHeard: GroupTime? = nil, session: SessionID? = nil, dropped: [Discard: Int] = [:],
        recordsWaiting: Int? = nil,
        isSelf: Bool = false,
        serves: String? = nil
    ) {
        self.node = node
        online = isOnline && isHeard
        state =
            if isClockWrong {
                .clockWrong
            } else if let presence, isHeard {
                presence.isSleeping ? .sleeping : isOnline ? .online : .offline
            } else {
                online ? .online : .unknown
            }
        self.dropped = dropped
        self.isSelf = isSelf
        self.serves = serves
        name = presence?.name
        role = presence?.role.rawValue
        self.lastHeard = lastHeard
        software = presence?.software
        connection = presence?.connection.rawValue
        clock = presence.map { ClockReport($0.clock) }
        self.session = session?.rawValue
        self.recordsWaiting = recordsWaiting
    }

    package static let blank = NodeReport("", isOnline: false)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        var counts = DroppedReport(counts: dropped)
        try coder.field("node", &node, .string, "Its id.")
        try coder.field("name", nullable: &name, .string, "Its name for people.")
        try coder.field("role", nullable: &role, .string, "node, display or service")
        try coder.field("online", &online, .bool, "Whether it is connected, as far as the reporting node knows.")
        try coder.field(
            "state", &state, .word(),
            "unknown: its first presence has not arrived, or the reporting node is not connected.")
        try coder.field(
            "lastHeard", nullable: &lastHeard, .whole(),
            "When it was last heard, in milliseconds since 1970 in group time.")
        try coder.field("software", nullable: &software, .string, "Program and version.")
        try coder.field("connection", nullable: &connection, .string, "The id of its latest connection.")
        try coder.field("clock", nullable: &clock, .object(), "The quality of its clock.")
        try coder.field("session", nullable: &session, .string, "The session that its register holds.")
        try coder.field(
            "dropped", &counts, .object(), "The number of its messages that were discarded, by reason.")
        dropped = counts.counts
        try coder.field(
            "recordsWaiting", nullable: &recordsWaiting, .counter,
            "Ledger records that the debt service has not acknowledged; of the reporting node itself only.")
        try coder.field("isSelf", &isSelf, .bool, "Whether it is the reporting node.")
        try coder.field(
            "serves", nullable: &serves, .string,
            "The feed that it publishes, debt or calm. Of several services for one feed, one publishes it.")
    }
}

/// The quality of a node's wall clock.
package struct ClockReport: Hashable, Sendable, Described {
    package var synced: Bool
    package var bound: Milliseconds?
    package var wrong: Bool

    package init(_ quality: ClockQuality) {
        synced = quality.isSynced
        wrong = quality.isWrong
        bound = quality.bound
    }

    package static let blank = ClockReport(ClockQuality(isSynced: false))

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("synced", &synced, .bool, "Whether the kernel reports it as synchronised.")
        try coder.field("bound", nullable: &bound, .whole(), "The error bound in milliseconds.")
        try coder.field("wrong", &wrong, .bool, "Whether it differs from group time by more than ten seconds.")
    }
}

/// The numbers of discarded messages, by reason. A reason without messages is left out.
private struct DroppedReport: Hashable, Sendable, Described {
    var counts: [Discard: Int]

    static let blank = DroppedReport(counts: [:])

    mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        for reason in Discard.allCases { try coder.field(reason.key, optional: &counts[reason], .whole()) }
    }
}

extension Discard {
    /// The raw value as a `StaticString`, the type of a field's name.
    fileprivate var key: StaticString {
        switch self {
        case .tooLarge: "tooLarge"
        case .malformed: "malformed"
        case .unknownVersion: "unknownVersion"
        case .outOfBounds: "outOfBounds"
        case .wrongSender: "wrongSender"
        case .retained: "retained"
        case .tooManyNodes: "tooManyNodes"
        case .notAsked: "notAsked"
        case .tooOften: "tooOften"
        }
    }
}
