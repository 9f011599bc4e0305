// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Wire

@Suite("What a node writes, another reads back unchanged")
struct RoundTripTests {
    @Test(arguments: 0..<500)
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
        let read = try Fixtures.codec("reader")
            .decode(topic: sent.topic, payload: sent.payload, retained: sent.retain, now: Fixtures.now)
        #expect(read == .message(message, from: me))
        #expect(writer.encode(message) == sent)
    }

    @Test(arguments: 0..<100)
    func randomJournalAndView(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 10_000)
        let me = random.node()
        let register = random.chance() ? random.register(owner: me) : nil
        let journal = Journal(
            epoch: random.pick(1...9),
            mark: HybridClock(time: Int64(random.pick(0...1_000_000)), counter: random.pick(0...9)), own: register,
            past: register.map { [$0.lineage, $0.id] } ?? [])
        #expect(try Journal(json: journal.json()) == journal)
        #expect(JSONOracle.accepts(journal.json()))
        let view = View(
            register: register, anchorBoot: Int64(random.pick(-1_000_000...1_000_000)),
            contactLostAt: random.chance() ? Int64(random.pick(0...1_000_000)) : nil, isOwner: random.chance(),
            isLinked: random.chance())
        #expect(try View(json: view.json()) == view)
        #expect(JSONOracle.accepts(view.json()))
    }

    @Test func journalOfAnotherVersionIsNotRead() {
        #expect(throws: Rejection.self) { try Journal(json: Array(#"{"v":2,"epoch":1}"#.utf8)) }
        #expect(throws: Rejection.self) { try Journal(json: []) }
        #expect(throws: Rejection.self) {
            try Journal(json: Array(#"{"v":1,"epoch":-1,"mark":[0,0],"past":[]}"#.utf8))
        }
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
        #expect(sent.payload.count <= Limits.payloadBytes, "\(sent.payload.count) bytes")
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
        let plan = (0..<Limits.phases).map { _ in
            Phase(kind: .shortBreak, name: String(repeating: "n", count: Limits.nameBytes), seconds: 86_400)
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
                elapsed: 86_400_000, at: late, bootID: try Fixtures.token(token), boot: Limits.reading.upperBound),
            runs: (0..<Limits.runs).map { _ in Run(phase: Limits.phases - 1, from: late, to: late) },
            applied: try (0..<Limits.applied).map { _ in try Fixtures.token(token) },
            last: LastIntent(intent: try Fixtures.token(token), op: .startBreak, from: node, at: late),
            supersededBy: Superseder(session: try Fixtures.token(token), node: node, at: late))
    }
}
