// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// Where a machine's outbox has its files: they outlive the program.
struct Shelf: RecordShelf {
    private var waiting: [SessionID: FiledRecord] = [:]
    private var kept: [SessionID: FiledRecord] = [:]

    func load() -> (waiting: [FiledRecord], kept: [FiledRecord]) { (Array(waiting.values), Array(kept.values)) }
    mutating func write(waiting filed: FiledRecord) throws(Never) { waiting[filed.record.id] = filed }
    mutating func keep(_ id: SessionID) throws(Never) { kept[id] = waiting.removeValue(forKey: id) ?? kept[id] }
    mutating func unkeep(_ id: SessionID) { waiting[id] = kept.removeValue(forKey: id) ?? waiting[id] }
    func readKept(_ id: SessionID) -> FiledRecord? { kept[id] }
    mutating func remove(waiting id: SessionID) { waiting[id] = nil }
    mutating func remove(kept id: SessionID) { kept[id] = nil }
}

/// The debt service, as far as records go: what it has on disk, and what it has told whom.
struct LedgerService {
    /// What tells sessions apart: by ``Rules/recordKey`` the node too.
    struct Key: Hashable {
        var node: NodeID?
        var session: SessionID
    }

    /// The latest record of a session, and when the first one and the first final one came.
    struct Entry {
        var filed: FiledRecord
        var begun: Int64
        var ended: Int64?

        var link: FiledLink { FiledLink(filed.record.link, begun: begun, ended: ended) }
    }

    var isUp = true
    var ledger: [Key: Entry] = [:]
    var backup: [Key: Entry] = [:]
    /// The latest version of each session's records that was refused, unless a later one was not.
    var refused: [Key: Version] = [:]
    /// The connections whose presence the broker has: behind it the node has subscribed.
    var announced: Set<Int> = []
    /// The connections of nodes that it has said its weeks to.
    var greeted: [NodeID: ConnectionID] = [:]
    var conflicts: Set<Key> = []
    let rules: Rules

    init(rules: Rules) { self.rules = rules }

    func key(_ record: LedgerRecord) -> Key {
        Key(node: rules.contains(.recordKey) ? record.node : nil, session: record.id)
    }

    mutating func file(_ filed: FiledRecord, at time: Int64) -> LedgerAck.Outcome {
        let (record, key) = (filed.record, key(filed.record))
        guard record.isPlausible(at: time) || !rules.contains(.recordDates) else {
            refused[key] = max(refused[key] ?? record.version, record.version)
            return .refused
        }
        let held = ledger[key]
        switch Filing(
            version: record.version, digest: filed.digest,
            over: held.map { (version: $0.filed.record.version, digest: $0.filed.digest) })
        {
        case .kept:
            if let last = refused[key], record.version > last { refused[key] = nil }
            ledger[key] = Entry(
                filed: filed, begun: held?.begun ?? time, ended: record.status.isLive ? nil : held?.ended ?? time)
            return .kept
        case .known, .older: return .kept
        case .conflict:
            conflicts.insert(key)
            return .conflict
        case .refused: return .refused
        }
    }

    /// All of a node, by session.
    func records(of node: NodeID) -> [LedgerRecord] {
        ledger.values.map(\.filed.record).filter { $0.node == node }.sorted { $0.id < $1.id }
    }

    func weeks(of node: NodeID) -> [RecordWeek] {
        var weeks: [Int: RecordWeek] = [:]
        for entry in ledger.values where entry.filed.record.node == node {
            let number = RecordWeek.number(of: entry.filed.record.stamp)
            weeks[number, default: RecordWeek(number: number)].add(entry.filed.name)
        }
        return weeks.values.sorted { $0.number < $1.number }.suffix(LedgerAck.weeksLimit)
    }
}

/// What happens to ledger records.
///
/// It draws from a stream of its own and counts as no event, so that worlds of before there was a ledger stay as they
/// were.
enum LedgerEvent {
    /// A record of a node reaches the service, by the connection of this index.
    indirect case filed(Int, FiledRecord)
    /// A record that a peer has made up reaches the service.
    case told(Packet)
    /// The service has heard that a node is there.
    case introduced(Int)
    /// What the service says reaches a node.
    indirect case acked(Int, LedgerAck)
    /// An outbox tries again.
    case retry(Int, life: Int)
    /// Somebody makes a backup of the ledger.
    case backup
    /// The service is killed; it comes back with what it had, or with the backup.
    case killed(down: Int, isRestored: Bool)
    case launched
}

extension World {
    private func boot(_ node: Int) -> Int64 { machines[node].clock.boot(at: now) }

    /// Draws what happens to the service itself.
    mutating func planLedger() {
        for _ in 0..<bookkeeping.draw(0...3) {
            let at = Int64(bookkeeping.draw(0...mix.trouble)) * 1_000
            let down = bookkeeping.pick([200, 5_000, 30_000])
            queue.add(.ledger(.killed(down: down, isRestored: bookkeeping.chance(400))), at: at)
            queue.add(.ledger(.backup), at: at / 2)
        }
    }

