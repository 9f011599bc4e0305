// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Presses on a page, and their effects on other displays.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct KioskActionTests {
    @Test func aPressReachesTheOtherNode() async throws {
        try await Kiosk.with { kiosk in
            try await expectPresets(kiosk)
            try await kiosk.press("stop")
            try await expectPressAtOtherNode(kiosk)
        }
    }

    private func expectPresets(_ kiosk: Kiosk) async throws {
        let page = try await kiosk.open("kitchen", "controls=1")
        try await page.waitUntilDrawn("idle")
        #expect(try await buttons(page) == ["pomodoro", "deep", "tabata", "intervals"])
        #expect(try await page.value("measure(800, 480)") == [])
        try await page.resize(width: 480, height: 800)
        #expect(try await page.value("measure(480, 800)") == [])
        try await page.resize(width: 800, height: 480)
        #expect(try await page.value("measure(800, 480)") == [])
        try await kiosk.keep(page, as: "presets")
        try await page.click("button:nth-child(2)")
        let session = try await kiosk.desk.waitFor("the preset") { $0.status == "running" }
        #expect(session.plan.items.map(\.seconds) == [3_000, 600])
        try await page.waitUntilDrawn("running")
        #expect(try await buttons(page) == ["Pause", "+1 min", "Start break"])
        let other = try await kiosk.open("kitchen", "face=boring&controls=1")
        try await other.waitUntilDrawn("running")
        #expect(try await buttons(other) == [])
        #expect(try await page.problems() + other.problems() == [])
        for page in [page, other] { try await page.close() }
    }

    private func expectCalm(_ kiosk: Kiosk, _ page: Page, of session: String) async throws {
        #expect(try await page.text("calm") == "Calm –")
        let readings: [(Int64, Int64, JSON, String)] = [
            (85, 100, "rising", "Calm 85% ↗"), (61, 79, "steady", "Calm –"), (100, 100, .null, "Calm 100%"),
        ]
        for (percent, coverage, trend, text) in readings {
            var feed: JSON = ["percent": .number(percent), "coverage": .number(coverage)]
            feed.session = .string(session)
            if trend != .null { feed.trend = trend }
            try await kiosk.feed("calm", feed)
            try await page.eventually(text, "document.getElementById('calm').textContent.trim() === '\(text)'")
            #expect(try await page.value("measure(innerWidth, innerHeight)") == [], "\(text)")
        }
    }

    private func expectPressAtOtherNode(_ kiosk: Kiosk) async throws {
        let id = try kiosk.desk.begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m"])
        let here = try await kiosk.open("kitchen")
        let there = try await kiosk.open("desk", "face=calm")
        for page in [here, there] { try await page.waitUntilDrawn("running") }
        #expect(try await buttons(here) == ["Pause", "+1 min", "Start break"])
        #expect(try await buttons(there) == ["Pause", "End session"])
        try await expectCalm(kiosk, there, of: id)

        try await here.click("button[data-op=pause]")
        let paused = try await kiosk.desk.waitFor("paused") { $0.status == "paused" }
        if paused.isOwner == false { throw Failed("kitchen took over") }
        #expect(paused.session.text == id)
        for page in [here, there] { try await page.waitUntilDrawn("paused") }
        #expect(try await buttons(here) == ["Resume", "Stop", "Start break"])
        let frozen = try await [here.text("time"), there.text("time")]
        #expect(frozen[0] == frozen[1])

        // The page shows a pending press at once, while the owner does not answer. The answer comes after two seconds,
        // which a busy machine may miss.
        _ = try await here.value(
            "void (window.busy = new Promise((done) => new MutationObserver(() =>"
                + " document.querySelector('button[aria-busy=true]:disabled') && done(true))"
                + ".observe(document.getElementById('buttons'), { attributes: true, subtree: true })))")
        kiosk.desk.freeze()
        try await here.click("button[data-op=resume]")
        #expect(try await here.value("busy") == true)
        kiosk.desk.thaw()
        for page in [here, there] { try await page.waitUntilDrawn("running") }
        try await here.eventually("an answer", "!document.querySelector('button[aria-busy=true]')")

        try await there.click("button[data-op=stop]")
        for page in [here, there] { try await page.waitUntilDrawn("idle") }
        #expect(try await buttons(here) == [])
        #expect(try await here.problems() + there.problems() == [])
    }

    /// Captures a refusal, which is shown for four seconds.
    private static let refusal = #"""
        void (window.refusal = new Promise((done) => {
          new MutationObserver((_, observer) => {
            if (!message) return;
            observer.disconnect();
            const [notice, spoken] = ["notice", "spoken"].map((id) => document.getElementById(id).textContent);
            done(measure(innerWidth, innerHeight).then((faults) => ({ faults, notice, spoken })));
          }).observe(document.getElementById("notice"), { childList: true, characterData: true, subtree: true });
        }))
        """#

    /// The digits on the pages of two nodes lie between two readings of the nodes.
    @Test func digitsMatchTheNodeAndARefusedPressIsShown() async throws {
        try await Kiosk.with { kiosk in
            try kiosk.desk.begin(["seconds": 1_500])
            let pages = [try await kiosk.open("desk"), try await kiosk.open("kitchen", "face=phases")]
            for page in pages { try await page.waitUntilDrawn("running") }
            try await kiosk.kitchen.waitFor("a comparison of the clocks") { $0.approximate == false }
            try await pages[1].eventually("the same", "entry.sign === ''")
            for page in pages { try await page.eventually("a comparison with its node", "isFinite(low) && !syncing") }
            var seen: Set<Int64> = []
            try await eventually("five different seconds") {
                let before = kiosk.desk.status.remainingSeconds.int ?? 0
                for page in pages {
                    // A page that stalled draws first.
                    let text =
                        try await page.value(
                            "new Promise((done) => setTimeout(() => done(document.getElementById('time').textContent.trim()), 1))"
                        ).text ?? ""
                    let parts = text.split(separator: ":").compactMap { Int64($0) }
                    let shown = parts.reduce(0) { $0 * 60 + $1 }
                    let after = kiosk.desk.status.remainingSeconds.int ?? 0
                    #expect(after - 1 <= shown, "\(text), between \(before) and \(after)")
                    #expect(shown <= before + 1, "\(text), between \(before) and \(after)")
                    seen.insert(shown)
                }
                return seen.count >= 5
            }
            for page in pages { try await page.close() }

            // The page does not know yet that the phase is over: its press must not affect the next one.
            let id = try kiosk.desk.begin(["plan": "focus 25m, shortBreak 5m"])
            let page = try await kiosk.open("kitchen")
            try await page.waitFor(session: id)
            try await page.waitUntilDrawn("running")
            // It does not connect again either.
            _ = try await page.value("source.close(); lose = () => {}; 0")
            _ = try await page.value(Self.refusal)
            try await kiosk.press("skip")
            try await kiosk.kitchen.waitFor("the break") { $0.phase == 1 && $0.session.text == id }
            try await page.click("button[data-op=startBreak]")
            let refusal = try await page.value("refusal")
            #expect(refusal.notice.text?.hasPrefix("That phase is over") == true, "\(refusal)")
            refusal.expect(["spoken": "That phase is over", "faults": []])
            #expect(kiosk.desk.status.status == "running")
            _ = try await page.value("connect()")
            try await page.eventually("the break", "entry.phase === 1")
            try await page.eventually("the reason is gone", "document.getElementById('notice').textContent === ''")
            #expect(try await page.problems(includingNetwork: false) == [])
        }
    }

    @Test(.waitingForTimers) func aSessionWhoseOwnerIsGoneIsContinuedHere() async throws {
        try await Kiosk.with { kiosk in
            let id = try kiosk.desk.begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m"])
            let page = try await kiosk.open("kitchen")
            try await page.waitUntilDrawn("running")
            try await kiosk.kitchen.waitFor("the session") { $0.session.text == id }
            try await kiosk.desk.kill()
            try await page.eventually("the buttons of a gone owner", "entry.buttons.length === 2")
            try await page.eventually("they are drawn", "document.querySelectorAll('button').length === 2")
            #expect(try await buttons(page) == ["Continue here", "Stop"])
            #expect(try await page.value("measure(innerWidth, innerHeight)") == [])
            try await kiosk.keep(page, as: "owner-gone")
            try await page.click("button")
            try await kiosk.kitchen.waitFor("the session here") { $0.isOwner == true && $0.lineage.text == id }
            try await page.eventually("its buttons", "document.querySelectorAll('button').length === 3")
            #expect(try await buttons(page) == ["Pause", "+1 min", "Start break"])
            #expect(try await page.problems() == [])
        }
    }

    private func buttons(_ page: Page) async throws -> [String] {
        try await page.value("[...document.querySelectorAll('button')].map((b) => b.textContent)").items.compactMap(
            \.text)
    }
}
