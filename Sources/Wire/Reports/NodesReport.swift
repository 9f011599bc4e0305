// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a node knows of one participant of its space.
public struct PeerRow: Hashable, Sendable {
    /// The participant.
    public var node: NodeID
    /// The last presence that counts; `nil` when none was seen yet.
    public var presence: Presence?
    /// Whether it is connected, as far as this node knows.
    public var isOnline: Bool
    /// Whether its clock, its group time or the stamp of its session is more than ten seconds from group time.
    public var isClockWrong: Bool
    /// When this node last heard of it, in group time; `nil` for never.
    public var lastHeard: Int64?
    /// The session that its register holds.
    public var session: SessionID?
    /// How many of its messages were not used, by reason.
    public var dropped: [Discard: Int]
    /// Ledger records that the debt service has not acknowledged, where it is the reporting node itself.
    public var recordsWaiting: Int?
    /// Whether it is the reporting node itself.
    public var isSelf: Bool

    /// Makes a row.
    public init(
        node: NodeID, presence: Presence? = nil, isOnline: Bool, isClockWrong: Bool = false, lastHeard: Int64? = nil,
        session: SessionID? = nil, dropped: [Discard: Int] = [:], recordsWaiting: Int? = nil, isSelf: Bool = false
    ) {
        self.node = node
        self.presence = presence
        self.isOnline = isOnline
        self.isClockWrong = isClockWrong
        self.lastHeard = lastHeard
        self.session = session
        self.dropped = dropped
        self.recordsWaiting = recordsWaiting
        self.isSelf = isSelf
    }
}

/// What `lockstep nodes --json` prints and a node answers to `/v1/nodes`: an array, ordered by node.
public struct NodesReport: Codable, Hashable, Sendable {
    /// One a participant.
    public var nodes: [NodeReport]

    /// Describes the participants.
    ///
    /// Messages on topics that name no node are counted in a last row of the node `?`.
    public init(_ rows: [PeerRow], strangers: [Discard: Int] = [:]) {
        nodes = rows.sorted { $0.node < $1.node }.map(NodeReport.init)
        if !strangers.isEmpty { nodes.append(NodeReport(strangers: strangers)) }
    }

    /// Reads the array.
    public init(from decoder: any Decoder) throws {
        nodes = try [NodeReport](from: decoder)
    }

    /// Writes the array.
    public func encode(to encoder: any Encoder) throws {
        try nodes.encode(to: encoder)
    }
}

/// One participant in a report. Every field is always there.
public struct NodeReport: Codable, Hashable, Sendable {
    /// Its id.
    public var node: String
    /// Its name for people.
    @Nullable public var name: String?
    /// node, display or service.
    @Nullable public var role: String?
    /// Whether it is connected.
    public var online: Bool
    /// `clockWrong`, `sleeping`, `online`, `offline`, or `unknown` before its first presence.
    public var state: String
    /// When it was last heard, in milliseconds of group time.
    @Nullable public var lastHeard: Int64?
    /// Program and version.
    @Nullable public var software: String?
    /// The id of its latest connection.
    @Nullable public var connection: String?
    /// How good its clock is.
    @Nullable public var clock: ClockReport?
    /// The session that its register holds.
    @Nullable public var session: String?
    /// How many of its messages were not used, by reason.
    public var dropped: [String: Int]
    /// Ledger records that the debt service has not acknowledged; of the reporting node itself only.
    @Nullable public var recordsWaiting: Int?
    /// Whether it is the reporting node itself.
    public var isSelf: Bool

    /// Describes a row.
    public init(_ row: PeerRow) {
        node = row.node.rawValue
        name = row.presence?.name
        role = row.presence?.role.rawValue
        online = row.isOnline
        state = Self.state(of: row)
        lastHeard = row.lastHeard
        software = row.presence?.software
        connection = row.presence?.connection.rawValue
        clock = row.presence.map { ClockReport($0.clock) }
        session = row.session?.rawValue
        dropped = [:]
        for (reason, count) in row.dropped { dropped[reason.rawValue] = count }
        recordsWaiting = row.recordsWaiting
        isSelf = row.isSelf
    }

    fileprivate init(strangers: [Discard: Int]) {
        node = "?"
        name = nil
        role = nil
        online = false
        state = "unknown"
        lastHeard = nil
        software = nil
        connection = nil
        clock = nil
        session = nil
        dropped = [:]
        for (reason, count) in strangers { dropped[reason.rawValue] = count }
        recordsWaiting = nil
        isSelf = false
    }

    private static func state(of row: PeerRow) -> String {
        if row.isClockWrong { return "clockWrong" }
        guard let presence = row.presence else { return row.isOnline ? "online" : "unknown" }
        if presence.isSleeping { return "sleeping" }
        return row.isOnline ? "online" : "offline"
    }
}

/// How good a clock is, in a report.
public struct ClockReport: Codable, Hashable, Sendable {
    /// Whether the kernel says that the wall clock is synchronised.
    public var synced: Bool
    /// The bound of its error in milliseconds.
    @Nullable public var bound: Int64?
    /// Whether it differs from group time by more than ten seconds.
    public var wrong: Bool

    /// Describes a clock.
    public init(_ quality: ClockQuality) {
        synced = quality.synced
        bound = quality.bound
        wrong = quality.isWrong
    }
}
