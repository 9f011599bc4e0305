// SPDX-License-Identifier: Apache-2.0

import Session
import Support
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
        let fields = try JSON(sent.payload)
        #expect(fields.totalSeconds == .null)
        #expect(fields.keys.contains("totalSeconds"))
        #expect(!fields.keys.contains("endsAt"))
        #expect(fields.isRunning == true)
    }

    @Test func onlyQuotesAreEscaped() throws {
        var register = try Fixtures.register()
        register.title = #"a/b "c" \d"#
        let text = String(decoding: try Fixtures.codec().encode(.register(register)).payload, as: UTF8.self)
        #expect(text.contains(#""title":"a/b \"c\" \\d""#))
    }
}
