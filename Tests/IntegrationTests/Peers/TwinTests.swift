// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Two machines with one node ID in a space.
@Suite(.limitedConcurrency, .retriedAfterStall) struct TwinTests {
    private static let problem = "another machine uses the id desk"

    private static func reportsTwin(_ node: NodeProcess) -> Bool {
        let told = node.status.problems.items.filter { $0.kind == "sameID" }
        return told.first?["text"].text?.contains(problem) == true
    }

    @Test(.waitingForTimers) func theLaterTwinBacksOffAndBothReportIt() async throws {
        try await Space.with("desk") { space in
            let first = space["desk"]
            let second = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(space.broker.port)")
            let session = try first.begin()
            try await space.peer.waitFor("session", of: "desk", "the session") { $0.id.text == session }
            try await second.start()
            for node in [first, second] {
                try await eventually("both report the twin") {
                    Self.reportsTwin(node) && node.log.contains(Self.problem)
                }
                try await node.lockstep("doctor").expect(3, says: "WRONG node id", Self.problem)
            }
            // The second one connects briefly at each attempt and changes no message.
            try await second.waitFor("that it keeps off") { $0.linked == false }
            for number in 1...3 {
                let asked = try await space.peer.ask("extend", of: session, ["args": ["seconds": 60]])
                let answer = try await space.peer.answer(to: asked, from: "desk")
                #expect(answer.outcome == "applied", "press \(number): \(answer)")
            }
            first.status.expect(["session": .string(session), "isOwner": true])
            let registers = space.peer.messages(on: "session", of: "desk")
            for register in registers {
                #expect(register.id.text == session)
                #expect(register.epoch == registers.first?.epoch, "\(registers) \(second.log)")
            }
            #expect(first.log.split(separator: "\n").count { $0.contains(Self.problem) } == 1)

            try await first.kill()
            try await second.waitFor("that it has taken the place") { $0.linked == true && $0.problems == [] }
        }
    }
}
