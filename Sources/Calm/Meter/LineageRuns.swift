// SPDX-License-Identifier: Apache-2.0

import Session

/// The runs of a session and of the sessions that it continues.
struct LineageRuns: Hashable, Codable, Sendable {
    /// The maximum number of sessions kept, the latest ones. A session is seldom taken over more than a few times a
    /// day.
    private static let limit = 64

    let id: SessionID
    private var parts: [Part] = []

    /// The runs of one session of the lineage.
    fileprivate struct Part: Hashable, Codable, Sendable {
        var session: SessionID
        var stamp: Stamp
        /// The session that it took over.
        var continues: Continuation?
        var runs: [Run]

        func part(of lineage: SessionID) -> LineagePart {
            LineagePart(
                lineage: lineage, node: stamp.node, stamp: stamp, startedAt: runs.first?.from ?? .distantFuture,
                takeover: continues.map { LineagePart.Takeover(node: $0.node, at: $0.at) })
        }
    }

    init(of id: SessionID) { self.id = id }

    /// Adds or replaces the session of a register. A register of another lineage is ignored.
    mutating func update(_ register: Register) {
        guard register.lineage == id else { return }
        let part = Part(
            session: register.id, stamp: register.stamp, continues: register.continues, runs: register.runs)
        parts.removeAll { $0.session == part.session }
        parts.append(part)
        parts.sort { $0.stamp < $1.stamp }
        if parts.count > Self.limit { parts.removeFirst(parts.count - Self.limit) }
    }

    /// Returns the running time until `end`, on the boot clock. Each session's runs end where the next one took over.
    func stretches(until end: GroupTime, lead: Lead) -> [Stretch] {
        let lineageParts = parts.map { $0.part(of: id) }
        return zip(parts, lineageParts).flatMap { part, lineagePart -> [Stretch] in
            let limit = min(end, lineagePart.takenOverAt(by: lineageParts) ?? end)
            return part.runs.compactMap { run in
                let to = min(run.to ?? limit, limit)
                return to > run.from ? Stretch(from: run.from - lead, to: to - lead) : nil
            }
        }
    }
}
