// SPDX-License-Identifier: Apache-2.0

import Logging
import Session
import Testing
import Wire

@testable import Core
@testable import Ledger
@testable import NodeRuntime

/// An outbox with its files, wired as in a node.
struct FiledOutbox {
    private(set) var outbox = Outbox()
    private let files: OutboxFiles
    private var outgoing: [DigestedRecord] = []

    init(_ place: JournalPlace) {
        files = OutboxFiles(directory: place.directory, log: Logger(label: "outbox"))
        let (waiting, acknowledged) = files.load()
        outbox.restore(waiting: waiting, acknowledged: acknowledged)
    }

    var waiting: Int { outbox.waiting.records.count }

    /// Writes a journal with session `own`, and files the records of all other sessions.
    mutating func secure(except own: SessionID?, write: Int) throws {
        let records = outbox.file(except: own, write: write)
        try files.write(
            NodeCore.Write(
                number: write, json: Journal().json(), journal: Journal(), waiting: records.waiting,
                acknowledged: records.acknowledged))
    }

    mutating func add(_ record: DigestedRecord) throws {
        try files.write(waiting: record)
        change { $0.addFiled(record, at: 0) }
    }

    mutating func release(upTo write: Int, at boot: BootTime) { change { $0.noteWritten(write, at: boot) } }
    mutating func restore(_ record: LedgerRecord, at boot: BootTime) { change { $0.restore(record, at: boot) } }
    mutating func hear(_ ack: LedgerAck, at boot: BootTime) { change { $0.receive(ack, at: boot) } }
    mutating func retry(at boot: BootTime) { change { $0.waiting.retry(at: boot) } }

    mutating func link(isUp: Bool, at boot: BootTime) {
        outgoing = []
        change { $0.waiting.noteLink(isUp: isUp, at: boot) }
    }

    mutating func takeOutgoing() -> [DigestedRecord] {
        defer { outgoing = [] }
        return outgoing
    }

    private mutating func change(_ body: (inout Outbox) -> Void) {
        body(&outbox)
        let work = outbox.removeWork()
        outgoing += work.outgoing
        for change in work.changes { files.apply(change) }
        let found = work.wanted.compactMap { files.readAcknowledged($0) }
        if !found.isEmpty { change { $0.addRead(found, at: 0) } }
    }

    /// Holds the register that yields `filed`.
    mutating func hold(_ digested: DigestedRecord) throws {
        let (record, end) = (digested.record, digested.record.startedAt + 60_000)
        let anchor = Anchor(elapsed: 60_000, at: end, bootID: try #require(BootID("boot")), boot: 60_000)
        let register = Register(
            id: record.id, lineage: record.lineage, stamp: record.stamp, epoch: record.version.epoch,
            rev: record.version.rev, owner: record.node, title: record.title, icon: nil, label: nil, mode: record.mode,
            plan: [Phase(kind: .focus, seconds: 1_500)], autoAdvance: false, phase: 0, status: record.status,
            startedAt: record.startedAt, anchor: anchor, runs: [Run(phase: 0, from: record.startedAt, to: end)])
        outbox.hold(register, isApproximate: false)
    }
}
