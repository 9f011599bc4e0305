// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Support
import Testing

/// What a node has around it: a disk, a service manager, other spaces, encryption.
@Suite(.takingTurns, .tryingAgain) struct SurroundingsTests {
    @Test func aDiskThatCannotBeWrittenHoldsBackWhatOthersHear() async throws {
        try await Space.with("desk") { space in
            let desk = space["desk"]
            // Not even root can write a file where a directory stands.
            let obstacle = desk.directory.file("state/journal.new")
            mkdir(obstacle, 0o700)
            #expect(try await desk.lockstep("start", "Reading").code == 7, "the person is not made to wait, but told")
            #expect(desk.status.status == "running")
            try await space.peer.isHeard(by: desk)
            #expect(space.peer.all("session", of: "desk").isEmpty, "a crash now could forget it")
            #expect(desk.log.contains("cannot be written"))
            rmdir(obstacle)
            try await space.peer.sees("session", of: "desk", "it, once it is on disk") { $0.status == "running" }
            try await eventually("it is said") { desk.log.contains("can be written again") }
        }
    }

    @Test func aServiceManagerIsToldWhenItIsReady() async throws {
        let directory = try TemporaryDirectory()
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: directory.file("notify").utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        var told: [String] = []
        func listen() -> [String] {
            var chunk = [UInt8](repeating: 0, count: 256)
            let count = recv(socket, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count > 0 { told.append(String(decoding: chunk[..<count], as: UTF8.self)) }
            return told
        }
        let desk = try NodeProcess("desk", environment: ["NOTIFY_SOCKET": directory.file("notify")])
        try await desk.start()
        try await eventually("it is ready") { listen() == ["READY=1"] }
        #expect(desk.status.status == "idle", "ready means that it answers")
        try await desk.end()
        try await eventually("it is stopping") { listen() == ["READY=1", "STOPPING=1"] }
    }

    @Test func spacesOfOneBrokerDoNotMix() async throws {
        try await Broker.withBroker { broker in
            let address = "mqtt://127.0.0.1:\(broker.port)"
            let home = try NodeProcess("desk", broker: address, options: ["--space", "home"])
            let studio = try NodeProcess("desk", broker: address, options: ["--space", "studio-3"])
            try await home.start()
            try await studio.start()
            try await home.shows("a connection") { $0.linked == true }
            try await studio.shows("a connection") { $0.linked == true }
            let id = try home.begin()
            try await Peer.with(port: broker.port, space: "studio-3") { peer in
                try await eventually("home's session is out") {
                    peer.messages.contains { $0.topic == "lockstep/1/home/node/desk/session" }
                }
                try await peer.publish("presence", .presence(online: true, connection: "c1"))
                try await peer.isHeard(by: studio)
            }
            #expect(studio.status.status == "idle")
            #expect(home.status.session.text == id)
            #expect(home.nodes.items.map(\.node) == ["desk"])
            try await home.end()
            try await studio.end()
        }
    }

    @Test func nodesMeetOverTLS() async throws {
        let authority = try await CertificateAuthority()
        var options = Broker.Options()
        options.tls = .init(authority)
        try await Broker.withBroker(options) { broker in
            let address = "mqtts://127.0.0.1:\(broker.port)"
            let desk = try NodeProcess("desk", broker: address, options: ["--tls-ca", authority.file])
            let kitchen = try NodeProcess("kitchen", broker: address, options: ["--tls-ca", authority.file])
            let stranger = try NodeProcess("stranger", broker: address)
            for node in [desk, kitchen, stranger] { try await node.start() }
            let id = try desk.begin()
            try await kitchen.shows("the session") { $0.session.text == id }
            #expect(try await kitchen.lockstep("pause").code == 0)
            try await eventually("the one that does not trust the broker says so") {
                stranger.log.contains("no connection to the broker")
            }
            #expect(stranger.status.linked == false)
            for node in [desk, kitchen, stranger] { try await node.end() }
        }
    }
}
