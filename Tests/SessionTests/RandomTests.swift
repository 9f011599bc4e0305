// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Session

/// Random inputs never trap, and early wake-ups change nothing.
@Suite(.cpuBound) struct RandomTests {
    static let times: [GroupTime] = [
        0, 1, Limits.earliestStamp, EngineHarness.epoch - 60_000, EngineHarness.epoch - 1, EngineHarness.epoch,
        EngineHarness.epoch + 1, EngineHarness.epoch + 10_000,
        EngineHarness.epoch + 11_000, Limits.time.upperBound,
    ]
    static let operations = IntentOperation.samples + [.extend(seconds: -60)]
    static let counters = [0, 1, 2, 3, 50, Limits.counter.upperBound - 1, Limits.counter.upperBound]

    /// A register with odd but admissible fields.
    static func weird(_ node: String, _ random: inout Random) -> Register {
        let phases = random.pick([1, 1, 2, 3, 80])
        var register = peerRegister(node, session: "W\(random.pick([1, 2, 3, 4]))")
        register.mode = phases == 1 ? random.pick(Mode.allCases) : .countdown
        register.plan = (0..<phases).map { _ in
            Phase(kind: random.pick(PhaseKind.allCases), seconds: random.pick([1, 2, 60, 86_400]))
        }
        register.phase = random.pick([0, phases - 1])
        register.autoAdvance = random.pick([true, false])
        register.status = random.pick(Status.allCases)
        if register.mode == .countup, register.status == .ready { register.status = .paused }
        register.epoch = random.pick(Self.counters)
        register.rev = random.pick(Self.counters)
        register.stamp.time = random.pick(Self.times)
        register.stamp.counter = random.pick(Self.counters)
        register.startedAt = random.pick(Self.times)
        register.anchor = Anchor(
            elapsed: random.pick([0, 1, register.currentPhase.length]), at: random.pick(Self.times),
            bootID: token(random.pick(["boot-1", "boot-2", "x"])),
            boot: random.pick([0, 1, 1_000_000, Limits.reading.upperBound]))
        register.runs = (0..<random.pick([0, 1, 120])).map { _ in
            let from = random.pick(Self.times)
            return Run(
                phase: random.pick([0, phases - 1]), from: from, to: random.pick(Self.times.filter { $0 >= from }))
        }
        if register.status == .running, !register.runs.isEmpty, random.pick([true, false]) {
            register.runs[register.runs.count - 1].to = nil
        }
        register.applied = (0..<random.pick([0, 1, 64])).map { token("I\($0)") }
        register.lineage = token(random.pick(["S1", "W1"]))
        if random.pick([true, false]) {
            register.continues = Continuation(
                node: id("desk"), epoch: random.pick(Self.counters), rev: random.pick(Self.counters),
                at: random.pick(Self.times))
        }
        return register
    }

    static func journal(_ random: inout Random) -> Journal {
        func mark() -> HybridClock { HybridClock(time: random.pick(times), counter: random.pick(counters)) }
        return Journal(
            mark: mark(), own: weird("desk", &random), base: mark(),
            isProvisional: Bool.random(using: &random),
            lastAnnounced: Bool.random(using: &random) ? weird("desk", &random) : nil)
    }

    static func input(_ step: Int, _ rig: EngineHarness, _ random: inout Random) -> Input? {
        let name = random.pick(["desk", "kitchen", "zoo"])
        let draw = Int.random(in: 0...20, using: &random)
        let version = Version(epoch: random.pick(counters), rev: random.pick(counters))
        let operation = random.pick(operations)
        switch draw {
        case 0, 1, 2, 3:
            let register = weird(name, &random)
            #expect(register.invalidField == nil)
            return .received(.register(register), from: id(name), retained: Bool.random(using: &random))
        case 4:
            let text = ["focus 25m", "focus 2s, rest 1s, focus 2s", "work 1s x40 / rest 1s"][step % 3]
            let start = Start(mode: step % 5 == 0 ? .countup : .countdown, plan: plan(text), autoAdvance: step % 2 == 0)
            return .start(start, id: token("S\(step)"), ticket: step)
        case 5, 6: return .press(Press(operation), id: token("P\(step)"), ticket: step)
        case 7:
            var intent = rig.intent(operation, id: "Q\(step % 40)", phase: step % 3)
            intent.expiresAt = random.pick(times)
            return .received(.intent(intent), from: .kitchen, retained: false)
        case 8: return .linkUp(token("c\(step)"), hearsItself: step.isMultiple(of: 2))
        case 9: return .linkDown
        case 10:
            let said = presence("c\(step % 3)", online: step % 2 == 0, sleeping: step % 7 == 0)
            return .received(.presence(said), from: id(name), retained: step % 5 == 0)
        case 11: return .received(.ack(.fork(node: id("desk"), version: version)), from: id(name), retained: false)
        case 12: return .received(.hello, from: id(name), retained: false)
        case 13: return .hangUp(step - 1)
        case 14: return .erased(from: id(name), isPresence: step % 2 == 0)
        case 15: return .take(id: token("T\(step)"), ticket: step)
        case 16: return .sleeping(step % 2 == 0)
        case 17: return .received(clockMessage(step, rig, &random), from: id(name), retained: step % 11 == 0)
        default: return nil
        }
    }

