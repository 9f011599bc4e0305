// SPDX-License-Identifier: Apache-2.0

import Core
import Ledger
import Session
import Wire

/// A machine's files of ledger records, which outlive the program.
struct RecordFiles {
    private var waiting: [SessionID: DigestedRecord] = [:]
    private var kept: [SessionID: DigestedRecord] = [:]

    func restored(with journal: Journal?) -> NodeCore.Restored {
        NodeCore.Restored(journal: journal, waiting: Array(waiting.values), acknowledged: Array(kept.values))
    }

    func acknowledged(_ ids: [SessionID]) -> [DigestedRecord] { ids.compactMap { kept[$0] } }

    mutating func put(_ write: NodeCore.Write) {
        for digested in write.waiting { waiting[digested.record.id] = digested }
        for digested in write.acknowledged {
            waiting[digested.record.id] = nil
            kept[digested.record.id] = digested
        }
    }

    mutating func apply(_ change: RecordChange) {
        switch change {
        case .keep(let id): kept[id] = waiting.removeValue(forKey: id) ?? kept[id]
        case .requeue(let id): waiting[id] = kept.removeValue(forKey: id) ?? waiting[id]
        case .removeWaiting(let id): waiting[id] = nil
        case .removeAcknowledged(let id): kept[id] = nil
        }
    }
}

/// The debt service's store of records, and its acknowledgements.
struct LedgerService {
    struct Key: Hashable {
        var node: NodeID?
        var session: SessionID
    }

    /// The latest record of a session, with the arrival of the first one and of the first final one.
    struct Entry {
        var digested: DigestedRecord
        var begun: GroupTime
        var ended: GroupTime?

        var filedPart: FiledPart {
            FiledPart(digested.record.lineagePart, firstReceivedAt: begun, finalReceivedAt: ended)
        }
    }

    var isUp = true
    var ledger: [Key: Entry] = [:]
    var backup: [Key: Entry] = [:]
    /// The latest refused version of each session's records, unless a later one was accepted.
    var refused: [Key: Version] = [:]
    /// The connections whose presence the broker has. A node subscribes before it publishes that.
    var announced: Set<Int> = []
    /// The last connection of each node to which it has sent its weeks.
    var greeted: [NodeID: ConnectionID] = [:]
    var conflicts: Set<Key> = []

    func key(_ record: LedgerRecord) -> Key {
        return Key(node: record.node, session: record.id)  // rule: recordKey, else: Key(session: record.id)
    }

    mutating func file(_ digested: DigestedRecord, at time: GroupTime) -> LedgerAck.Outcome {
        let (record, key) = (digested.record, key(digested.record))
        guard
            record.isPlausible(at: time)  // rule: recordDates
        else {
            refused[key] = max(refused[key] ?? record.version, record.version)
            return .refused
        }
        let held = ledger[key]
        switch FilingResult(
            version: record.version, digest: digested.digest,
            over: held.map { (version: $0.digested.record.version, digest: $0.digested.digest) })
        {
        case .stored:
            if let last = refused[key], record.version > last { refused[key] = nil }
            ledger[key] = Entry(
                digested: digested, begun: held?.begun ?? time, ended: record.status.isLive ? nil : held?.ended ?? time)
            return .kept
        case .known, .older: return .kept
        case .conflict:
            conflicts.insert(key)
            return .conflict
        case .overQuota: return .refused
        }
    }

    func records(of node: NodeID) -> [LedgerRecord] {
        ledger.values.map(\.digested.record).filter { $0.node == node }.sorted { $0.id < $1.id }
    }

    func weeks(of node: NodeID) -> [RecordWeek] {
        var weeks: [Int: RecordWeek] = [:]
        for entry in ledger.values where entry.digested.record.node == node {
            let number = RecordWeek.number(of: entry.digested.record.stamp)
            weeks[number, default: RecordWeek(number: number)].add(entry.digested.name)
        }
        return weeks.values.sorted { $0.number < $1.number }.suffix(LedgerAck.weeksLimit)
    }
}

/// An event of ledger records. It has its own stream and is not counted, so that other choices stay as they are.
enum LedgerEvent {
    /// A record of a node reaches the service through the connection of this index.
    indirect case filed(Int, DigestedRecord)
    /// A forged record reaches the service.
    case told(Packet)
    /// The service receives the presence of a node.
    case introduced(Int)
    /// An acknowledgement reaches a node.
    indirect case acked(Int, LedgerAck)
    /// The ledger is backed up.
    case backup
    /// The service is killed and restarts with its ledger or with the backup.
    case killed(down: Milliseconds, isRestored: Bool)
    case launched
}

