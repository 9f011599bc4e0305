// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Support
import Synchronization
import Testing

/// Nodes and services with a service manager, and nodes that meet over TLS.
@Suite(.limitedConcurrency, .retriedAfterStall) struct SurroundingsTests {
    @Test func serviceManagerHearsFromTheNodeFromStartToEnd() async throws {
        let manager = try ServiceManager()
        let desk = try NodeProcess(
            "desk", environment: manager.environment.merging(["WATCHDOG_USEC": "600000"]) { $1 })
        try await desk.start()
        let before = ProcessCounters.now(of: desk.pid).residentKilobytes
        try await eventually("it is ready") { manager.notices.contains("READY=1") }
        #expect(desk.status.status == "idle", "a ready node answers")
        try await eventually("the watchdog is fed again and again") {
            manager.notices.count { $0 == "WATCHDOG=1" } >= 4
        }
        try await eventually("it has given back the pages that only its start needed") {
            // A notice that is not read blocks the node after ten of them.
            !manager.notices.isEmpty && ProcessCounters.now(of: desk.pid).residentKilobytes < before * 9 / 10
        }
        try await desk.end()
        #expect(manager.notices.filter { $0 != "WATCHDOG=1" } == ["READY=1", "STOPPING=1"])
    }

    @Test func theServicesFeedTheWatchdog() async throws {
        try await Broker.withBroker { broker in
            for name in ["lockstep-calm", "lockstep-debt"] {
                let manager = try ServiceManager()
                let directory = try TemporaryDirectory()
                let pid = try Spawn.start(
                    [
                        Program.path(name), "--broker", "mqtt://127.0.0.1:\(broker.port)", "--state-dir",
                        directory.file("state"),
                    ],
                    environment: Program.environment(
                        home: directory.path, manager.environment.merging(["WATCHDOG_USEC": "600000"]) { $1 }),
                    output: directory.file("log"))
                defer { Spawn.end(pid) }
                try await eventually("\(name) feeds the watchdog") {
                    manager.notices.count { $0 == "WATCHDOG=1" } >= 4
                }
            }
        }
    }

    /// Without an acknowledgement of its last presence, the node runs for another half second.
    @Test func serviceManagerIsNotifiedBeforeTheNodeDisconnects() async throws {
        let manager = try ServiceManager()
        try await Broker.withBroker { broker in
            try await Proxy.with(to: broker.port) { line in
                line.drop(.acknowledgements)
                let desk = try NodeProcess(
                    "desk", broker: "mqtt://127.0.0.1:\(line.port)", environment: manager.environment)
                try await Peer.with(port: broker.port) { peer in
                    try await desk.start()
                    try await peer.waitFor("presence", of: "desk", "it is online") { $0.online == true }
                    async let ended = desk.end()
                    try await peer.waitFor("presence", of: "desk", "it is offline") { $0.online == false }
                    #expect(manager.notices == ["READY=1", "STOPPING=1"])
                    #expect(try await ended == 0)
                }
            }
        }
    }

    @Test func nodesMeetOverTLS() async throws {
        let authority = try await CertificateAuthority()
        try await Broker.withBroker(Broker.Options(tls: .init(authority))) { broker in
            let address = "mqtts://127.0.0.1:\(broker.port)"
            let desk = try NodeProcess("desk", broker: address, options: ["--tls-ca", authority.file])
            let kitchen = try NodeProcess("kitchen", broker: address, options: ["--tls-ca", authority.file])
            let stranger = try NodeProcess("stranger", broker: address)
            for node in [desk, kitchen, stranger] { try await node.start() }
            let id = try desk.begin()
            try await kitchen.waitFor("the session") { $0.session.text == id }
            #expect(try await kitchen.lockstep("pause").code == 0)
            try await eventually("the one that does not trust the broker says so") {
                stranger.log.contains("no connection to the broker")
            }
            #expect(stranger.status.linked == false)
            let found = try await stranger.lockstep("doctor")
            #expect(found.output.contains("certificate verify failed"), "\(found)")
            #expect(found.output.contains("check LOCKSTEP_TLS_CA in "), "\(found)")
            for node in [desk, kitchen, stranger] { try await node.end() }
        }
    }
}

/// The socket of a service manager, which receives the notices of a service.
private final class ServiceManager: Sendable {
    private let directory: TemporaryDirectory
    private let socket: Int32
    private let received = Mutex<[String]>([])

    init() throws {
        directory = try TemporaryDirectory()
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let code = withSocketAddress(directory.file("notify")) { [socket] in bind(socket, $0, $1) }
        try #require(code == 0)
    }

    deinit { close(socket) }

    var environment: [String: String] { ["NOTIFY_SOCKET": directory.file("notify")] }

    /// All notices so far.
    var notices: [String] {
        received.withLock { received in
            var chunk = [UInt8](repeating: 0, count: 256)
            while case let count = recv(socket, &chunk, chunk.count, Int32(MSG_DONTWAIT)), count > 0 {
                received.append(String(decoding: chunk[..<count], as: UTF8.self))
            }
            return received
        }
    }
}
