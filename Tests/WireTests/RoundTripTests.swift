// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Wire

@Suite("What a node writes, another reads back unchanged")
struct RoundTripTests {
    @Test(arguments: 0..<600)
    func randomMessage(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed))
        let me = random.node()
        let writer = try Fixtures.codec(me.rawValue)
        let message = random.message(from: me)
        if case .register(let register) = message { try #require(register.flaw == nil) }
        let sent = writer.encode(message)
        #expect(sent.payload.count <= Limits.payloadBytes)
        #expect(JSONOracle.accepts(sent.payload))
        #expect(sent.payload.starts(with: #"{"v":1"#.utf8))
        let reader = try Fixtures.codec(message.addressee?.rawValue ?? "reader")
        let read = reader.decode(
            topic: sent.topic, payload: sent.payload, retained: sent.retain, now: Fixtures.now)
        #expect(read == .message(message, from: me))
        #expect(writer.encode(message) == sent)
    }

    /// Where clocks are compared a late message is worse than none, and an old one is no use at all.
    @Test func pingsAndPongsAreNeitherKeptNorRepeated() throws {
        var random = RandomValues(seed: 2)
        let (codec, hall) = (try Fixtures.codec(), try Fixtures.node("hall"))
        let ping = codec.encode(.ping(random.ping(), to: hall))
        let pong = codec.encode(.pong(random.pong(), to: hall))
        #expect(ping.topic == "lockstep/1/home/node/desk/ping/hall")
        #expect(pong.topic == "lockstep/1/home/node/desk/pong/hall")
        for sent in [ping, pong] {
            #expect(sent.qos == 0 && !sent.retain)
            let read = codec.decode(topic: sent.topic, payload: sent.payload, retained: false, now: Fixtures.now)
            #expect(read == .ignored, "it is for another node")
        }
    }

    @Test(arguments: 0..<200)
    func randomJournalAndView(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 10_000)
        let me = random.node()
        let journal = random.journal(of: me)
        #expect(try Journal(json: journal.json()) == journal)
        #expect(JSONOracle.accepts(journal.json()))
        let view = random.view(of: me)
        #expect(try View(json: view.json()) == view)
        #expect(JSONOracle.accepts(view.json()))
    }

    /// Longer ones and shorter ones, behind a header that stays as it is.
    @Test func theMemoryOfALineServesTheNextOne() throws {
        var random = RandomValues(seed: 3)
        var line = JournalLine()
        for _ in 0..<200 {
            let me = random.node()
            let (journal, codec) = (random.journal(of: me), try Fixtures.codec(me.rawValue))
            line.write(journal, own: journal.own.map { codec.encode($0).outgoing.payload }, behind: 4)
            line.withMutableBytes { bytes in
                #expect([UInt8](bytes.dropFirst(4)) == journal.json() + [UInt8(ascii: "\n")])
                for place in bytes.indices { bytes[place] = 7 }
            }
        }
    }

    @Test(arguments: 0..<100)
    func randomSoundAndCalm(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 20_000)
        let me = random.node()
        let (codec, level) = (try Fixtures.codec(me.rawValue), random.soundLevel())
        let sound = codec.encode(level)
        #expect(sound.qos == 0 && !sound.retain && JSONOracle.accepts(sound.payload))
        #expect(try Fixtures.codec("reader").read(sound) == .sound(level, from: me))
        let calm = random.calm()
        let feed = codec.encode(calm)
        #expect(feed.qos == 1 && feed.retain && JSONOracle.accepts(feed.payload))
        #expect(try Fixtures.codec("reader").read(feed) == .feed(.calm(calm)))
        var shown = NodeView(random.view(of: me))
        shown.calm = calm
        shown.worksAlone = seed % 2 == 0
        #expect(try NodeView(json: shown.json()) == shown)
    }

    @Test(arguments: 0..<200)
    func randomRecordAckAndDebt(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 30_000)
        let me = random.node()
        let (codec, reader) = (try Fixtures.codec(me.rawValue), try Fixtures.codec("reader"))
        let filed = FiledRecord(random.record(of: me))
        #expect(filed.record.flaw == nil)
        let record = codec.encode(filed)
        #expect(record.qos == 1 && !record.retain && JSONOracle.accepts(record.payload))
        #expect(reader.read(record) == .record(filed))
        #expect(try FiledRecord(json: filed.json()) == filed)
        #expect(try [LedgerRecord.Run](json: filed.record.runs.json()) == filed.record.runs)
        let ack = random.ledgerAck()
        let answer = codec.encode(ack)
        #expect(answer.qos == 1 && !answer.retain && JSONOracle.accepts(answer.payload))
        #expect(answer.payload.count <= Limits.payloadBytes)
        #expect(reader.read(answer) == .ledgerAck(ack))
        let debt = random.debt()
        let feed = codec.encode(debt)
        #expect(feed.qos == 1 && feed.retain && JSONOracle.accepts(feed.payload))
        #expect(feed.payload.count <= Limits.payloadBytes)
        #expect(reader.read(feed) == .feed(.debt(debt)))
        let year = random.year()
        let before = codec.encode(year)
        #expect(before.payload.count <= 4_096 && before.retain)
        #expect(reader.read(before) == .feed(.debtYear(year)))
    }

    /// One record differs from another in its digest if it does in anything.
    @Test(arguments: 0..<100)
    func digestsDiffer(seed: Int) {
        var random = RandomValues(seed: UInt64(seed) + 40_000)
        let record = random.record(of: random.node())
        let digest = FiledRecord(record).digest
        #expect(FiledRecord(record).digest == digest && digest.rawValue.utf8.count == 16)
        var others = Array(repeating: record, count: 6)
        others[0].title += "x"
        others[1].version.rev += 1
        others[2].status = record.status == .stopped ? .completed : .stopped
        others[3].isApproximate.toggle()
        others[4].runs.append(LedgerRecord.Run(kind: .rest, from: 1, to: 2))
        others[5].label = Label(name: (record.label?.name ?? "") + "y")
        for other in others { #expect(FiledRecord(other).digest != digest) }
    }

    /// The same records make the same week, in whatever order they came.
    @Test func weeksAreSums() {
        var random = RandomValues(seed: 50_000)
        let names = (0..<20).map { _ in FiledRecord(random.record(of: random.node())).name }
        func week(_ names: [RecordName]) -> RecordWeek {
            names.reduce(into: RecordWeek(number: 7)) { $0.add($1) }
        }
        #expect(week(names) == week(names.reversed()))
        #expect(week(names) != week(names.dropLast()))
        #expect(week(names) != week(names.dropLast() + [names[0]]))
    }

    /// What still runs is added by who looks, until it ends, and not beyond the week.
    @Test func debtGoesOnByItself() throws {
        var week = DebtWeek(
            name: "2026-W47", from: 0, to: 10_000_000, goal: 100, done: 600_000, days: [], streak: 0, labels: [])
        #expect(DebtFeed(minutes: 90, at: 1_000_000, week: week).minutes(at: 9_000_000) == 90)
        week.until = 1_600_000
        let feed = DebtFeed(minutes: 90, at: 1_000_000, week: week)
        #expect(feed.minutes(at: 900_000) == 90)
        #expect(feed.minutes(at: 1_059_999) == 90 && feed.minutes(at: 1_060_000) == 89)
        #expect(feed.minutes(at: 9_000_000) == 80 && feed.minutes(at: 10_000_000) == nil)
        var feeds = Feeds()
        let isNew = feeds.take(.debt(feed))
        #expect(isNew)
        #expect(feeds.nextDebtChange(after: 1_000_000) == 1_060_000)
        #expect(feeds.nextDebtChange(after: 1_060_000) == 1_120_000)
        #expect(feeds.nextDebtChange(after: 1_600_000) == 10_000_000)
        #expect(feeds.nextDebtChange(after: 10_000_000) == nil)
        #expect(DebtFeed(minutes: 5, at: 0).minutes(at: 9) == 5)
    }

    @Test func barrierComesBack() throws {
        let codec = try Fixtures.codec()
        let connection: ConnectionID = try Fixtures.token("c-7")
        let sent = codec.barrier(connection)
        #expect(sent.topic == "lockstep/1/home/node/desk/ping/desk")
        #expect(sent.qos == 1 && !sent.retain)
        let read = codec.decode(topic: sent.topic, payload: sent.payload, retained: false, now: 0)
        #expect(read == .barrier(connection))
    }

    @Test func willIsTheSamePresenceOffline() throws {
        var random = RandomValues(seed: 1)
        var presence = random.presence()
        presence.online = true
        presence.isSleeping = true
        let codec = try Fixtures.codec()
        let will = codec.will(for: presence)
        presence.online = false
        presence.isSleeping = false
        #expect(will == codec.encode(.presence(presence)))
        #expect(will.retain && will.qos == 1)
    }

    @Test func largestRegisterFitsIntoAPayload() throws {
        let register = try largest()
        #expect(register.flaw == nil)
        let sent = try Fixtures.codec(register.owner.rawValue).encode(.register(register))
        #expect(
            sent.payload.count <= Limits.largestRegisterBytes && sent.payload.count <= Limits.payloadBytes,
            """
            The largest register has \(sent.payload.count) of \(Limits.payloadBytes) bytes. Whoever adds a field, or widens \
            one, states the new size in Limits.largestRegisterBytes, and lowers another bound where it does not fit.
            """)
        let read = try Fixtures.codec()
            .decode(topic: sent.topic, payload: sent.payload, retained: true, now: Fixtures.now)
        #expect(read == .message(.register(register), from: register.owner))
    }

    /// Every field as long as JSON can make it. A text is longest in quotes, since each of them is escaped.
    private func largest() throws -> Register {
        let token = String(repeating: "W", count: 36)
        let node = try Fixtures.node(String(repeating: "w", count: 32))
        let late = Limits.time.upperBound
        let quotes = { (count: Int) in String(repeating: "\"", count: count) }
        let plan = (0..<Limits.phases).map { index in
            Phase(
                kind: .shortBreak, name: String(repeating: "n", count: Limits.nameBytes), seconds: 86_400,
                added: index < Limits.extended ? 86_399 : 0)
        }
        return Register(
            id: try Fixtures.token(token), lineage: try Fixtures.token(token),
            continues: Continuation(
                node: node, epoch: Limits.counter.upperBound, rev: Limits.counter.upperBound, at: late),
            stamp: Stamp(time: late, counter: Limits.counter.upperBound, node: node), epoch: Limits.counter.upperBound,
            rev: Limits.counter.upperBound, owner: node, title: quotes(Limits.titleBytes),
            icon: quotes(Limits.iconBytes),
            label: Label(
                name: quotes(Limits.nameBytes), colour: Colour(red: 255, green: 255, blue: 255, alpha: 254)),
            mode: .countdown, plan: plan, autoAdvance: false, phase: Limits.phases - 1, status: .superseded,
            startedAt: late,
            anchor: Anchor(
                elapsed: 86_400_000, at: late, bound: Limits.reading.upperBound, bootID: try Fixtures.token(token),
                boot: Limits.reading.upperBound),
            runs: (0..<Limits.runs).map { _ in Run(phase: Limits.phases - 1, from: late, to: late) },
            applied: try (0..<Limits.applied).map { _ in try Fixtures.token(token) },
            last: LastIntent(intent: try Fixtures.token(token), op: .startBreak, from: node, at: late),
            supersededBy: Superseder(session: try Fixtures.token(token), node: node, at: late))
    }
}

extension Message {
    /// Whom it is for, where it is not for everybody.
    fileprivate var addressee: NodeID? {
        switch self {
        case .ping(_, let to), .pong(_, let to): to
        default: nil
        }
    }
}

extension WireCodec {
    fileprivate func read(_ sent: Outgoing) -> Decoded {
        decode(topic: sent.topic, payload: sent.payload, retained: sent.retain, now: Fixtures.now)
    }
}
