// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Session
import Testing
import Wire

@Suite("Registers for clients that only read", .timeLimit(.minutes(15)))
struct RegisterPayloadTests {
    @Test func everyFieldIsWrittenInOrder() throws {
        let sent = try Fixtures.codec().encode(.register(try Fixtures.register()))
        #expect(sent.topic == "lockstep/1/home/node/desk/session")
        #expect(sent.retain)
        #expect(sent.qos == 1)
        #expect(
            String(decoding: sent.payload, as: UTF8.self)
                == #"{"v":1,"id":"s-1","lineage":"s-1","stamp":[1800000000000,0,"desk"],"epoch":1,"owner":"desk","#
                + ##""title":"Reading","activityName":"Reading","icon":"📖","label":{"name":"Study","colour":"#4c8dff"},"##
                + #""mode":"countdown","plan":[{"kind":"focus","seconds":1500},"#
                + #"{"kind":"shortBreak","name":"Tea","seconds":300}],"autoAdvance":false,"#
                + #""startedAt":1800000000000,"startTime":1800000000000,"rev":3,"phase":0,"status":"running","#
                + #""anchor":{"elapsed":61500,"at":1800000061500,"bootId":"b-1","boot":500000},"#
                + #""endsAt":1800001500000,"runs":[[0,1800000000000,null]],"applied":[],"#
                + #""elapsedSeconds":61,"totalSeconds":1500,"isRunning":true}"#)
    }

    @Test func countUpHasNoTotal() throws {
        var register = try Fixtures.register()
        register.mode = .countup
        register.plan = [Phase(kind: .focus, seconds: 54_000)]
        let sent = try Fixtures.codec().encode(.register(register))
        let fields = try JSONDecoder().decode(JSONOracle.self, from: Data(sent.payload))
        #expect(fields["totalSeconds"] == .null)
        #expect(fields["endsAt"] == nil)
        #expect(fields["isRunning"] == .bool(true))
    }

    @Test func onlyQuotesAreEscaped() throws {
        var register = try Fixtures.register()
        register.title = #"a/b "c" \d"#
        let text = String(decoding: try Fixtures.codec().encode(.register(register)).payload, as: UTF8.self)
        #expect(text.contains(#""title":"a/b \"c\" \\d""#))
    }

    @Test(arguments: ["#4c8dff", "#000000", "#ffffff", "#0a0a0a", "#4C8DFF", "#11223344", "4c8dff", "#fff"])
    func coloursAreReadAsSessionReadsThem(text: String) throws {
        let expected = try #require(Colour(hex: text))
        #expect(try colour(text) == expected)
        var register = try Fixtures.register()
        register.label = Label(name: "x", colour: expected)
        let sent = try Fixtures.codec().encode(.register(register))
        #expect(String(decoding: sent.payload, as: UTF8.self).contains(#""colour":"\#(expected)""#))
    }

    @Test(arguments: ["", "#", "#ffff", "grey", "#gggggg", "#４c8df", "#+12345", "# 12345"])
    func invalidColourIsGrey(text: String) throws {
        #expect(try colour(text) == .grey)
    }

    private func colour(_ text: String) throws -> Colour? {
        let sent = try Fixtures.codec().encode(.register(try Fixtures.register()))
        let changed = String(decoding: sent.payload, as: UTF8.self).replacing("#4c8dff", with: text)
        let read = try Fixtures.codec()
            .decode(topic: sent.topic, payload: Array(changed.utf8), retained: true, now: Fixtures.now)
        guard case .message(.register(let register), _) = read else { return nil }
        return register.label?.colour
    }
}