    mutating func handle(_ event: LedgerEvent) {
        switch event {
        case .filed(let link, let filed): file(filed, from: link)
        case .told(let packet):
            if service.isUp, case .record(let filed) = liar?.read(packet) {
                _ = service.file(filed, at: Clock.epoch + now / 1_000)
            }
        case .introduced(let link):
            service.announced.insert(link)
            greet(link)
        case .acked(let link, let ack): hear(ack, on: link)
        case .retry(let node, let life):
            guard machines[node].isAlive, machines[node].life == life else { return }
            machines[node].retryAt = nil
            machines[node].outbox.retry(at: boot(node))
            sendRecords(of: node)
        case .backup: service.backup = service.ledger
        case .killed(let down, let isRestored):
            guard service.isUp, !isHealed else { return }
            tell("the debt service dies")
            counters.add(.ledgerKilled)
            service.isUp = false
            if isRestored { service.ledger = service.backup }
            queue.add(.ledger(.launched), at: now + Int64(down) * 1_000)
        case .launched: launchService()
        }
    }

    mutating func launchService() {
        service.isUp = true
        service.greeted = [:]
        // Their presences are retained.
        for link in brokers.flatMap(\.open) where service.announced.contains(link) { greet(link) }
    }

    // MARK: The node's side

    /// What an outbox may tell by now is sent.
    mutating func releaseRecords(of node: Int) {
        guard machines[node].isAlive else { return }
        machines[node].outbox.release(upTo: machines[node].safe, at: boot(node))
        sendRecords(of: node)
    }

    mutating func linkRecords(of node: Int, isUp: Bool) {
        machines[node].outbox.link(isUp: isUp, at: boot(node))
        sendRecords(of: node)
    }

    mutating func sendRecords(of node: Int) {
        for filed in machines[node].outbox.takeOutgoing() {
            tell("\(Names.node(node)) > record \(filed.record.id) \(Telling.line(filed.record))")
            if !recorded.insert(filed.name).inserted { counters.add(.recordSentAgain) }
            guard let link = machines[node].connection, connections[link].isOpenAtClient else { continue }
            for _ in 0..<copies() { queue.add(.ledger(.filed(link, filed)), at: now + way()) }
        }
        guard let due = machines[node].outbox.nextRetry(using: &bookkeeping),
            machines[node].retryAt.map({ due < $0 }) ?? true
        else { return }
        machines[node].retryAt = due
        let time = max(machines[node].clock.time(ofBoot: due), now)
        queue.add(.ledger(.retry(node, life: machines[node].life)), at: time)
    }

    private mutating func hear(_ ack: LedgerAck, on link: Int) {
        let node = connections[link].node
        guard machines[node].connection == link, machines[node].isLinked, machines[node].isAlive,
            !machines[node].isNapping, !connections[link].isDownBlocked
        else { return }
        var ack = ack
        if !rules.contains(.weeksCompared), ack.weeks != nil { ack.weeks = nil }
        let waiting = machines[node].outbox.waiting
        machines[node].outbox.hear(ack, at: boot(node))
        if machines[node].outbox.waiting > waiting { counters.add(.ledgerRefilled) }
        sendRecords(of: node)
    }

    // MARK: The service's side

    private func isHeard(_ link: Int) -> Bool {
        service.isUp && connections[link].isOpenAtBroker && !connections[link].isUpBlocked && brokers[0].isUp
            && (connections[link].half == 0 || isBridgeUp)
    }

    private mutating func file(_ filed: FiledRecord, from link: Int) {
        let node = machines[connections[link].node].id
        // As the codec has it: a node writes its own records.
        guard isHeard(link), filed.record.node == node else { return }
        let outcome = service.file(filed, at: Clock.epoch + now / 1_000)
        say(LedgerAck(node: node, items: [LedgerAck.Item(filed.name, outcome)]), on: link)
    }

    private mutating func greet(_ link: Int) {
        let node = machines[connections[link].node].id
        guard isHeard(link), service.greeted[node] != connections[link].id else { return }
        service.greeted[node] = connections[link].id
        say(LedgerAck(node: node, weeks: service.weeks(of: node)), on: link)
    }

    private mutating func say(_ ack: LedgerAck, on link: Int) {
        for _ in 0..<copies() { queue.add(.ledger(.acked(link, ack)), at: now + way()) }
    }

    mutating func introduce(_ link: Int) { queue.add(.ledger(.introduced(link)), at: now + way()) }

    private mutating func way() -> Int64 {
        Int64(mix.latency + (mix.jitter > 0 ? bookkeeping.draw(0...mix.jitter) : 0))
    }

    /// How often a packet arrives.
    private mutating func copies() -> Int {
        if bookkeeping.chance(mix.drops) { return 0 }
        return bookkeeping.chance(mix.duplicates) ? 2 : 1
    }

    // MARK: Checks

