// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Wire

@Suite("Messages are read back unchanged", .timeLimit(.minutes(15)))
struct RoundTripTests {
    /// Checks what all payloads have in common, and returns what another node reads.
    private func read(_ sent: Outgoing, qos: Int, retain: Bool, by reader: String = "reader") throws -> Decoded {
        #expect(sent.qos == qos)
        #expect(sent.retain == retain)
        #expect(sent.payload.count <= Limits.payloadBytes)
        #expect(sent.payload.starts(with: #"{"v":1"#.utf8))
        #expect(Fixtures.isJSON(sent.payload))
        return try Fixtures.codec(reader)
            .decode(topic: sent.topic, payload: sent.payload, retained: retain, now: Fixtures.now)
    }

    @Test(arguments: 0..<600)
    func randomMessageIsReadBack(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed))
        let me = random.node()
        let writer = try Fixtures.codec(me.rawValue)
        let message = random.message(from: me)
        if case .register(let register) = message { try #require(register.invalidField == nil) }
        let sent = writer.encode(message)
        let read = try read(
            sent, qos: sent.qos, retain: sent.retain, by: message.addressee?.rawValue ?? "reader")
        #expect(read == .message(message, from: me))
        #expect(writer.encode(message) == sent)
    }

    /// For a clock exchange a late message is worse than a lost one.
    @Test func pingsAndPongsAreNeitherKeptNorRepeated() throws {
        var random = RandomValues(seed: 2)
        let (codec, hall) = (try Fixtures.codec(), try Fixtures.node("hall"))
        let ping = codec.encode(.ping(random.ping(), to: hall))
        let pong = codec.encode(.pong(random.pong(), to: hall))
        #expect(ping.topic == "lockstep/1/home/node/desk/ping/hall")
        #expect(pong.topic == "lockstep/1/home/node/desk/pong/hall")
        for sent in [ping, pong] {
            #expect(try read(sent, qos: 0, retain: false) == .ignored, "it is for another node")
        }
    }

    @Test(arguments: 0..<200)
    func randomJournalIsReadBack(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 10_000)
        let me = random.node()
        let journal = random.journal(of: me)
        #expect(try Journal(json: journal.json()) == journal)
        #expect(Fixtures.isJSON(journal.json()))
    }

    @Test(arguments: 0..<100)
    func randomSoundAndCalmAreReadBack(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 20_000)
        let me = random.node()
        let (codec, level, calm) = (try Fixtures.codec(me.rawValue), random.soundLevel(), random.calm())
        #expect(try read(codec.encode(level), qos: 0, retain: false) == .sound(level, from: me))
        #expect(try read(codec.encode(calm), qos: 1, retain: true) == .feed(.calm(calm)))
    }

    @Test(arguments: 0..<200)
    func randomRecordAckAndDebtAreReadBack(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 30_000)
        let me = random.node()
        let codec = try Fixtures.codec(me.rawValue)
        let digested = DigestedRecord(random.record(of: me))
        #expect(digested.record.invalidField == nil)
        #expect(try read(codec.encode(digested), qos: 1, retain: false) == .record(digested))
        #expect(try DigestedRecord(json: digested.json) == digested)
        #expect(try [LedgerRecord.Run](json: digested.record.runs.json()) == digested.record.runs)
        let (ack, debt, year) = (random.ledgerAck(), random.debt(), random.year())
        #expect(try read(codec.encode(ack), qos: 1, retain: false) == .ledgerAck(ack))
        #expect(try read(codec.encode(debt), qos: 1, retain: true) == .feed(.debt(debt)))
        #expect(try read(codec.encode(year), qos: 1, retain: true) == .feed(.debtYear(year)))
        #expect(codec.encode(year).payload.count <= 4_096)
    }

    @Test(arguments: 0..<100)
    func differentRecordsHaveDifferentDigests(seed: Int) {
        var random = RandomValues(seed: UInt64(seed) + 40_000)
        let record = random.record(of: random.node())
        let digest = DigestedRecord(record).digest
        #expect(DigestedRecord(record).digest == digest)
        #expect(digest.rawValue.utf8.count == 16)
        var others = Array(repeating: record, count: 6)
        others[0].title += "x"
        others[1].version.rev += 1
        others[2].status = record.status == .stopped ? .completed : .stopped
        others[3].isApproximate.toggle()
        others[4].runs.append(LedgerRecord.Run(kind: .rest, from: 1, to: 2))
        others[5].label = Label(name: (record.label?.name ?? "") + "y")
        for other in others { #expect(DigestedRecord(other).digest != digest) }
    }

    @Test func weekDoesNotDependOnTheOrder() {
        var random = RandomValues(seed: 50_000)
        let names = (0..<20).map { _ in DigestedRecord(random.record(of: random.node())).name }
        func week(_ names: [RecordName]) -> RecordWeek {
            names.reduce(into: RecordWeek(number: 7)) { $0.add($1) }
        }
        #expect(week(names) == week(names.reversed()))
        #expect(week(names) != week(names.dropLast()))
        #expect(week(names) != week(names.dropLast() + [names[0]]))
    }

    /// A display adds running time until the session or the week ends.
    @Test func debtGrowsWithTime() throws {
        var week = DebtWeek(
            name: "2026-W47", from: 0, to: 10_000_000, goal: 100, done: 600_000, days: [], streak: 0, labels: [])
        #expect(DebtFeed(minutes: 90, at: 1_000_000, week: week).minutes(at: 9_000_000) == 90)
        week.until = 1_600_000
        let feed = DebtFeed(minutes: 90, at: 1_000_000, week: week)
        #expect(feed.minutes(at: 900_000) == 90)
        #expect(feed.minutes(at: 1_059_999) == 90)
        #expect(feed.minutes(at: 1_060_000) == 89)
        #expect(feed.minutes(at: 9_000_000) == 80)
        #expect(feed.minutes(at: 10_000_000) == nil)
        #expect(DebtFeed(minutes: 5, at: 0).minutes(at: 9) == 5)
    }

    @Test func barrierIsReadBack() throws {
        let codec = try Fixtures.codec()
        let connection: ConnectionID = try Fixtures.token("c-7")
        let sent = codec.barrier(connection)
        #expect(sent.topic == "lockstep/1/home/node/desk/ping/desk")
        #expect(try read(sent, qos: 1, retain: false, by: "desk") == .barrier(connection))
    }

    @Test func willIsTheSamePresenceOffline() throws {
        var random = RandomValues(seed: 1)
        var presence = random.presence()
        presence.isOnline = true
        presence.isSleeping = true
        let codec = try Fixtures.codec()
        let will = codec.will(for: presence)
        presence.isOnline = false
        presence.isSleeping = false
        #expect(will == codec.encode(.presence(presence)))
        #expect(will.retain)
        #expect(will.qos == 1)
    }

    private func grouped(_ number: Int) -> String { "\(number / 1_000),\(String(number % 1_000 + 1_000).dropFirst())" }

    @Test func largestRegisterFitsIntoAPayload() throws {
        let register = RandomValues.largestRegister()
        #expect(register.invalidField == nil)
        let sent = try Fixtures.codec(register.owner.rawValue).encode(.register(register))
        #expect(sent.payload.count <= Limits.payloadBytes, "it is too large: lower the bound of a field")
        let said =
            "the largest register has \(grouped(sent.payload.count)) of the \(grouped(Limits.payloadBytes)) bytes"
        #expect(try Fixtures.protocolPage().contains(said), "Protocol.md must say: \(said)")
        #expect(try read(sent, qos: 1, retain: true) == .message(.register(register), from: register.owner))
    }
}

extension Message {
    fileprivate var addressee: NodeID? {
        switch self {
        case .ping(_, let to), .pong(_, let to): to
        default: nil
        }
    }
}
