// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Testing

/// Sessions that a person adds to the ledger.
@Suite(.timeLimit(.minutes(15))) struct AddRequestTests {
    /// 2026-10-25 at noon in universal time, nine hours after Central Europe has set its clocks back.
    private static let now: GroupTime = 1_792_929_600_000
    private static let hour: Milliseconds = 3_600_000
    private static let change: Int64 = 1_792_890_000_000

    private static func offset(at time: Int64) -> Int { time < change ? 7_200 : 3_600 }

    private func add(_ json: String, labels: [Label] = []) throws -> AddedSession {
        try AddRequest(request: Array(json.utf8)).session(at: Self.now, labels: labels, utcOffset: Self.offset)
    }

    @Test func timesAreLocal() throws {
        let added = try add(#"{"title":" Reading","label":"Study","from":"09:00","to":"09:50"}"#)
        let from = Self.now - 4 * Self.hour
        #expect(added.title == "Reading")
        #expect(added.label == Label(name: "Study"))
        #expect((added.from, added.to) == (from, from + .minutes(50)))
        let before = try add(#"{"day":"2026-10-24","from":"09:00","to":"09:50:30"}"#)
        #expect(before.from == Self.now - 29 * Self.hour)
        #expect(before.to - before.from == 3_030_000)
        #expect(before.label == nil)
    }

    @Test func labelKeepsItsColour() throws {
        let study = Label(name: "Study", colour: Colour(red: 1, green: 2, blue: 3))
        #expect(try add(#"{"label":"Study","from":"09:00","to":"09:50"}"#, labels: [study]).label == study)
    }

    /// The hour before three o'clock comes twice.
    @Test func endIsTheNextOfTwoInstants() throws {
        let added = try add(#"{"from":"02:40","to":"02:20"}"#)
        #expect(added.to - added.from == .minutes(40))
    }

    @Test(arguments: [
        (#"{"to":"09:00"}"#, "from"), (#"{"from":"09:00"}"#, "to"), (#"{"from":"9 am","to":"10:00"}"#, "from"),
        (#"{"from":"09:00","to":"24:00"}"#, "to"), (#"{"from":"09:50","to":"09:00"}"#, "to"),
        (#"{"from":"09:00","to":"09:00"}"#, "to"), (#"{"from":"12:30","to":"13:01"}"#, "to"),
        (#"{"from":"14:00","to":"15:00"}"#, "from"), (#"{"day":"2026-10-26","from":"09:00","to":"10:00"}"#, "day"),
        (#"{"day":"2025-12-31","from":"09:00","to":"10:00"}"#, "day"),
        (#"{"day":"25.10.","from":"1","to":"2"}"#, "day"),
        (#"{"day":"2026-10-25","from":"00:00","to":"23:59"}"#, "to"),
        (#"{"title":"a\u0007","from":"09:00","to":"10:00"}"#, "title"),
        (#"{"label":"\u202e","from":"09:00","to":"10:00"}"#, "label"),
        (#"{"label":" ","from":"09:00","to":"10:00"}"#, "label"),
        (#"{"from":"09:00","to":"10:00","node":"x"}"#, "node"),
    ])
    func requestNamesTheFieldAtFault(json: String, field: String) throws {
        let error = try #require(throws: RequestError.self) { try add(json) }
        #expect(error.field == field, "\(error)")
        #expect(!error.message.isEmpty)
    }
}
