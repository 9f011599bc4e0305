// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// A machine suspends and wakes, with the signals of logind.
@Suite(.limitedConcurrency, .retriedAfterStall) struct SuspendTests {
    private func with(_ body: (Broker, Proxy, NodeProcess, Peer, FakeLogind) async throws -> Void) async throws {
        let bus = try await PrivateBus()
        let logind = try FakeLogind(on: bus)
        try await Broker.withBroker { broker in
            try await Proxy.with(to: broker.port) { proxy in
                let desk = try NodeProcess(
                    "desk", broker: "mqtt://127.0.0.1:\(proxy.port)",
                    environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
                try await desk.start()
                try await eventually("a lock") { try logind.locks.count == 1 }
                try await Peer.with(port: broker.port) { peer in
                    try await peer.waitFor("presence", of: "desk", "awake") { $0.online == true && $0.state == .null }
                    try await body(broker, proxy, desk, peer, logind)
                }
                try await desk.end()
            }
        }
    }

    @Test func aRefusedLockIsLoggedOnceAndShownByDoctor() async throws {
        let bus = try await PrivateBus()
        let logind = try FakeLogind(on: bus)
        logind.refuses = true
        try await Broker.withBroker { broker in
            let desk = try NodeProcess(
                "desk", broker: "mqtt://127.0.0.1:\(broker.port)",
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
            try await desk.start()
            try await eventually("it was asked") {
                try logind.locks.isEmpty && logind.refusals == 1 && logind.sleepQuestions == 1
            }
            try await desk.waitFor("a connection and the refusal") {
                $0.linked == true && $0.problems.items.map(\.kind) == ["noSuspendLock"]
            }
            try logind.prepareForSleep(true)
            try logind.prepareForSleep(false)
            try await eventually("it was asked again") {
                try logind.locks.isEmpty && logind.refusals == 2 && logind.sleepQuestions == 2
            }
            try await eventually("it is awake") { desk.log.contains("awake again") }
            #expect(desk.log.split(separator: "\n").count { $0.contains("install polkit") } == 1, "\(desk.log)")
            let doctor = try await desk.lockstep("doctor")
            #expect(doctor.output.contains("-     suspend"), "\(doctor)")
            #expect(doctor.output.contains("polkit"), "\(doctor)")
            #expect(doctor.code == 0, "it is no fault of this machine: \(doctor)")
            let status = try await desk.lockstep("status")
            #expect(!status.output.contains("warning"), "\(status)")
            try await desk.end()
        }
    }

    /// A kiosk without polkit, on a board that cannot suspend, has nothing to complain about.
    @Test func aMachineThatNeverSuspendsNeedsNoLock() async throws {
        let bus = try await PrivateBus()
        let logind = try FakeLogind(on: bus)
        (logind.refuses, logind.canSleep) = (true, false)
        let desk = try NodeProcess("desk", environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        try await desk.start()
        try await eventually("it asked whether the machine can suspend or hibernate") {
            try logind.locks.isEmpty && logind.refusals == 1 && logind.sleepQuestions == 2
        }
        #expect(!(try await desk.lockstep("doctor")).output.contains("polkit"))
        #expect(!desk.log.contains("polkit"), "\(desk.log)")
    }

    /// An update of the system restarts the bus.
    @Test func suspendsAreNoticedAgainAfterTheBusWasAway() async throws {
        let directory = try TemporaryDirectory()
        let address = "unix:path=\(directory.file("bus"))"
        let desk = try NodeProcess("desk", environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        try await startAndLock(desk, onBusIn: directory)
        try await eventually("it says so") { desk.log.contains("not noticed until the system bus is back") }
        let bus = try await PrivateBus(in: directory)
        let logind = try FakeLogind(on: bus)
        try await eventually("it watches again") { desk.log.contains("suspends are watched again") }
        try logind.prepareForSleep(true)
        try await eventually("it notices a suspend") { desk.log.contains("about to suspend") }
    }

    /// Starts a node whose bus ends when this returns.
    private func startAndLock(_ desk: NodeProcess, onBusIn directory: TemporaryDirectory) async throws {
        let bus = try await PrivateBus(in: directory)
        let logind = try FakeLogind(on: bus)
        try await desk.start()
        try await eventually("a lock") { try logind.locks.count == 1 }
    }

    @Test func peersLearnOfSleepAndWaking() async throws {
        try await with { broker, _, desk, peer, logind in
            #expect(try logind.locks[0].arguments[0] == "sleep")
            #expect(try logind.locks[0].arguments[3] == "delay")
            let kitchen = try NodeProcess("kitchen", broker: "mqtt://127.0.0.1:\(broker.port)")
            try await kitchen.start()
            let before = try await peer.waitFor("presence", of: "desk", "online") { $0.online == true }
            for round in 1...2 {
                try logind.prepareForSleep(true)
                try await eventually("the lock is given back") { try logind.locks.last?.isReleased == true }
                let asleep = try await peer.waitFor("presence", of: "desk", "asleep") { $0.state == "sleeping" }
                #expect(asleep.online == true)
                try await eventually("kitchen knows") { kitchen.row(of: "desk").state == "sleeping" }
                try logind.prepareForSleep(false)
                let awake = try await peer.waitFor("presence", of: "desk", "awake") { $0.state == .null }
                #expect(awake.online == true)
                #expect(awake.conn == before.conn, "the connection stays")
                try await eventually("a new lock") { try logind.locks.count == 1 + round }
                #expect(try logind.locks.last?.isReleased == false)
            }
            try await kitchen.end()
        }
    }

    @Test func hangingBrokerDelaysNoSuspendAndALostConnectionIsReplacedAfterWaking() async throws {
        try await with { broker, proxy, desk, peer, logind in
            broker.suspend()
            try logind.prepareForSleep(true)
            try await eventually("the lock is given back") { try logind.locks.last?.isReleased == true }
            broker.resume()
            try await peer.waitFor("presence", of: "desk", "asleep nevertheless") { $0.state == "sleeping" }
            try logind.prepareForSleep(false)
            try await peer.waitFor("presence", of: "desk", "awake") { $0.state == .null && $0.online == true }
            try await eventually("a new lock") { try logind.locks.count == 2 }

            let before = try await peer.waitFor("presence", of: "desk", "online") { $0.online == true }
            try logind.prepareForSleep(true)
            try await eventually("the lock is given back") { try logind.locks.last?.isReleased == true }
            // Messages are lost without an error, as after a move to another network.
            proxy.hold(.forth, .back, includingLater: false)
            try logind.prepareForSleep(false)
            let awake = try await peer.waitFor("presence", of: "desk", "awake") {
                $0.state == .null && $0.online == true && $0.conn != before.conn
            }
            #expect(awake.online == true)
            try await eventually("it noticed before the keep-alive") {
                desk.log.contains("dropped the connection to reconnect")
            }
        }
    }
}
