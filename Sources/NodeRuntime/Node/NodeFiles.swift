// SPDX-License-Identifier: Apache-2.0

import API
import Core
import Glibc
import Ledger
import Logging
import Platform
import Session
import Settings
import Wire

/// The files of a node: its journal, and the ledger records of former sessions.
struct NodeFiles {
    private let directory: StateDirectory?
    private let journal: JournalFile?
    private let records: OutboxFiles?
    private let log: Logger
    /// The error of the last write; `nil` if it succeeded.
    private(set) var failure: String?

    /// - Parameter directory: `nil` for a passing remote, which owns no session and has no files.
    init(directory: StateDirectory?, log: Logger) {
        self.directory = directory
        journal = directory.map { JournalFile(directory: $0) }
        records = directory.map { OutboxFiles(directory: $0, log: log) }
        self.log = log
    }

    func load(for node: NodeID, at wall: WallTime) -> NodeCore.Restored {
        let (waiting, acknowledged) = records?.load() ?? ([], [])
        return NodeCore.Restored(journal: loadJournal(of: node, at: wall), waiting: waiting, acknowledged: acknowledged)
    }

    private func loadJournal(of node: NodeID, at wall: WallTime) -> Journal? {
        switch journal?.load(at: wall) ?? .nothing {
        case .nothing: return nil
        case .journal(let found, let tornBytes):
            if tornBytes > 0 {
                log.info(
                    "the journal ends with an incomplete write of a crash, which is ignored",
                    metadata: ["bytes": "\(tornBytes)"])
            }
            if let owner = found.own?.owner, owner != node {
                log.notice("the journal's session belongs to this node's former id", metadata: ["owner": "\(owner)"])
            } else if let own = found.own, own.status.isLive {
                log.info("session restored from the journal", metadata: ["session": "\(own.id)"])
            }
            return found
        case .damaged(let aside, let reason, let last):
            log.error(
                "the journal is damaged\(last == nil ? "" : "; its last valid line is used")",
                metadata: ["keptAs": "\(aside ?? "nothing: it cannot be renamed")", "reason": "\(reason)"])
            return last
        }
    }

    /// Writes to disk, and returns the result for the core.
    mutating func write(_ write: NodeCore.Write) -> NodeCore.Event {
        do {
            try records?.write(write)
            try journal?.write(write.json)
            failure = nil
            return .written(write.number)
        } catch {
            // The engine tries again every second: only the first failure is logged.
            if failure == nil { log.error("the journal cannot be written", metadata: ["reason": "\(error)"]) }
            failure = "\(error)"
            return .writeFailed(write.number)
        }
    }

    /// Writes the record of a session that a person adds.
    func add(_ record: DigestedRecord) throws(FileError) { try records?.write(waiting: record) }
    func change(_ changes: [RecordChange]) { for change in changes { records?.apply(change) } }
    func acknowledgedRecords(_ ids: [SessionID]) -> [DigestedRecord] {
        ids.compactMap { records?.readAcknowledged($0) }
    }

    /// The problem of a last change that is not on disk; `nil` if it is.
    var problem: ProblemReport? {
        guard let failure, let directory else { return nil }
        let room = Self.room(at: directory.path).map { "; \($0)" } ?? ""
        return ProblemReport(
            .unsaved, "changes are not saved, and other nodes do not get them: \(failure)\(room)",
            fix: "free space on the file system of \(directory.path), or make it writable; the node tries every second"
        )
    }

    /// Describes the free space of a file system; `nil` if it is unknown. For example: "0 of 64 KB are free there".
    private static func room(at path: String) -> String? {
        var system = statvfs()
        guard statvfs(path, &system) == 0 else { return nil }
        let block = UInt64(system.f_frsize)
        return "\(UInt64(system.f_bavail) * block >> 10) of \(UInt64(system.f_blocks) * block >> 10) KB are free there"
    }
}
