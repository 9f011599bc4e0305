// SPDX-License-Identifier: Apache-2.0

import API
import Mosquitto
import Platform
import Runtime
import Session

/// The sessions that a node has seen, the latest first. Its pages list them, and a start offers them again or goes on
/// with one. A crash may lose the last seconds; the debt service has the exact minutes. What hooks were told is not
/// kept here, since it must be on disk before they run: see ``EventMemory``.
struct RecentSessions {
    /// The maximum number of sessions: more than a page lists for a week.
    static let limit = 100
    /// The time from a change until the file is written. To encode a hundred sessions takes the node's thread a
    /// millisecond or more, which would delay a press right after a start.
    private static let saveDelay: Milliseconds = .seconds(2)
    private static let name = "recent.json"
    /// The largest file that is read, in bytes; ``limit`` sessions of the longest plans need less.
    private static let fileLimit = 1 << 20

    private let path: String?
    var saveTimer: LoopTimer?
    private var isUnsaved = false
    private(set) var all: [RecentSession] = []
    /// The register of the latest call of ``note(_:at:)``.
    private var latest: Register?

    /// Reads the sessions of an earlier process. A file that cannot be read is overwritten later.
    init(in directory: String?) {
        path = directory.map { "\($0)/\(Self.name)" }
        guard let path, let bytes = try? Files.read(path, limit: Self.fileLimit),
            let stored: [RecentSession] = try? ReportJSON.decode(from: bytes)
        else { return }
        all = Array(stored.prefix(Self.limit))
    }

    /// Stores the session that is shown now. When it starts or is over, the file is written soon. A later start ends
    /// the session before it: this node may get no further register of that one.
    mutating func note(_ register: Register, at groupTime: GroupTime) {
        if let latest, latest.status.isLive, latest.lineage != register.lineage, latest.stamp < register.stamp {
            let start = Superseder(session: register.id, node: register.owner, at: register.startedAt)
            store(RecentSession(latest.ended(by: start), at: groupTime))
        }
        latest = register
        store(RecentSession(register, at: groupTime))
    }

    /// Stores the stopped sessions among those that the broker retained: this node may not have run when they ended.
    mutating func note(retained registers: [Register], at groupTime: GroupTime) {
        for register in registers where register.status == .stopped { store(RecentSession(register, at: groupTime)) }
    }

    private mutating func store(_ session: RecentSession) {
        let before = all.firstIndex { $0.lineage == session.lineage }
        let isNews = before.map { all[$0].isFinal != session.isFinal } ?? true
        if let before {
            all[before] = session
        } else {
            all.insert(session, at: all.firstIndex { $0.startedAt <= session.startedAt } ?? all.endIndex)
            all = Array(all.prefix(Self.limit))
        }
        guard isNews, !isUnsaved else { return }
        isUnsaved = true
        saveTimer?.arm(after: Self.saveDelay)
    }

    /// Writes the file if it lacks a start or an end. When the node stops, it is written with the latest times.
    mutating func save(isStop: Bool = false) {
        guard isUnsaved || isStop && !all.isEmpty else { return }
        isUnsaved = false
        if let path { try? Files.replace(path, isFlushed: false, with: ReportJSON.encode(all)) }
    }
}
