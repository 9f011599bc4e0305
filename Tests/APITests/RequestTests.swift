// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Testing
import Wire

@Suite("Requests of people and programs", .timeLimit(.minutes(15)))
struct RequestTests {
    private func start(_ json: String) throws -> Start {
        try StartRequest(request: Array(json.utf8)).start()
    }

    private func press(_ json: String) throws -> Press {
        try IntentRequest(request: Array(json.utf8)).press()
    }

    @Test func startIsReadFromJSON() throws {
        let full = try start(
            ##"{"title":"Reading","plan":"focus 25m, shortBreak 5m","label":"Study","colour":"#4c8dff","icon":"📖","##
                + #""mode":"countdown","autoAdvance":true}"#)
        #expect(
            full
                == Start(
                    title: "Reading", icon: "📖",
                    label: Label(name: "Study", colour: Colour(red: 0x4C, green: 0x8D, blue: 0xFF)),
                    plan: [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 300)],
                    autoAdvance: true))
        #expect(try start(#"{"seconds":60}"#) == Start(plan: [Phase(kind: .focus, seconds: 60)]))
        #expect(
            try start(#"{"phases":[{"name":"Breathe","seconds":60},{"kind":"rest","seconds":5}]}"#).plan
                == [Phase(kind: .phase, name: "Breathe", seconds: 60), Phase(kind: .rest, seconds: 5)])
        let up = try start(#"{"mode":"countup"}"#)
        #expect(up.mode == .countup)
        #expect(up.plan == [Phase(kind: .focus, seconds: 54_000)])
    }

