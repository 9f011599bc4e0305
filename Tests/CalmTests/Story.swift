// SPDX-License-Identifier: Apache-2.0

import Session
import Support

@testable import Calm

/// A random session with faults: its events in the order in which the service receives them.
struct Story {
    enum Event {
        case sample(TimedLevel)
        case register(Register)
        /// The service is killed, misses this many milliseconds, and continues.
        case restart(Int64)
    }

    /// Group time minus the boot clock.
    static let lead: Int64 = 1_800_000_000_000
    static let start: Int64 = 1_000_000

    /// All times are multiples of this many milliseconds, so that a reference in such steps is exact.
    static let step: Int64 = 50

    private(set) var events: [(at: Int64, event: Event)] = []
    let threshold: Threshold
    let end: Int64

    init(seed: Int) throws {
        var random = Random(seed: UInt64(seed))
        let mixing = Mixing.allCases[random.chance(60) ? 0 : random.pick(1...2)]
        threshold = Threshold(level: random.pick(300...500), mixing: mixing)
        let length = random.step(5_000...260_000)
        end = Self.start + length
        for microphone in 0..<random.pick(1...3) {
            addSamples(of: "mic \(microphone)", &random)
        }
        try addRegisters(&random)
        if random.chance(40) {
            let (at, gone): (Int64, Int64) = (random.step(Self.start...end), random.step(100...20_000))
            // Messages sent meanwhile are lost; retained ones arrive after the restart.
            events = events.compactMap { event in
                guard (at...at + gone).contains(event.at) else { return event }
                if case .register = event.event { return (at + gone, event.event) }
                return nil
            }
            events.append((at, .restart(gone)))
        }
        events = events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    private mutating func addSamples(of source: String, _ random: inout Random) {
        let period: Int64 = [200, 1_000, 1_000, 1_000, 5_000][random.pick(0...4)]
        let mean = threshold.level + random.pick(-80...80)
        let (spread, worst) = (random.pick(1...150), random.step(0...3_000))
        let (lost, late, doubled): (Int, Int, Int) = (random.pick(0...20), random.pick(0...20), random.pick(0...10))
        var from = Self.start - random.step(0...10_000)
        while from < end {
            defer { from += period + random.step(-period / 20...period / 20) }
            // The microphone is silent for a while.
            if random.chance(1) { from += random.step(1_000...40_000) }
            if random.chance(lost) { continue }
            let sample = TimedLevel(
                source: source, from: BootTime(from), period: Milliseconds(period),
                level: mean + random.pick(-spread...spread))
            for _ in 0..<(random.chance(doubled) ? 2 : 1) {
                let delay = random.chance(late) ? random.step(0...180_000) : random.step(0...worst)
                events.append((from + period + delay, .sample(sample)))
            }
        }
    }

    /// Adds pauses, phases and takeovers, some of which arrive long after they happened.
    private mutating func addRegisters(_ random: inout Random) throws {
        var register = try Self.register("s-0", of: "desk", at: GroupTime(Self.lead + Self.start))
        var (time, heardAt) = (Self.start, Self.start)
        var taken = 0
        func hear(_ delay: Int64) -> Int64 {
            heardAt = max(heardAt, time + delay)
            return heardAt
        }
        events.append((hear(random.step(0...500)), .register(register)))
        while true {
            time += random.step(500...40_000)
            guard time < end else { break }
            let at = GroupTime(Self.lead + time)
            let delay = random.chance(15) ? random.step(0...60_000) : random.step(0...400)
            register.rev += 1
            switch random.pick(0...9) {
            case 0...2 where register.status == .running:
                register.runs[register.runs.count - 1].to = at
                register.status = .paused
            case 3 where register.status == .running:
                register.runs[register.runs.count - 1].to = at
                register.phase = (register.phase + 1) % register.plan.count
                register.runs.append(Run(phase: register.phase, from: at))
            case 4...5:
                // The owner has died, perhaps a while ago, and its last run stays open in the retained register.
                taken += 1
                let from = max(at - Milliseconds(random.step(0...2_000)), register.runs.first?.from ?? at)
                var next = try Self.register("s-\(taken)", of: taken.isMultiple(of: 2) ? "desk" : "hall", at: at)
                next.lineage = register.lineage
                next.continues = Continuation(node: register.owner, epoch: 1, rev: register.rev, at: from)
                next.runs = [Run(phase: 0, from: from)]
                register = next
            case _ where register.status == .paused:
                register.runs.append(Run(phase: register.phase, from: at))
                register.status = .running
            default: continue
            }
            events.append((hear(delay), .register(register)))
        }
    }

    private static func register(_ id: String, of owner: String, at time: GroupTime) throws -> Register {
        guard let session = SessionID(id), let node = NodeID(owner), let boot = BootID("b-1") else {
            throw Broken()
        }
        return Register(
            id: session, lineage: session, stamp: Stamp(time: time, counter: 0, node: node), epoch: 1, rev: 1,
            owner: node, title: "", icon: nil, label: nil, mode: .countdown,
            plan: [Phase(kind: .focus, seconds: 3_600), Phase(kind: .shortBreak, seconds: 3_600)], autoAdvance: false,
            phase: 0, status: .running, startedAt: time,
            anchor: Anchor(elapsed: 0, at: time, bootID: boot, boot: BootTime(time.milliseconds - lead)),
            runs: [Run(phase: 0, from: time)])
    }

    struct Broken: Error {}
}

extension Random {
    fileprivate mutating func step(_ range: ClosedRange<Int64>) -> Int64 {
        let steps = range.lowerBound / Story.step...range.upperBound / Story.step
        return Int64.random(in: steps, using: &self) * Story.step
    }
}
