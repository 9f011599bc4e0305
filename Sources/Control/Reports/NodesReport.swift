// SPDX-License-Identifier: Apache-2.0

package import Session

/// The output of `lockstep nodes --json` and of `/v1/nodes`: an array, ordered by node.
package struct NodesReport: Codable, Hashable, Sendable {
    /// The node that stands for messages on topics that name no node.
    package static let strangers = "?"

    /// One element for each participant.
    package var nodes: [NodeReport]

    /// Creates a report. Messages on topics that name no node are counted in a last element, ``strangers``.
    package init(_ nodes: [NodeReport], strangers: [Discard: Int] = [:]) {
        self.nodes = nodes.sorted { $0.node < $1.node }
        if !strangers.isEmpty { self.nodes.append(NodeReport(Self.strangers, isOnline: false, dropped: strangers)) }
    }

    /// Reads the array.
    package init(from decoder: any Decoder) throws { nodes = try [NodeReport](from: decoder) }

    /// Writes the array.
    package func encode(to encoder: any Encoder) throws { try nodes.encode(to: encoder) }
}

/// One participant in a report. Every field is always there.
package struct NodeReport: Codable, Hashable, Sendable {
    /// Its id.
    package var node: String
    /// Its name for people.
    @Nullable package var name: String?
    /// node, display or service.
    @Nullable package var role: String?
    /// Whether it is connected, as far as the reporting node knows.
    package var online: Bool
    /// `clockWrong`, `sleeping`, `online`, `offline`, or `unknown` before its first presence.
    package var state: String
    /// When it was last heard, in milliseconds of group time.
    @Nullable package var lastHeard: Int64?
    /// Program and version.
    @Nullable package var software: String?
    /// The id of its latest connection.
    @Nullable package var connection: String?
    /// How good its clock is.
    @Nullable package var clock: ClockReport?
    /// The session that its register holds.
    @Nullable package var session: String?
    /// How many of its messages were dropped, by reason.
    package var dropped: [String: Int]
    /// Ledger records that the debt service has not acknowledged; of the reporting node itself only.
    @Nullable package var recordsWaiting: Int?
    /// Whether it is the reporting node itself.
    package var isSelf: Bool

    /// Describes a participant.
    /// - Parameters:
    ///   - presence: The last presence that was accepted; `nil` before the first one.
    ///   - isClockWrong: Whether its clock, its group time or its session's stamp is more than ten seconds off.
    package init(
        _ node: String, presence: Presence? = nil, isOnline: Bool, isClockWrong: Bool = false, lastHeard: Int64? = nil,
        session: SessionID? = nil, dropped: [Discard: Int] = [:], recordsWaiting: Int? = nil, isSelf: Bool = false
    ) {
        self.node = node
        online = isOnline
        state =
            if isClockWrong {
                "clockWrong"
            } else if let presence {
                presence.isSleeping ? "sleeping" : isOnline ? "online" : "offline"
            } else {
                isOnline ? "online" : "unknown"
            }
        self.dropped = Dictionary(uniqueKeysWithValues: dropped.map { ($0.rawValue, $1) })
        self.isSelf = isSelf
        name = presence?.name
        role = presence?.role.rawValue
        self.lastHeard = lastHeard
        software = presence?.software
        connection = presence?.connection.rawValue
        clock = presence.map { ClockReport($0.clock) }
        self.session = session?.rawValue
        self.recordsWaiting = recordsWaiting
    }
}

/// The quality of a clock, in a report.
package struct ClockReport: Codable, Hashable, Sendable {
    /// Whether the kernel reports the wall clock as synchronised.
    package var synced: Bool
    /// The bound of its error in milliseconds.
    @Nullable package var bound: Int64?
    /// Whether it differs from group time by more than ten seconds.
    package var wrong: Bool

    package init(_ quality: ClockQuality) {
        synced = quality.synced
        wrong = quality.isWrong
        bound = quality.bound?.count
    }
}
