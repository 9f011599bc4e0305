// SPDX-License-Identifier: Apache-2.0

import Core
import Harness
import Session

/// The core that `lockstep-bench engine` measures, and the inputs that it handles.
///
/// The core is that of the node `desk`, whose kernel vouches for its clock. Eight peers own a running session each. The
/// clocks are counters that advance by 1 ms with each input and each write, so the measurement waits for no time.
struct EngineMix {
    private var loop: CoreLoop
    private var now = Instant(boot: 1_000_000, wall: 1_800_000_000_000, wallBound: 5)
    /// The latest register of each peer.
    private var registers: [Register] = []
    private let plan = (0..<4).flatMap { _ in
        [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 300)]
    }
    /// Makes the ids of sessions and intents; also the tickets of presses.
    private var serial = 0
    /// Whether the next press is a pause; else it is a resume.
    private var isRunning = true

    init() throws {
        guard let node = NodeID("desk"), let boot = BootID("boot"), let connection = ConnectionID("c0"),
            let space = SpaceID("home")
        else {
            throw Failed("the names are no ids")
        }
        let identity = NodeIdentity(node: node, name: "desk", software: "lockstep-bench", bootID: boot)
        loop = CoreLoop(NodeCore(identity: identity, space: space, seed: 1))
        for event in [.restored(NodeCore.Restored()), .connected(connection, hearsItself: true)] as [NodeCore.Event] {
            loop.add(event)
            run()
        }
        handle(.barrierPassed(connection))
        for index in 0..<8 {
            guard let peer = NodeID("peer-\(index)"), let id = SessionID("S\(index)") else { continue }
            let at = now.told - .minutes(1)
            registers.append(
                Register(
                    id: id, lineage: id, stamp: Stamp(time: at, counter: 0, node: peer), epoch: 1, rev: 1, owner: peer,
                    title: "Reading", icon: nil, label: nil, mode: .countdown, plan: plan, autoAdvance: false, phase: 0,
                    status: .running, startedAt: at, anchor: Anchor(elapsed: 0, at: at, bootID: boot, boot: 1),
                    runs: [Run(phase: 0, from: at)]))
        }
    }

    /// Starts a session at `desk`, and returns the next 6,050 inputs. The caller measures ``handle(_:)`` alone, so
    /// making them does not count.
    ///
    /// Each of a thousand steps has two wakes, a register of a higher revision, one outdated register twice, and a
    /// presence. Each twentieth step adds a press that pauses or resumes the session of `desk`.
    mutating func nextBatch() -> [Input] {
        startSession()
        var batch: [Input] = []
        for index in 0..<1_000 {
            let newer = index % registers.count
            let older = (index + 3) % registers.count
            // A former revision, which the core discards.
            var stale = registers[older]
            stale.rev -= 1
            registers[newer].rev += 1
            batch += [
                .wake, .received(.register(stale), from: stale.owner, retained: false),
                .received(.register(registers[newer]), from: registers[newer].owner, retained: false), .wake,
                .received(.presence(presence(index)), from: registers[older].owner, retained: false),
                .received(.register(stale), from: stale.owner, retained: false),
            ]
            if index % 20 == 0 {
                serial += 1
                guard let id = IntentID("I\(serial)") else { continue }
                batch.append(.press(Press(isRunning ? .pause : .resume), id: id, ticket: serial))
                isRunning.toggle()
            }
        }
        return batch
    }

    /// Hands the inputs to the core, and confirms each write of the journal at once. Returns the number of inputs and
    /// confirmations.
    mutating func handle(_ batch: some Collection<Input>) -> Int {
        var count = batch.count
        for input in batch { count += handle(input) }
        return count
    }

    @discardableResult
    private mutating func handle(_ input: Input) -> Int {
        advance()
        loop.add(.input(input))
        return run()
    }

    /// Lets the core handle its events until it rests, and confirms each write of the journal at once. Returns the
    /// number of writes.
    @discardableResult
    private mutating func run() -> Int {
        var count = 0
        while let actions = loop.next(at: now) {
            for case .write(let write) in actions {
                advance()
                count += 1
                loop.add(.written(write.number))
            }
        }
        return count
    }

    private mutating func advance() {
        now.boot += 1
        now.wall += 1
    }

    private mutating func startSession() {
        serial += 1
        isRunning = true
        guard let id = SessionID("D\(serial)") else { return }
        handle(.start(Start(title: "Writing", plan: plan), id: id, ticket: serial))
    }

    private func presence(_ index: Int) -> Presence {
        Presence(
            isOnline: true, connection: peerConnection, role: .node, name: "peer",
            at: now.told + Milliseconds(Int64(index)),
            clock: ClockQuality(isSynced: true, bound: 5), software: "lockstep-bench")
    }

    private let peerConnection: ConnectionID = ConnectionID("p0") ?? { preconditionFailure("p0 is an id") }()
}
