// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Support
import Testing

@testable import Display

@Suite(.timeLimit(.minutes(15))) struct PlayerTests {
    private let plan = [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 300)]

    private func player(
        _ register: Register?, at boot: BootTime = 0, isReadOnly: Bool = false, lostAt: BootTime? = nil
    ) -> Player? {
        Player(NodeView(makeView(register, lostAt: lostAt), isReadOnly: isReadOnly), at: boot, strings: .english)
    }

    private func value(_ name: String, of player: Player?, at boot: BootTime = 0) -> Player.Value? {
        Player.value(of: name, in: player, at: boot)
    }

    private func entry(_ key: String, of player: Player?) -> Player.Value? {
        guard case .entries(let entries) = value("Metadata", of: player) else { return nil }
        return entries.first { $0.key == key }?.value
    }

    @Test func aSessionIsATrackOfThePhase() throws {
        let label = Label(name: "Study", colour: .grey)
        let reading = try #require(player(makeRegister(plan, label: label, title: "Reading"), at: 60_000))
        #expect(value("PlaybackStatus", of: reading) == .text("Playing"))
        #expect(entry("mpris:trackid", of: reading) == .path("/lockstep/session/S1/0"))
        #expect(entry("mpris:length", of: reading) == .whole(1_500_000_000))
        #expect(entry("xesam:title", of: reading) == .text("Reading"))
        #expect(entry("xesam:artist", of: reading) == .texts(["Study"]))
        #expect(value("Position", of: reading, at: 61_500) == .whole(61_500_000), "it is computed when it is asked for")
        #expect(value("Position", of: reading, at: 9_999_000) == .whole(1_500_000_000))
        #expect(reading.nextChange == 1_500_000)
        let unnamed = player(makeRegister(plan, status: .paused, elapsed: 5_000))
        #expect(value("PlaybackStatus", of: unnamed) == .text("Paused"))
        #expect(entry("xesam:title", of: unnamed) == .text("Focus"))
        #expect(entry("xesam:artist", of: unnamed) == .texts(["Focus"]))
        #expect(value("Position", of: unnamed, at: 60_000) == .whole(5_000_000))
        #expect(unnamed?.nextChange == nil)
        #expect(entry("mpris:length", of: player(makeRegister(mode: .countup))) == nil)
    }

    @Test func withoutALiveSessionThereIsNoPlayer() {
        for register in [
            nil, makeRegister(status: .completed), makeRegister(status: .stopped), makeRegister(status: .superseded),
        ] {
            #expect(player(register) == nil)
        }
        #expect(player(makeRegister(), at: 1_500_000) == nil, "time alone ends it")
        #expect(value("PlaybackStatus", of: nil) == .text("Stopped"))
        #expect(value("Metadata", of: nil) == .entries([]))
        #expect(value("Identity", of: nil) == .text("Lockstep"))
        #expect(value("Nonsense", of: nil) == nil)
    }

    @Test func keysEndAnAlarmThatWaits() {
        var register = makeRegister()
        register.hasAlarm = true
        let over = player(register, at: 1_500_000)
        for key in ["Play", "Pause", "PlayPause"] { #expect(over?.request(for: key) == .acknowledge) }
        #expect(over?.request(for: "Next") == nil)
        #expect(value("CanPlay", of: over) == .flag(true))
        #expect(player(register, at: 1_500_000, isReadOnly: true)?.request(for: "Play") == nil)
    }

    @Test func onlyWhatDiffersIsToldAndNothingWhileTimePasses() throws {
        let begun = try #require(player(makeRegister(plan)))
        let later = try #require(player(makeRegister(plan), at: 700_000))
        #expect(later.changes(since: begun) == [])
        #expect(!later.hasJumped(since: begun))
        let paused = try #require(player(makeRegister(plan, status: .paused, elapsed: 700_000), at: 700_000))
        #expect(paused.changes(since: later) == ["PlaybackStatus"])
        #expect(!paused.hasJumped(since: later))
        let next = try #require(player(makeRegister(plan), at: 1_500_000))
        #expect(next.changes(since: begun) == ["PlaybackStatus", "Metadata", "CanGoNext"])
        #expect(!next.hasJumped(since: begun), "another track")
        let longer = try #require(player(makeRegister([Phase(kind: .focus, seconds: 1_560), plan[1]]), at: 700_000))
        #expect(longer.changes(since: begun) == ["Metadata"])
        #expect(!longer.hasJumped(since: begun))
        let moved = try #require(player(makeRegister(plan, elapsed: 5_000), at: 700_000))
        #expect(moved.changes(since: begun) == [])
        #expect(moved.hasJumped(since: begun))
    }

    @Test func mediaKeysRequestWhatTheSessionAllows() throws {
        func operations(_ player: Player?) -> [String] {
            ["Play", "Pause", "PlayPause", "Stop", "Next", "Previous", "Seek", "Quit"].map { method in
                player?.press(for: method).map { "\($0.operation.name)" } ?? "-"
            }
        }
        let running = player(makeRegister(plan))
        #expect(operations(running) == ["-", "pause", "pause", "stop", "skip", "-", "-", "-"])
        #expect(running?.press(for: "Next") == Press(.skip, session: SessionID("S1"), phase: 0))
        let paused = player(makeRegister(plan, status: .paused))
        #expect(operations(paused) == ["resume", "-", "resume", "stop", "skip", "-", "-", "-"])
        let ready = player(makeRegister(plan, phase: 1, status: .ready))
        #expect(operations(ready) == ["startBreak", "-", "startBreak", "stop", "-", "-", "-", "-"])
        for shown in [running, paused, ready] {
            #expect(value("CanPlay", of: shown) == .flag(true))
            #expect(value("CanPause", of: shown) == .flag(true))
        }
        #expect(value("CanGoNext", of: running) == .flag(true))
        #expect(value("CanGoNext", of: ready) == .flag(false), "the last phase")
    }

    @Test func aDisplayAndAStaleSessionHaveNoKeys() throws {
        let shown = try #require(player(makeRegister(plan), isReadOnly: true))
        #expect(value("CanControl", of: shown) == .flag(false))
        let stale = try #require(player(makeRegister(plan), at: 45_000, lostAt: 0))
        #expect(value("CanControl", of: stale) == .flag(true))
        for player in [shown, stale] {
            for method in ["Play", "Pause", "PlayPause", "Next"] { #expect(player.press(for: method) == nil) }
            #expect(value("CanPause", of: player) == .flag(false))
        }
        #expect(shown.press(for: "Stop") == nil)
        #expect(stale.press(for: "Stop")?.operation == .stop)
        #expect(player(makeRegister(plan), at: 10_000, lostAt: 0)?.nextChange == 30_000)
    }
}
