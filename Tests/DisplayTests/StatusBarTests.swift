// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing
import Wire

@testable import Display

@Suite(.timeLimit(.minutes(15))) struct StatusBarTests {
    private let label = Label(name: "Study", colour: Colour(red: 0x4C, green: 0x8D, blue: 0xFF))
    private let sets = [
        Phase(kind: .work, seconds: 40), Phase(kind: .rest, seconds: 20), Phase(kind: .work, seconds: 40),
    ]

    private func line(
        _ register: Register?, at boot: BootTime = 0, _ style: StatusStyle = .compact, face: Face = .focus,
        error: Milliseconds? = 0, lostAt: BootTime? = nil, isLinked: Bool = true,
        options: ScreenOptions = ScreenOptions()
    ) -> StatusLine {
        let view = makeView(register, error: error, lostAt: lostAt, isLinked: isLinked)
        return StatusLine(
            Screen(view, at: boot, face: face, options: options), style: style, strings: options.strings)
    }

    @Test func stylesHaveTheirLength() {
        let register = makeRegister(label: label, title: "Reading")
        #expect(line(register, at: 375_000, .minimal).text == "◔")
        #expect(line(register, at: 375_000, .compact).text == "◔ 18:45")
        #expect(line(register, at: 375_000, .expanded).text == "◔ Study · Focus in progress · 18:45")
        #expect(line(makeRegister(title: "Reading"), .expanded).text == "○ Reading · Focus in progress · 25:00")
        #expect(line(makeRegister(), .expanded).text == "○ Focus in progress · 25:00")
    }

    @Test func everyStateHasItsOwnSign() {
        #expect(line(makeRegister(), at: 1_499_000).text == "● 00:01")
        #expect(
            line(makeRegister(status: .paused, elapsed: 60_000), at: 90_000).text == "‖ 24:00", "the time is frozen")
        #expect(
            line(makeRegister(sets, phase: 2, status: .ready), .expanded).text == "▷ Work 2/2 · Work is next · 00:40")
        #expect(line(makeRegister(status: .completed, elapsed: 1_500_000), at: 4_999).text == "✓ 00:00")
        #expect(line(makeRegister(mode: .countup), at: 65_000).text == "↑ 01:05")
        #expect(line(nil).text == "◌")
        #expect(line(nil, .expanded).text == "◌ There is no session")
        #expect(line(nil, .expanded, isLinked: false).text == "◌ There is no session · Not connected")
    }

    @Test func statusLineNamesTheProblem() throws {
        #expect(line(makeRegister(), error: nil).text == "○ ≈25:00")
        let stale = line(makeRegister(), at: 45_000, .expanded, lostAt: 0)
        #expect(stale.text == "○! Focus in progress · 24:15 · Last heard 45 s ago · desk")
        #expect(stale.classes == ["running", "focus", "stale"])
        #expect(line(makeRegister(), at: 45_000, lostAt: 0).text == "○! 24:15")
        var register = makeRegister()
        register.continues = Continuation(
            node: try #require(NodeID("kitchen-pi")), epoch: 1, rev: 4, at: 1_800_000_000_000)
        let options = ScreenOptions(node: NodeID("kitchen-pi"), utcOffset: { _ in 6 * 3_600 + 5 * 60 })
        let moved = line(register, .expanded, options: options)
        #expect(moved.text == "○ Focus in progress · 25:00 · Moved to desk, 14:05")
        #expect(moved.classes == ["running", "focus", "moved"])
        register = makeRegister(status: .superseded)
        register.supersededBy = Superseder(
            session: try #require(SessionID("S2")), node: try #require(NodeID("kitchen-pi")), at: 1_800_000_000_000)
        #expect(
            line(register, .expanded, options: options).text == "⇢ Ended by a later start on kitchen-pi, 14:05 · 25:00")
    }

    @Test func facesKeepTheirRules() {
        for style in StatusStyle.allCases {
            let boring = line(makeRegister(label: label, title: "Reading"), style, face: .boring, error: nil)
            #expect(boring.text == "25:00")
            #expect(boring.formatted(.polybar) == "%{F#888888}25:00%{F-}")
            #expect(boring.tooltip.isEmpty)
            #expect(line(nil, style, face: .boring, isLinked: false).formatted(.tmux) == "")
        }
        let debt = ScreenOptions(debtMinutes: 120)
        #expect(line(makeRegister(), .expanded, face: .boring, options: debt).text == "25:00 -120m")
        #expect(line(makeRegister(), .compact, face: .boring, options: debt).text == "25:00")

        let calm = ScreenOptions(calm: makeCalmFeed(85, .rising))
        #expect(line(makeRegister(title: "Tea"), .minimal, face: .calm, options: calm).text == "○")
        #expect(line(makeRegister(title: "Tea"), .compact, face: .calm, options: calm).text == "○ 85%")
        #expect(
            line(makeRegister(title: "Tea"), .expanded, face: .calm, options: calm).text == "○ Tea · Calm 85% ↗ · 25:00"
        )
        #expect(line(makeRegister(), .compact, face: .calm).text == "○ 25:00", "an unknown percent leaves the time")

        let work = makeRegister(sets, phase: 2, title: "Workout")
        #expect(line(work, .minimal, face: .phases).text == "○ Work 2/2")
        #expect(line(work, .compact, face: .phases).text == "○ Work 2/2 00:40")
        #expect(line(work, .expanded, face: .phases).text == "○ Workout · Work 2/2 · 00:40")
    }

    @Test func phasesFaceNamesAKindThatOccursOnce() throws {
        let plan = [Phase(kind: .work, seconds: 40), Phase(kind: .rest, seconds: 300)]
        let wanted: [(Int, StatusStyle, String)] = [
            (0, .minimal, "○ Work"), (1, .minimal, "○ Rest"), (0, .compact, "○ Work 00:40"),
            (1, .compact, "○ Rest 05:00"), (0, .expanded, "○ Workout · Work · 00:40"),
            (1, .expanded, "○ Workout · Rest · 05:00"),
        ]
        for (phase, style, text) in wanted {
            #expect(line(makeRegister(plan, phase: phase, title: "Workout"), style, face: .phases).text == text)
        }
        let paused = makeRegister(plan, phase: 1, status: .paused, title: "Workout")
        #expect(line(paused, .expanded, face: .phases).text == "‖ Workout · Rest paused · 05:00", "once is enough")
        #expect(line(makeRegister(), .compact, face: .phases).text == "○ Focus 25:00")
        #expect(line(makeRegister(), .compact, face: .focus).text == "○ 25:00")
        let german = ScreenOptions(strings: try #require(Catalogue.strings("de")))
        let rest = makeRegister(plan, phase: 1)
        #expect(line(rest, .compact, face: .phases, options: german).text == "○ Erholung 05:00")
    }

    @Test func userTextIsEscapedForEveryBar() {
        let title = "<b>&'\"#[fg=red]%{F#f00}100%"
        let line = line(makeRegister(title: title), .expanded)
        #expect(line.formatted(.text).contains(title))
        #expect(line.formatted(.tmux).contains("##[fg=red]%{F####f00}100%"), "tmux reads it twice")
        #expect(self.line(makeRegister(title: "C#"), .expanded).formatted(.tmux).contains("C###[default] · Focus"))
        #expect(line.formatted(.polybar).contains("#[fg=red]%\u{200B}{F#f00}100%"))
        let waybar = line.formatted(.waybar)
        #expect(waybar.contains("&lt;b&gt;&amp;&#39;&quot;#[fg=red]"))
        #expect(!waybar.contains("<b>"))
        #expect(!waybar.contains("\n"))
        let long = self.line(makeRegister(title: String(repeating: "long ", count: 30)), .expanded).text
        #expect(TerminalText.displayWidth(long) < 80)
    }

    @Test func everyFormatIsValid() {
        let line = line(makeRegister(label: label, title: "Reading"), at: 375_000)
        #expect(line.formatted(.tmux) == "#[fg=#4c8dff]◔#[default] 18:45")
        #expect(line.formatted(.polybar) == "%{F#4c8dff}◔%{F-} 18:45")
        #expect(line.formatted(.i3blocks) == "◔ 18:45\n◔\n#4c8dff")
        #expect(
            line.formatted(.i3blocks, isFollowed: true)
                == ##"{"color":"#4c8dff","full_text":"◔ 18:45","short_text":"◔"}"##)
        let minimal = self.line(makeRegister(), .minimal)
        #expect(minimal.formatted(.i3blocks) == "○ 25:00\n○\n#6ea8fe", "the time if there is room")
        #expect(
            line.formatted(.waybar)
                == #"{"alt":"running","class":["running","focus"],"percentage":25,"#
                + ##""text":"<span color=\"#4c8dff\">◔</span> 18:45","##
                + #""tooltip":"Reading · Study\nFocus in progress\nends 08:25"}"#)
    }

    @Test func pausedSessionIsDim() {
        let paused = line(makeRegister(status: .paused, label: label))
        #expect(paused.formatted(.tmux) == "#[fg=#8a8a8a]‖#[default] #[fg=#8a8a8a]25:00#[default]")
        #expect(paused.classes == ["paused", "focus"])
    }

    @Test func rightToLeftTextDoesNotReorderOthers() throws {
        let title = "قراءة"
        let line = line(makeRegister(title: title), .expanded)
        #expect(line.formatted(.i3blocks).hasPrefix("○ \u{2068}\(title)\u{2069} · Focus in progress · 25:00\n"))
        #expect(line.formatted(.text) == "○ \(title) · Focus in progress · 25:00")
        let file = #"{"language": "ar", "name": "x", "direction": "rtl", "strings": {"focusInProgress": "جلسة"}}"#
        let options = ScreenOptions(strings: try Strings(catalogue: Array(file.utf8)))
        let arabic = self.line(makeRegister(), .expanded, options: options).formatted(.i3blocks)
        #expect(arabic.hasPrefix("\u{200F}○ \u{2068}جلسة\u{2069} · 25:00\n"))
    }
}
