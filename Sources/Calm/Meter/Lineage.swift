// SPDX-License-Identifier: Apache-2.0

public import Session

/// The running time of a session and of those that it continues.
public struct Lineage: Hashable, Sendable {
    /// The first session of the chain.
    public let id: SessionID
    /// The sessions, by stamp.
    private var parts: [Part] = []

    fileprivate struct Part: Hashable, Sendable {
        var session: SessionID
        var stamp: Stamp
        /// When it took over from the one before, in group time.
        var tookOverAt: Int64?
        /// The node that it took over from.
        var tookOverFrom: NodeID?
        var runs: [Run]

        func link(of lineage: SessionID) -> ChainLink {
            ChainLink(
                lineage: lineage, node: stamp.node, stamp: stamp, startedAt: runs.first?.from ?? .max,
                takeover: tookOverAt.map { ChainLink.Takeover(node: tookOverFrom, at: $0) })
        }
    }

    /// Makes a lineage without running time.
    public init(of id: SessionID) { self.id = id }

    /// Takes what a register says of its session. One of another lineage says nothing.
    public mutating func follow(_ register: Register) {
        guard register.lineage == id else { return }
        let part = Part(
            session: register.id, stamp: register.stamp, tookOverAt: register.continues?.at,
            tookOverFrom: register.continues?.node, runs: register.runs)
        parts.removeAll { $0.session == part.session }
        parts.append(part)
        parts.sort { $0.stamp < $1.stamp }
    }

    /// The running time up to a time: what a session ran after it was taken over is the next one's.
    /// - Parameters:
    ///   - end: In group time; what is open ends there.
    ///   - lead: By how much group time is ahead of the boot clock.
    public func stretches(until end: Int64, lead: Int64) -> [Stretch] {
        let links = parts.map { $0.link(of: id) }
        return zip(parts, links).flatMap { part, link -> [Stretch] in
            let limit = min(end, link.end(by: links) ?? end)
            return part.runs.compactMap { run in
                let to = min(run.to ?? limit, limit)
                return to > run.from ? Stretch(from: run.from - lead, to: to - lead) : nil
            }
        }
    }
}

extension Lineage: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, parts
    }

    /// Reads a lineage back.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.token(.id)
        parts = try fields.decode([Part].self, forKey: .parts)
    }

    /// Writes a lineage.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id.rawValue, forKey: .id)
        try fields.encode(parts, forKey: .parts)
    }
}

extension Lineage.Part: Codable {
    private enum CodingKeys: String, CodingKey {
        case session, time, counter, node, tookOverAt, tookOverFrom, runs
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        session = try fields.token(.session)
        guard let node = NodeID(try fields.decode(String.self, forKey: .node)) else {
            throw DecodingError.dataCorruptedError(forKey: .node, in: fields, debugDescription: "no node")
        }
        stamp = Stamp(
            time: try fields.decode(Int64.self, forKey: .time), counter: try fields.decode(Int.self, forKey: .counter),
            node: node)
        tookOverAt = try fields.decodeIfPresent(Int64.self, forKey: .tookOverAt)
        tookOverFrom = try fields.decodeIfPresent(String.self, forKey: .tookOverFrom).flatMap(NodeID.init)
        runs = try fields.decode([[Int64?]].self, forKey: .runs).map { run in
            guard run.count == 3, let phase = run[0], let from = run[1] else {
                throw DecodingError.dataCorruptedError(forKey: .runs, in: fields, debugDescription: "no run")
            }
            return Run(phase: Int(phase), from: from, to: run[2])
        }
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(session.rawValue, forKey: .session)
        try fields.encode(stamp.time, forKey: .time)
        try fields.encode(stamp.counter, forKey: .counter)
        try fields.encode(stamp.node.rawValue, forKey: .node)
        try fields.encodeIfPresent(tookOverAt, forKey: .tookOverAt)
        try fields.encodeIfPresent(tookOverFrom?.rawValue, forKey: .tookOverFrom)
        try fields.encode(runs.map { [Int64($0.phase), $0.from, $0.to] }, forKey: .runs)
    }
}

extension KeyedDecodingContainer {
    fileprivate func token<Kind>(_ key: Key) throws -> Token<Kind> {
        guard let token = Token<Kind>(try decode(String.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "no id")
        }
        return token
    }
}
