// SPDX-License-Identifier: Apache-2.0

import Core
import Ledger
import Session
import Testing
import Wire

/// The ledger records of a machine that has got another node id, as when it joins a broker.
@Suite(.timeLimit(.minutes(15))) struct RenamedNodeTests {
    /// A session of the node `thinkpad`, as it was journalled.
    private func journal(isRunning: Bool) -> Journal {
        var former = CoreHarness("thinkpad")
        former.start("S1")
        former.pass(60_000)
        former.press(.pause, id: "I1")
        if isRunning { former.press(.resume, id: "I2") } else { former.press(.stop, id: "I2") }
        former.pass(60_000)
        return Journal(own: former.core.view.register)
    }

    @Test(arguments: [true, false]) func recordsThatWaitAreSentUnderTheNewID(isRunning: Bool) throws {
        let journal = journal(isRunning: isRunning)
        var waiting = try #require(journal.record)
        waiting.id = token("S0")
        var desk = CoreHarness("desk", NodeCore.Restored(journal: journal, waiting: [DigestedRecord(waiting)]))
        desk.connect()
        desk.pass(2_000)
        let sent = desk.sent.filter { $0.kind == "record" }.map(\.outgoing)
        #expect(Set(sent.map(\.topic)) == ["lockstep/1/home/node/desk/record"])
        let records = try sent.map { try DigestedRecord(json: $0.payload).record }
        #expect(Set(records.map(\.id)) == [token("S0"), token("S1")])
        for record in records {
            #expect(record.node.rawValue == "desk")
            #expect(record.stamp.node.rawValue == "desk")
            #expect(record.invalidField == nil)
            #expect(record.status == .stopped)
            #expect(record.runs.map { ($0.to ?? 0) - $0.from } == [60_000], "an open run is not recorded")
        }
        #expect(desk.core.view.register == nil)
    }
}
