// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Two machines that take part in a space under one id.
@Suite(.takingTurns, .tryingAgain) struct TwinTests {
    private static let problem = "another machine uses the id desk"

    private static func isTold(_ node: NodeProcess) -> Bool {
        let told = node.status.problems.items.filter { $0.kind == "sameID" }
        return told.first?["text"].text?.contains(problem) == true
    }

    @Test(.mostlyWaiting) func theLaterOfTwoMachinesWithOneIDBacksOffAndBothSayWhy() async throws {
        try await Space.with("desk") { space in
            let first = space["desk"]
            let second = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(space.broker.port)")
            let session = try first.begin()
            try await space.peer.sees("session", of: "desk", "the session") { $0.id.text == session }
            try await second.start()
            for node in [first, second] {
                try await eventually("both are told") { Self.isTold(node) }
                #expect(node.log.contains(Self.problem))
                let doctor = try await node.lockstep("doctor")
                #expect(doctor.code == 3 && doctor.output.contains("WRONG node id"), "\(doctor)")
                #expect(doctor.output.contains(Self.problem), "\(doctor)")
            }
            // The second comes back for a moment at each attempt, and touches nothing.
            try await second.shows("that it keeps off") { $0.linked == false }
            for number in 1...3 {
                let asked = try await space.peer.ask("extend", of: session, ["args": ["seconds": 60]])
                let answer = try await space.peer.answer(to: asked, from: "desk")
                #expect(answer.outcome == "applied", "press \(number): \(answer)")
            }
            #expect(first.status.session.text == session && first.status.isOwner == true)
            let registers = space.peer.all("session", of: "desk")
            #expect(registers.allSatisfy { $0.epoch == registers.first?.epoch && $0.id.text == session })
            #expect(first.log.split(separator: "\n").count { $0.contains(Self.problem) } == 1)

            try await first.kill()
            try await second.shows("that it has taken the place") { $0.linked == true && $0.problems == [] }
        }
    }

    @Test func aRestartIsNoTwin() async throws {
        try await Broker.withBroker { broker in
            try await Proxy.with(to: broker.port) { line in
                let desk = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(line.port)")
                try await desk.start()
                try await Space.isListening("desk", at: broker)
                // As after a power cut: the broker still holds the connection, and the presence that goes with it.
                line.hold(.forth, .back, isForLater: false)
                try await desk.kill()
                try await desk.start()
                try await desk.shows("a connection") { $0.linked == true }
                try await Peer.with(port: broker.port) { peer in
                    try await peer.sees("presence", of: "desk", "the new connection") {
                        $0.online == true && $0.conn == desk.row(of: "desk").connection
                    }
                    // Now the broker learns that the old one is gone, and says its will.
                    line.heal()
                    try await eventually("the will has been said") {
                        peer.all("presence", of: "desk").contains { $0.online == false }
                    }
                    try await peer.sees("presence", of: "desk", "it is put right") { $0.online == true }
                }
                #expect(desk.status.problems == [] && desk.status.linked == true)
                #expect(!desk.log.contains(Self.problem) && !desk.log.contains("given up"), "\(desk.log)")
                try await desk.kill()
            }
        }
    }
}
