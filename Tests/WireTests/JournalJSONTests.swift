// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Wire

/// Journals are read by older and newer versions of Lockstep on one machine.
@Suite("Journals stay on the machine", .timeLimit(.minutes(15)))
struct JournalJSONTests {
    static func text(_ register: Register) -> String { String(decoding: register.json(), as: UTF8.self) }

    private func journal(_ fields: String) throws -> Journal {
        try Journal(json: Array((#"{"v":1,"epoch":2,"mark":[9,3],"past":[]"# + fields + "}").utf8))
    }

    @Test func journalOfAnotherVersionIsNotRead() {
        #expect(throws: PayloadError.self) { try Journal(json: Array(#"{"v":2,"epoch":1}"#.utf8)) }
        #expect(throws: PayloadError.self) { try Journal(json: []) }
        #expect(throws: PayloadError.self) {
            try Journal(json: Array(#"{"v":1,"epoch":-1,"mark":[0,0],"past":[]}"#.utf8))
        }
    }

    /// A journal of a version before takeovers and group time.
    @Test func olderJournalIsRead() throws {
        #expect(try journal("") == Journal(epoch: 2, mark: HybridClock(time: 9, counter: 3)))
        #expect(try journal(#","own":null,"before":null,"later":[1,{}]"#) == journal(""))
        #expect(try journal(#","undated":["s-1"]"#) == journal(""), "an earlier version wrote this")
    }

    @Test func journalKeepsAProvisionalSession() throws {
        let own = try Fixtures.register()
        var before = own
        before.id = try Fixtures.token("s-0")
        before.rev = 2
        before.status = .superseded
        before.runs = []
        let read = try journal(
            #","own":\#(Self.text(own)),"base":[7,1],"provisional":true,"before":\#(Self.text(before))"#)
        #expect(read.base == HybridClock(time: 7, counter: 1))
        #expect(read.isProvisional)
        #expect(read.own == own)
        #expect(read.lastAnnounced == before)
        #expect(!String(decoding: try journal("").json(), as: UTF8.self).contains("provisional"))
    }

    @Test(arguments: [
        (#","base":[7]"#, Discard.malformed), (#","base":[7,1,2]"#, .malformed), (#","base":7"#, .malformed),
        (#","base":[-1,0]"#, .outOfBounds), (#","base":[0,-1]"#, .outOfBounds),
        (#","base":[7258118400001,0]"#, .outOfBounds), (#","base":[0,1000000000001]"#, .outOfBounds),
        (#","provisional":1"#, .malformed), (#","provisional":"yes""#, .malformed), (#","before":7"#, .malformed),
        (#","before":{"v":1}"#, .malformed), (#","before":{"v":2}"#, .unknownVersion),
    ])
    func malformedJournalIsNotRead(fields: String, reason: Discard) throws {
        let error = try #require(throws: PayloadError.self) { try journal(fields) }
        #expect(error.reason == reason, "\(error)")
    }

    /// The engine trusts a restored journal, including the earlier register.
    @Test func flawInTheEarlierRegisterIsFound() throws {
        var before = try Fixtures.register()
        before.anchor.elapsed = 1_500_001
        let error = try #require(throws: PayloadError.self) { try journal(#","before":\#(Self.text(before))"#) }
        #expect(error.reason == .outOfBounds)
    }
}