    @Test(arguments: [
        (#"nonsense"#, ""), (#"[]"#, ""), (#"{}"#, "plan"), (#"{"seconds":60,"plan":"5m"}"#, "plan"),
        (#"{"seconds":0}"#, "seconds"), (#"{"seconds":86401}"#, "seconds"), (#"{"seconds":"60"}"#, "seconds"),
        (#"{"seconds":1.5}"#, "seconds"), (#"{"plan":"5x"}"#, "plan"), (#"{"plan":7}"#, "plan"),
        (#"{"phases":[]}"#, "phases"), (#"{"phases":[{"seconds":5},{"seconds":0}]}"#, "phases.1.seconds"),
        (#"{"phases":[{"kind":"nap","seconds":5}]}"#, "phases.0.kind"), (#"{"phases":[{}]}"#, "phases.0.seconds"),
        (#"{"phases":[{"name":"\"","seconds":5}]}"#, "phases.0.name"),
        (#"{"phases":[{"seconds":0.5}]}"#, "phases.0.seconds"), (#"{"phases":[{"secs":5}]}"#, "phases.0.secs"),
        (#"{"seconds":5,"titel":"x"}"#, "titel"),
        (#"{"seconds":5,"mode":"sideways"}"#, "mode"), (#"{"seconds":5,"mode":"countup"}"#, "mode"),
        (#"{"plan":"5m","mode":"countup"}"#, "mode"), (#"{"preset":"tea","mode":"countup"}"#, "mode"),
        (#"{"phases":[{"seconds":5}],"mode":"countup"}"#, "mode"), (#"{"seconds":5,"title":"a\u0007"}"#, "title"),
        (#"{"seconds":5,"icon":""}"#, "icon"), (#"{"seconds":5,"label":""}"#, "label"),
        (#"{"seconds":5,"icon":"nope"}"#, "icon"),
        (##"{"seconds":5,"colour":"#fff"}"##, "colour"), (#"{"seconds":5,"label":"x","colour":"reddish"}"#, "colour"),
        (#"{"seconds":5,"autoAdvance":1}"#, "autoAdvance"),
    ])
    func startNamesTheFieldAtFault(json: String, field: String) throws {
        let error = try #require(throws: RequestError.self) { try start(json) }
        #expect(error.field == field, "\(error)")
        #expect(!error.message.isEmpty)
    }

    @Test(
        arguments: [
            (#"{"seconds":"60"}"#, "seconds: must be a whole number from 1 to 86400"),
            (#"{"seconds":1.5}"#, "seconds: must be a whole number from 1 to 86400"),
            (#"{"seconds":1e99}"#, "seconds: must be a whole number from 1 to 86400"),
            (#"{"phases":[{"seconds":[]}]}"#, "phases.0.seconds: must be a whole number from 1 to 86400"),
            (#"{"plan":7}"#, "plan: must be a text"), (#"{"phases":"5m"}"#, "phases: must be a list"),
            (#"{"phases":[7]}"#, "phases.0: must be an object"), (#"[]"#, "the request must be an object"),
            (#"{"seconds":5,"autoAdvance":1}"#, "autoAdvance: must be true or false"),
            (#"{"phases":[]}"#, "phases: must be 1 to 80, and there are 0"),
            (#"{"phases":[{}]}"#, "phases.0.seconds: is missing"),
            (
                #"{"phases":[{"kind":"nap","seconds":5}]}"#,
                "phases.0.kind: must be one of focus, shortBreak, longBreak, work, rest, phase"
            ),
            (
                #"{"seconds":5,"b":1,"a":1}"#,
                "a: is not a field of this request; fields are title, seconds, until, plan, phases, preset, again, mode, label, "
                    + "colour, icon, autoAdvance, alarm, overtime"
            ),
            ("{", "the request is not JSON: expected a string at byte 1"),
            (#"{"seconds":5 "title":"a"}"#, "the request is not JSON: expected “,” or “}” at byte 13"),
            (#"{"phases":[7}"#, "the request is not JSON: expected “,” or “]” at byte 12"),
        ] as [(String, String)])
    func wrongTypeHasAPlainError(json: String, words: String) throws {
        let error = try #require(throws: RequestError.self) { try start(json) }
        #expect(error.description == words)
    }

    @Test func namedColourBecomesDigits() throws {
        #expect(try start(#"{"seconds":5,"label":"Study","colour":"teal"}"#).label?.colour == Colour(hex: "12a594"))
    }

    /// The words of the request come first.
    @Test func presetGivesAlarmAndOvertime() throws {
        let preset = Preset(name: "tea", plan: [Phase(kind: .focus, seconds: 180)], hasAlarm: true, hasOvertime: true)
        func start(_ request: StartRequest, _ preset: Preset?) throws -> [Bool?] {
            let start = try request.start(preset: preset)
            return [start.hasAlarm, start.hasOvertime]
        }
        #expect(try start(StartRequest(preset: "tea"), preset) == [true, true])
        #expect(try start(StartRequest(preset: "tea", alarm: false, overtime: false), preset) == [false, false])
        let plain = Preset(name: "deep", plan: preset.plan)
        #expect(try start(StartRequest(preset: "deep"), plain) == [nil, false], "the node's setting decides")
        #expect(try start(StartRequest(preset: "deep", alarm: true, overtime: true), plain) == [true, true])
    }

    @Test func pressIsReadFromJSON() throws {
        #expect(try press(#"{"op":"pause"}"#) == Press(.pause))
        #expect(try press(#"{"op":"extend"}"#) == Press(.extend(seconds: 60)))
        #expect(try press(#"{"op":"extend","seconds":300}"#) == Press(.extend(seconds: 300)))
        #expect(
            try press(#"{"op":"skip","session":"s-1","phase":2}"#)
                == Press(.skip, session: try Fixtures.token("s-1"), phase: 2))
        #expect(try press(#"{"op":"correct","title":""}"#) == Press(.correct(title: "")))
        #expect(
            try press(#"{"op":"correct","title":"Reading","label":"Study","colour":"teal"}"#)
                == Press(.correct(title: "Reading", label: "Study", colour: Colour(hex: "12a594"))))
        #expect(try press(#"{"op":"correct","label":"","title":null}"#) == Press(.correct(label: "")))
    }

    @Test(arguments: [
        (#"{}"#, "op"), (#"{"op":"explode"}"#, "op"), (#"{"op":"pause","seconds":5}"#, "seconds"),
        (#"{"op":"extend","seconds":0}"#, "seconds"), (#"{"op":"skip","phase":-1}"#, "phase"),
        (#"{"op":"skip","session":"a b"}"#, "session"), (#"{"op":"skip","now":true}"#, "now"),
        (#"{"op":"correct"}"#, "title"), (#"{"op":"correct","title":"a\u0007"}"#, "title"),
        (#"{"op":"correct","label":"a\u0007"}"#, "label"), (#"{"op":"correct","title":7}"#, "title"),
        (#"{"op":"correct","label":"","colour":"red"}"#, "colour"), (#"{"op":"correct","colour":"reddish"}"#, "colour"),
        (#"{"op":"correct","title":"x","seconds":5}"#, "seconds"), (#"{"op":"pause","title":"x"}"#, "title"),
        (#"{"op":"extend","label":"x"}"#, "label"), (#"{"op":"stop","colour":"red"}"#, "colour"),
    ])
    func pressNamesTheFieldAtFault(json: String, field: String) throws {
        let error = try #require(throws: RequestError.self) { try press(json) }
        #expect(error.field == field, "\(error)")
    }

    /// A program whose numbers all have a fraction, as in Lua, may write one that is zero.
    @Test func wholeNumberMayHaveAFractionOfZero() throws {
        #expect(try start(#"{"seconds":60.0}"#) == Start(plan: [Phase(kind: .focus, seconds: 60)]))
        #expect(throws: RequestError.self) { try start(#"{"seconds":86401.0}"#) }
    }

    @Test func requestsAreReadBack() throws {
        let request = StartRequest(title: "x", phases: [PhaseRequest(kind: "rest", seconds: 5)], label: "y")
        #expect(try StartRequest(request: request.encoded) == request)
        let intent = IntentRequest(op: .extend, seconds: 5)
        #expect(try IntentRequest(request: intent.encoded) == intent)
        let correction = Press(.correct(title: "x", label: "y", colour: .grey))
        let sent = IntentRequest(correction).encoded
        #expect(try IntentRequest(request: sent).press() == correction)
    }
}