    /// One is right and behind a slow network; the other is hours ahead and shares a boot ID with registers.
    static let clocks: [NodeID: PeerClock] = [
        .kitchen: PeerClock(there: 3, back: 240),
        id("zoo"): PeerClock(
            bootID: "x", lead: -900_000, wallLead: Lead(EngineHarness.epoch.milliseconds + 9_000_000),
            quality: ClockQuality(isSynced: false)
        ),
    ]

    /// A message about a clock, with random readings.
    static func clockMessage(_ step: Int, _ rig: EngineHarness, _ random: inout Random) -> Message {
        let readings: [BootTime] = [0, 1, rig.boot - 1, rig.boot, rig.boot + 1, 9_000_000, Limits.reading.upperBound]
        let connection = rig.engine.link.connection ?? token("c")
        let to = id(random.pick(["desk", "desk", "desk", "zoo"]))
        let clock = ClockQuality(
            isSynced: Bool.random(using: &random), bound: random.pick([nil, 0, 20, Limits.bound.upperBound]),
            isWrong: Bool.random(using: &random))
        switch step % 4 {
        case 0: return .ping(Ping(connection: connection, sent: random.pick(readings), at: random.pick(times)), to: to)
        case 1: return .ack(.clock(node: to, session: token("W1"), at: random.pick(times)))
        default:
            return .pong(
                Pong(
                    connection: connection,
                    sent: max(0, rig.boot - Milliseconds(.random(in: -1...12_000, using: &random))),
                    bootID: token(random.pick(["boot-1", "x"])), boot: random.pick(readings),
                    wall: WallTime(random.pick(times).milliseconds), at: random.pick(times),
                    clock: clock), to: to)
        }
    }

    @Test(arguments: UInt64(1)...40) func randomInputsNeverTrap(seed: UInt64) {
        var random = Random(seed: seed)
        var rig = EngineHarness(journal: seed % 3 == 0 ? Self.journal(&random) : nil)
        rig.echoes = seed % 2 == 0
        if seed % 4 > 1 { rig.clocks = Self.clocks }
        rig.checksFlaws = false
        for step in 1...400 {
            if let input = Self.input(step, rig, &random) {
                rig.ticket = step
                rig.send(input)
            }
            rig.disk = random.pick([.atOnce, .atOnce, .later, .failing])
            if step % 9 == 0 { rig.flush() }
            if step % 15 == 0 { rig.wallBound = rig.wallBound == nil ? 5 : nil }
            if step % 20 == 0 { rig.told = random.pick(Self.times) }
            rig.pass(Milliseconds(.random(in: 0...2_500, using: &random)))
            for offset in [0, 1, 5_000, Limits.bound.upperBound] {
                let moment = rig.engine.view.moment(at: rig.boot + offset)
                if let moment {
                    #expect(moment.remaining >= 0)
                    #expect(moment.elapsed >= 0)
                    #expect(moment.shownSeconds >= 0)
                }
                _ = moment?.nextChange
            }
        }
    }

    /// An engine that wakes only when it asks to acts like one that wakes ten times a second.
    @Test(arguments: UInt64(1)...30) func nextWakeIsEnough(seed: UInt64) {
        var random = Random(seed: seed)
        var rare = EngineHarness()
        var often = EngineHarness()
        rare.checksFlaws = false
        often.checksFlaws = false
        if seed % 2 == 0 { (rare.clocks, often.clocks) = (Self.clocks, Self.clocks) }
        for step in 1...120 {
            if let input = Self.input(step, rare, &random) {
                rare.ticket = step
                rare.send(input)
                often.send(input)
            }
            let disk = random.pick([EngineHarness.DiskMode.atOnce, .atOnce, .atOnce, .failing])
            (rare.disk, often.disk) = (disk, disk)
            let milliseconds = Milliseconds(.random(in: 0...30, using: &random) * 100)
            rare.pass(milliseconds)
            for _ in 0..<(milliseconds / 100).count {
                often.pass(100)
                often.send(.wake)
            }
            let agree = rare.engine == often.engine && rare.log == often.log
            #expect(agree, "seed \(seed), step \(step)")
            if !agree { return }
        }
    }
}

extension Random {
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[pick(0...elements.count - 1)] }
}
