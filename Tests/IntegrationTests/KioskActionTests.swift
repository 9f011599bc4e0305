// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// What a person does on a page, and what others see of it.
@Suite(.takingMuch, .tryingAgain, Kiosk.isSeen) struct KioskActionTests {
    @Test func aPressReachesTheOtherNode() async throws {
        try await Kiosk.with { try await aPressReachesTheOtherNode($0) }
    }

    private func aPressReachesTheOtherNode(_ kiosk: Kiosk) async throws {
        let id = try kiosk.desk.begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m"])
        let here = try await kiosk.open("kitchen")
        let there = try await kiosk.open("desk", "face=calm")
        for page in [here, there] { try await page.isDrawn("running") }
        #expect(try await buttons(here) == ["Pause", "+1 min", "Start break"])
        #expect(try await buttons(there) == ["Pause", "End session"])

        try await here.click("button[data-op=pause]")
        let paused = try await kiosk.desk.shows("paused") { $0.status == "paused" }
        if paused.isOwner == false { throw StoodStill("kitchen took over") }
        #expect(paused.session.text == id)
        for page in [here, there] { try await page.isDrawn("paused") }
        #expect(try await buttons(here) == ["Resume", "Stop", "Start break"])
        let frozen = try await [here.text("time"), there.text("time")]
        #expect(frozen[0] == frozen[1])

        // The owner does not answer yet: that a press was taken shows at once. After two seconds it has its answer, which
        // a busy machine may not leave for questions from outside.
        _ = try await here.value(
            "void (window.busy = new Promise((done) => new MutationObserver(() =>"
                + " document.querySelector('button[aria-busy=true]:disabled') && done(true))"
                + ".observe(document.getElementById('buttons'), { attributes: true, subtree: true })))")
        kiosk.desk.freeze()
        try await here.click("button[data-op=resume]")
        #expect(try await here.value("busy") == true)
        kiosk.desk.thaw()
        for page in [here, there] { try await page.isDrawn("running") }
        try await here.eventually("an answer", "!document.querySelector('button[aria-busy=true]')")

        try await there.click("button[data-op=stop]")
        for page in [here, there] { try await page.isDrawn("idle") }
        #expect(try await buttons(here) == [])
        #expect(try await here.problems() + there.problems() == [])
    }

    /// The page does not know yet that the phase is over: its press must not hit the next one.
    @Test func aRefusedPressIsTold() async throws {
        try await Kiosk.with { kiosk in
            let id = try kiosk.desk.begin(["plan": "focus 25m, shortBreak 5m"])
            let page = try await kiosk.open("kitchen")
            try await page.isDrawn("running")
            // Nor does it ask again, however long that takes.
            _ = try await page.value("source.close(); lose = () => {}; 0")
            _ = try await page.value(Self.refusal)
            try await kiosk.press("skip")
            try await kiosk.kitchen.shows("the break") { $0.phase == 1 && $0.session.text == id }
            try await page.click("button[data-op=startBreak]")
            let refusal = try await page.value("refusal")
            #expect(refusal.notice.text?.hasPrefix("That phase is over") == true, "\(refusal)")
            #expect(refusal.spoken == "That phase is over")
            #expect(refusal.faults == [])
            #expect(kiosk.desk.status.status == "running")
            _ = try await page.value("connect()")
            try await page.eventually("the break", "entry.phase === 1")
            try await page.eventually("the reason is gone", "document.getElementById('notice').textContent === ''")
            #expect(try await page.problems(ofNetwork: false) == [])
        }
    }

    /// How a refusal looked, which is shown for four seconds.
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

    /// Two pages of two nodes, compared with what the nodes say just before and just after.
    @Test func digitsAreRight() async throws {
        try await Kiosk.with { kiosk in
            try kiosk.desk.begin(["seconds": 1_500])
            let pages = [try await kiosk.open("desk"), try await kiosk.open("kitchen", "face=phases")]
            for page in pages { try await page.isDrawn("running") }
            try await kiosk.kitchen.shows("a comparison of the clocks") { $0.approximate == false }
            try await pages[1].eventually("the same", "entry.sign === ''")
            for page in pages { try await page.eventually("a comparison with its node", "isFinite(low) && !syncing") }
            var seen: Set<Int64> = []
            try await eventually("five different seconds") {
                let before = kiosk.desk.status.remainingSeconds.int ?? 0
                for page in pages {
                    // Behind what the page has to do by now: one that stood still draws first.
                    let text =
                        try await page.value(
                            "new Promise((done) => setTimeout(() => done(document.getElementById('time').textContent.trim()), 1))"
                        ).text ?? ""
                    let parts = text.split(separator: ":").compactMap { Int64($0) }
                    let shown = parts.reduce(0) { $0 * 60 + $1 }
                    let after = kiosk.desk.status.remainingSeconds.int ?? 0
                    #expect(after - 1 <= shown && shown <= before + 1, "\(text), between \(before) and \(after)")
                    seen.insert(shown)
                }
                return seen.count >= 5
            }
        }
    }

    /// The feed of the calm service, as it comes.
    @Test func calm() async throws {
        try await Kiosk.with { kiosk in
            let id = try kiosk.desk.begin()
            let page = try await kiosk.open("desk", "face=calm")
            try await page.isDrawn("running")
            #expect(try await page.text("calm") == "Calm –")
            let readings: [(Int64, Int64, JSON, String)] = [
                (85, 100, "rising", "Calm 85% ↗"), (60, 90, "falling", "Calm 60% ↘"), (61, 80, "steady", "Calm 61% →"),
                (61, 79, "steady", "Calm –"), (100, 100, .null, "Calm 100%"),
            ]
            for (percent, coverage, trend, text) in readings {
                var feed: JSON = ["percent": .number(percent), "coverage": .number(coverage)]
                feed.session = .string(id)
                if trend != .null { feed.trend = trend }
                try await kiosk.feed("calm", feed)
                try await page.eventually(text, "document.getElementById('calm').textContent.trim() === '\(text)'")
                #expect(try await page.value("measure(innerWidth, innerHeight)") == [], "\(text)")
            }
        }
    }

    private func buttons(_ page: Page) async throws -> [String] {
        try await page.value("[...document.querySelectorAll('button')].map((b) => b.textContent)").items.compactMap(
            \.text)
    }
}