    /// A node is about to write its session down: what the ledger must have once it has.
    mutating func witnessRecord(_ journal: Journal, _ write: Int, of node: Int) {
        guard let own = journal.own, own.owner == machines[node].id else { return }
        witness.nodes[node].meant.append((write, own, LedgerRecord(own, isApproximate: journal.isApproximate)))
    }

    /// The disk holds all up to a write.
    mutating func witnessRecords(upTo write: Int, of node: Int) {
        while let first = witness.nodes[node].meant.first, first.write <= write {
            witness.nodes[node].meant.removeFirst()
            if let before = witness.nodes[node].recorded, before.id != first.own.id, before.status.isLive {
                witness.records[before.id]?.ended = Witness.Record.End(
                    ran: before.ran(until: first.own.anchor.boot), isCut: first.own.continues != nil)
            }
            witness.nodes[node].recorded = first.own
            witness.records[first.own.id] = Witness.Record(record: first.record)
        }
    }

    /// Whether a node holds a record that the ledger has not acknowledged. What the ledger has refused waits until there is
    /// another version of it.
    private func waitsForTheLedger(_ machine: Machine) -> Bool {
        !witness.nodes[machine.index].isForgetful
            && machine.outbox.waiting > service.refused.keys.count { $0.node == machine.id }
    }

    /// Every record has reached the ledger, and is what the node had on its disk.
    mutating func checkLedger() {
        guard violation == nil else { return }
        // A phase may just have ended: its record leaves a moment later.
        if machines.contains(where: waitsForTheLedger) { run(until: now + 2_000_000) }
        for machine in machines where waitsForTheLedger(machine) {
            fail(.outboxEmpty, "\(machine.outbox.waiting) records of \(machine.id) wait")
        }
        for (id, expected) in witness.records.sorted(by: { $0.key < $1.key }) {
            guard let node = place(of: expected.record.node), !witness.nodes[node].isForgetful else { continue }
            let key = service.key(expected.record)
            // What a wrong clock has dated is refused, and what was there before it stays.
            let isPlausible = expected.record.isPlausible(at: Clock.epoch + now / 1_000)
            if !isPlausible || expected.ended != nil && service.refused[key] != nil { continue }
            guard let held = service.ledger[key]?.filed.record else {
                return fail(.ledgerHolds, "the ledger has nothing of \(id)")
            }
            if !expected.isMet(by: held) {
                let end = expected.ended.map { ", ended by a start after \($0.ran) ms" } ?? ""
                return fail(
                    .ledgerHolds,
                    "the ledger has \(Telling.line(held)) of \(id), which was \(Telling.line(expected.record))\(end)")
            }
            if service.conflicts.contains(key) { return fail(.ledgerHolds, "two records of \(id) under one version") }
        }
        checkForgeries()
    }

    /// What a peer has recorded changes the end of a session only where it continues that very session, and was there
    /// before the ledger knew its end.
    private mutating func checkForgeries() {
        guard let liar else { return }
        let all = service.ledger.values.sorted { $0.link.link.stamp < $1.link.link.stamp }
        let honest = all.filter { $0.filed.record.node != liar.node }
        let ends = FiledLink.ends(of: all.map(\.link), rules: rules)
        let without = FiledLink.ends(of: honest.map(\.link))
        let cuts = zip(all, ends).filter { $0.0.filed.record.node != liar.node }.map(\.1)
        for (index, entry) in honest.enumerated() where cuts[index] < without[index] {
            let record = entry.filed.record
            let isExplained = all.contains { later in
                let forged = later.filed.record
                guard forged.node == liar.node, forged.lineage == record.lineage, forged.stamp > record.stamp,
                    forged.continuedAt == cuts[index], forged.continuedFrom ?? record.node == record.node
                else { return false }
                let isInTime = cuts[index] >= (record.continuedAt ?? record.startedAt) - Limits.stampLead
                return isInTime && entry.ended.map { $0 >= later.begun } ?? true
            }
            counters.add(.cutByForgery)
            if !isExplained {
                fail(.minutesTheirOwn, "\(record.id) ends at \(cuts[index]) by a record that does not continue it")
            }
        }
        for entry in all where !entry.filed.record.isPlausible(at: Clock.epoch + now / 1_000) {
            fail(.minutesTheirOwn, "the ledger has \(Telling.line(entry.filed.record))")
        }
    }
}

extension Witness {
    /// What was last on disk of a session.
    struct Record {
        var record: LedgerRecord
        /// If another start on its node ended it.
        var ended: End?

        struct End {
            /// Milliseconds that it had run by then.
            var ran: Int64
            /// Whether what goes on from it may have begun earlier.
            var isCut: Bool
        }

        func isMet(by held: LedgerRecord) -> Bool {
            guard let ended else { return held == record }
            let sum = held.runs.reduce(0) { $0 + (($1.to ?? .max / 1_000) - $1.from) }
            return held.status == .superseded && held.version > record.version
                && held.runs.map(\.kind) == record.runs.map(\.kind)
                && (ended.isCut ? sum <= ended.ran + 2 : abs(sum - ended.ran) <= 2)
        }
    }
}
