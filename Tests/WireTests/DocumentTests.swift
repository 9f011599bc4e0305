// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Wire

/// A journal and a view are read by programs of other ages: on this machine an older or a newer Lockstep.
@Suite("Documents that stay on the machine")
struct DocumentTests {
    static func text(_ register: Register) -> String { String(decoding: register.json(), as: UTF8.self) }

    private func journal(_ fields: String) throws -> Journal {
        try Journal(json: Array((#"{"v":1,"epoch":2,"mark":[9,3],"past":[]"# + fields + "}").utf8))
    }

    private func view(_ fields: String) throws -> View {
        try View(json: Array((#"{"v":1,"anchorBoot":5,"isOwner":false,"isLinked":true"# + fields + "}").utf8))
    }

    @Test func aJournalOfAnotherVersionIsNotRead() {
        #expect(throws: Rejection.self) { try Journal(json: Array(#"{"v":2,"epoch":1}"#.utf8)) }
        #expect(throws: Rejection.self) { try Journal(json: []) }
        #expect(throws: Rejection.self) {
            try Journal(json: Array(#"{"v":1,"epoch":-1,"mark":[0,0],"past":[]}"#.utf8))
        }
    }

    /// What the versions before takeover and group time wrote.
    @Test func anOlderJournalIsRead() throws {
        #expect(try journal("") == Journal(epoch: 2, mark: HybridClock(time: 9, counter: 3)))
        #expect(try journal(#","own":null,"before":null,"later":[1,{}]"#) == journal(""))
        #expect(try journal(#","undated":["s-1"]"#) == journal(""), "an earlier version wrote this")
    }

    @Test func aJournalSaysWhatNobodyHasHeardOf() throws {
        let own = try Fixtures.register()
        var before = own
        before.id = try Fixtures.token("s-0")
        before.rev = 2
        before.status = .superseded
        before.runs = []
        let read = try journal(
            #","own":\#(Self.text(own)),"base":[7,1],"provisional":true,"before":\#(Self.text(before))"#)
        #expect(read.base == HybridClock(time: 7, counter: 1))
        #expect(read.isProvisional && read.own == own && read.before == before)
        #expect(!String(decoding: try journal("").json(), as: UTF8.self).contains("provisional"))
    }

    @Test(arguments: [
        (#","base":[7]"#, Discard.malformed), (#","base":[7,1,2]"#, .malformed), (#","base":7"#, .malformed),
        (#","base":[-1,0]"#, .outOfBounds), (#","base":[0,-1]"#, .outOfBounds),
        (#","base":[7258118400001,0]"#, .outOfBounds), (#","base":[0,1000000000001]"#, .outOfBounds),
        (#","provisional":1"#, .malformed), (#","provisional":"yes""#, .malformed), (#","before":7"#, .malformed),
        (#","before":{"v":1}"#, .malformed), (#","before":{"v":2}"#, .unknownVersion),
    ])
    func aBrokenJournalIsNotRead(fields: String, reason: Discard) throws {
        let error = try #require(throws: Rejection.self) { try journal(fields) }
        #expect(error.reason == reason, "\(error)")
    }

    /// The engine trusts what it restores, the register that others know included.
    @Test func aFlawInTheRegisterBeforeIsFound() throws {
        var before = try Fixtures.register()
        before.anchor.elapsed = 1_500_001
        let error = try #require(throws: Rejection.self) { try journal(#","before":\#(Self.text(before))"#) }
        #expect(error.reason == .outOfBounds)
    }

    @Test func aViewSaysHowWrongItCanBe() throws {
        #expect(try view("").error == nil && view("").shown == 0)
        #expect(try view(#","error":0"#).error == ErrorBound())
        #expect(try view(#","error":12,"errorAt":-7,"shown":99"#).error == ErrorBound(milliseconds: 12, at: -7))
        #expect(try view(#","error":12,"errorAt":-7,"shown":99"#).shown == 99)
        #expect(try view(#","error":null,"errorAt":null"#).error == nil)
        let plain = String(decoding: View().json(), as: UTF8.self)
        #expect(!plain.contains("shown") && !plain.contains("error"), "what is nothing is left out")
    }

    @Test(arguments: [
        (#","error":"12""#, Discard.malformed), (#","error":1.5"#, .malformed), (#","errorAt":true"#, .malformed),
        (#","shown":[]"#, .malformed), (#","error":3155760000001"#, .outOfBounds),
        (#","errorAt":-3155760000001"#, .outOfBounds), (#","shown":3155760000001"#, .outOfBounds),
        (#","v":2"#, .unknownVersion),
    ])
    func aBrokenViewIsNotRead(fields: String, reason: Discard) throws {
        let error = try #require(throws: Rejection.self) { try view(fields) }
        #expect(error.reason == reason, "\(error)")
    }
}
