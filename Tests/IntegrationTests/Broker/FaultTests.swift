// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// Brokers and networks fail during a session; when they recover, all nodes agree.
@Suite(.limitedConcurrency, .retriedAfterStall) struct FaultTests {
    /// The retained messages after the kill: older ones, none, or none on another broker.
    enum Memory: CaseIterable { case older, none, elsewhere }

    @Test(arguments: Memory.allCases)
    func nodesAgreeAfterABrokerIsKilled(with memory: Memory) async throws {
        let elsewhere = try await Broker()
        try await FaultySpace.with(options: Broker.Options(persistence: memory != .none)) { space, id in
            let store = space.broker.directory.file("mosquitto.db")
            func holds(_ text: String) -> Bool {
                guard let bytes = FileManager.default.contents(atPath: store) else { return false }
                return String(decoding: bytes, as: UTF8.self).contains(text)
            }
            if memory == .older {
                try await eventually("the broker has saved the session") { holds(id) }
                try FileManager.default.copyItem(atPath: store, toPath: store + ".old")
            }
            #expect(try await space.extendAtOwner(space.kitchen).outcome == "applied")
            try await space.waitForAgreement("more time") { $0.totalSeconds == 1_560 }

            try await space.broker.kill()
            try await space.desk.waitFor("no broker") { $0.linked == false }
            try await space.kitchen.waitFor("no broker") { $0.linked == false }
            let pressed = ContinuousClock.now
            #expect(await space.extend(space.desk).outcome == "applied", "its own session needs no broker")
            async let meanwhile = space.extendAtAnyOwner(space.kitchen)
            if memory == .older {
                try FileManager.default.removeItem(atPath: store)
                try FileManager.default.moveItem(atPath: store + ".old", toPath: store)
            }
            if memory == .elsewhere {
                try await elsewhere.start()
                for line in [space.deskLine, space.kitchenLine] { line.redirect(to: elsewhere.port) }
            } else {
                try await space.broker.start()
            }
            let answer = try await meanwhile
            #expect(answer.outcome == "applied", "by the owner, or by a takeover if the broker is slow: \(answer)")
            try await space.waitForAgreement(inTimeAfter: pressed)
            try await space.waitForAgreement("the same after all that") {
                $0.lineage.text == id && $0.totalSeconds == 1_680
            }
            #expect(try await space.extendAtAnyOwner(space.kitchen).outcome == "applied")
            try await space.waitForAgreement("another press") { $0.lineage.text == id && $0.totalSeconds == 1_740 }
        }
        try await elsewhere.kill()
    }

    enum Fault: CaseIterable { case nothingGoesOut, nothingComesIn, slowness, cutOften }

    @Test(.waitingForTimers, arguments: Fault.allCases)
    func nodesAgreeAfterTheOwnersNetworkFails(by fault: Fault) async throws {
        try await FaultySpace.with { try await nodesAgreeAfterTheOwnersNetworkFails(by: fault, $0, $1) }
    }

    private func nodesAgreeAfterTheOwnersNetworkFails(by fault: Fault, _ space: FaultySpace, _ id: String) async throws
    {
        switch fault {
        case .nothingGoesOut: space.deskLine.hold(.forth)
        case .nothingComesIn: space.deskLine.hold(.back)
        case .slowness: space.deskLine.delay(.milliseconds(200))
        case .cutOften: space.deskLine.cut()
        }
        let pressed = ContinuousClock.now
        async let first = space.extendAtAnyOwner(space.kitchen)
        #expect(try await space.extendAtAnyOwner(space.desk).outcome == "applied", "the owner needs no peer")
        if fault == .cutOften {
            for _ in 1...5 {
                let made = space.deskLine.connections
                space.deskLine.cut()
                try await eventually("another connection") { space.deskLine.connections > made }
            }
        }
        let answers = [try await first, try await space.extendAtAnyOwner(space.kitchen)].map(\.outcome)
        #expect(answers == ["applied", "applied"], "by the owner, or by a takeover")
        space.deskLine.heal()

        // The old owner forwards its presses to the new one, and no press counts twice.
        try await space.waitForAgreement(inTimeAfter: pressed)
        try await space.waitForAgreement("the same after all that") {
            $0.lineage.text == id && $0.totalSeconds == 1_680
        }
        #expect(try await space.extendAtAnyOwner(space.kitchen).outcome == "applied")
        #expect(try await space.extendAtAnyOwner(space.desk).outcome == "applied")
        try await space.waitForAgreement("two more presses") { $0.lineage.text == id && $0.totalSeconds == 1_800 }
    }
}
