// SPDX-License-Identifier: Apache-2.0

import Core
import Ledger
import Session
import Testing
import Wire

/// A crash between the file of a record and the write of its journal.
@Suite(.timeLimit(.minutes(15))) struct UndoneWriteTests {
    @Test func theVersionOfAFiledRecordIsNotUsedAgain() throws {
        var desk = CoreHarness("desk")
        desk.start("S1")
        let journal = Journal(own: desk.core.view.register)
        var filed = try #require(journal.record)
        filed.id = token("S0")
        filed.version = filed.version.next
        desk = CoreHarness("desk", NodeCore.Restored(journal: journal, waiting: [DigestedRecord(filed)]))
        desk.connect()
        let register = try #require(desk.core.view.register)
        #expect(register.id == token("S1"))
        #expect(register.version > filed.version)
    }
}