extension World {
    /// Draws the faults of the service.
    mutating func planLedger() {
        for _ in 0..<bookkeeping.draw(0...3) {
            let at = bookkeeping.draw(0...Milliseconds(mix.trouble))
            let down: Milliseconds = bookkeeping.pick([200, 5_000, 30_000])
            queue.add(.ledger(.killed(down: down, isRestored: bookkeeping.chance(400))), at: .start + at)
            queue.add(.ledger(.backup), at: .start + Microseconds(Microseconds(at).count / 2))
        }
    }

    mutating func handle(_ event: LedgerEvent) {
        switch event {
        case .filed(let link, let digested): file(digested, from: link)
        case .told(let packet):
            if service.isUp, case .record(let digested) = liar?.read(packet) {
                _ = service.file(digested, at: now.date)
            }
        case .introduced(let link):
            service.announced.insert(link)
            greet(link)
        case .acked(let link, let ack): hear(ack, on: link)
        case .backup: service.backup = service.ledger
        case .killed(let down, let isRestored):
            guard service.isUp, !isHealed else { return }
            tell("the debt service dies")
            counters.add(.ledgerKilled)
            service.isUp = false
            if isRestored { service.ledger = service.backup }
            queue.add(.ledger(.launched), at: now + down)
        case .launched: launchService()
        }
    }

    mutating func launchService() {
        service.isUp = true
        service.greeted = [:]
        // Presences are retained.
        for link in brokers.flatMap(\.open) where service.announced.contains(link) { greet(link) }
    }

    // MARK: The node's side

    mutating func sendRecord(_ outgoing: Outgoing, of node: Int) {
        let (topic, payload) = (outgoing.topic, outgoing.payload)
        let read = machines[node].codec.decode(topic: topic, payload: payload, retained: false, now: 0)
        guard case .record(let digested) = read else {
            return fail(.payloadReadable, "\(Names.node(node)) sends a record, read as \(read)")
        }
        tell("\(Names.node(node)) > record \(digested.record.id) \(EventText.line(digested.record))")
        if !recorded.insert(digested.name).inserted { counters.add(.recordSentAgain) }
        guard let link = machines[node].connection, connections[link].isOpenAtClient else { return }
        for _ in 0..<drawCopies() { queue.add(.ledger(.filed(link, digested)), at: now + drawDelay()) }
    }

    private mutating func hear(_ ack: LedgerAck, on link: Int) {
        let node = connections[link].node
        guard machines[node].connection == link, machines[node].isLinked, machines[node].isAlive,
            !machines[node].isNapping, !connections[link].isDownBlocked
        else { return }
        let waiting = machines[node].core.recordsWaiting
        let said = machines[node].codec.encode(ack)
        feed(.received(NodeCore.Packet(topic: said.topic, payload: said.payload, isRetained: said.retain)), to: node)
        if machines[node].core.recordsWaiting > waiting { counters.add(.ledgerRefilled) }
    }

    // MARK: The service's side

    private func reachesService(_ link: Int) -> Bool {
        service.isUp && connections[link].isOpenAtBroker && !connections[link].isUpBlocked && brokers[0].isUp
            && (connections[link].half == 0 || isBridgeUp)
    }

    private mutating func file(_ digested: DigestedRecord, from link: Int) {
        let node = machines[connections[link].node].id
        // The codec checks that a node writes its own records.
        guard reachesService(link), digested.record.node == node else { return }
        let outcome = service.file(digested, at: now.date)
        say(LedgerAck(node: node, items: [LedgerAck.Item(digested.name, outcome)]), on: link)
    }

    private mutating func greet(_ link: Int) {
        let node = machines[connections[link].node].id
        guard reachesService(link), service.greeted[node] != connections[link].id else { return }
        service.greeted[node] = connections[link].id
        say(LedgerAck(node: node, weeks: service.weeks(of: node)), on: link)
    }

    private mutating func say(_ ack: LedgerAck, on link: Int) {
        for _ in 0..<drawCopies() { queue.add(.ledger(.acked(link, ack)), at: now + drawDelay()) }
    }

    mutating func introduce(_ link: Int) { queue.add(.ledger(.introduced(link)), at: now + drawDelay()) }

    private mutating func drawDelay() -> Microseconds {
        Microseconds(mix.latency + (mix.jitter > 0 ? bookkeeping.draw(0...mix.jitter) : 0))
    }

    /// Draws the number of copies of a packet that arrive.
    private mutating func drawCopies() -> Int {
        if bookkeeping.chance(mix.drops) { return 0 }
        return bookkeeping.chance(mix.duplicates) ? 2 : 1
    }
}
