// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The page alone: its parameters, its cost, and its state after a sleep.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct KioskPageTests {
    @Test func pageIsSmallAndLoadsNoOtherFileAndEachParameterHasAnEffect() async throws {
        try await Kiosk.with { kiosk in
            let small = try await kiosk.open("desk", "qr=1")
            try await small.waitUntilDrawn("idle")
            let weight = try await small.value(
                "Promise.all(['.', 'look.css', 'kiosk.css', 'live.js', 'alerts.js', 'kiosk.js'].map(async (name) =>"
                    + " (await (await fetch(name)).arrayBuffer()).byteLength)).then((all) => all.reduce((a, b) => a + b))"
            )
            #expect((1...60_000).contains(weight.int ?? 0), "\(weight)")
            let own = kiosk.address("desk")
            let requests = try await small.requests().filter { !$0.hasPrefix("data:") && !$0.hasPrefix("about:") }
            #expect(requests.contains { $0.contains("/v1/timeline") })
            #expect(requests.allSatisfy { $0.hasPrefix(own) }, "\(requests)")
            #expect(try await small.problems() == [])

            try kiosk.desk.begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m"])
            let effects: [(query: String, expression: String)] = [
                ("", "document.documentElement.classList.contains('focus')"),
                ("face=phases", "document.documentElement.classList.contains('phases')"),
                ("lang=en-GB", "document.documentElement.lang === 'en'"),
                ("theme=light", "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'"),
                ("theme=e-ink", "document.getElementById('time').textContent.startsWith('ends ')"),
                ("controls=0", "document.querySelectorAll('button').length === 0"),
                ("qr=1", "isShown(document.getElementById('qr')) && document.getElementById('qr').naturalWidth > 0"),
                ("scale=0.5", "document.getElementById('time').offsetHeight < innerHeight / 4"),
                ("hide=detail,buttons", "['detail', 'buttons'].every((id) => !isShown(document.getElementById(id)))"),
            ]
            for (query, expression) in effects {
                let page = try await kiosk.open("kitchen", query)
                try await page.waitUntilDrawn("running")
                try await page.eventually(query, expression)
                #expect(try await page.value("measure(800, 480)") == [], "\(query)")
                #expect(try await page.problems() == [], "\(query)")
                try await page.close()
            }
        }
    }

    /// A tick causes no speech and no new layout, and the end of the session lets the screen sleep. The page is right
    /// after it was frozen, hidden, asleep or resized.
    @Test func aTickChangesOnlyTheTimeAndThePageIsRightAfterASleep() async throws {
        try await Kiosk.with { kiosk in
            let page = try await kiosk.open("desk")
            try await page.waitUntilDrawn("idle")
            #expect(try await page.value("counted.wakeLocks") == 0)
            try kiosk.desk.begin()
            try await page.waitUntilDrawn("running")
            try await page.eventually("the screen stays on", "counted.wakeLocks === 1")
            _ = try await page.value(
                "counted.fits = 0; counted.spoken = []; const all = fitTexts;"
                    + " fitTexts = (most) => { counted.fits++; all(most); }; counted.from = performance.now()")
            let time = try await page.text("time")
            try await page.eventually("a few seconds", "performance.now() - counted.from > 3500")
            try await page.eventually("it counts", "document.getElementById('time').textContent !== '\(time)'")
            #expect(try await page.value("[counted.fits, counted.spoken.length]") == [0, 0])
            try await kiosk.press("extend")
            try await page.eventually("it is said", "counted.spoken.length === 1")
            try await kiosk.press("pause")
            try await page.eventually("it is said", "counted.spoken.length === 2")
            let left = ((kiosk.desk.status.remainingSeconds.int ?? 0) + 30) / 60
            #expect(try await page.text("spoken").hasPrefix("Reading. Focus paused. \(left) minutes left"))
            try await kiosk.press("stop")
            try await page.eventually("the screen may sleep", "counted.wakeLocks === 0")

            let id = try kiosk.desk.begin(["title": "Reading", "seconds": 1_500])
            try await page.waitFor(session: id)
            try await page.waitUntilDrawn("running")
            try await page.call("Page.setWebLifecycleState", ["state": "frozen"])
            let before = kiosk.desk.status.remainingSeconds.int ?? 0
            try await kiosk.desk.waitFor("three seconds less") { ($0.remainingSeconds.int ?? 0) < before - 3 }
            try await page.call("Page.setWebLifecycleState", ["state": "active"])
            try await expectTimeOfNode(page, kiosk)

            let hide = { (isHidden: Bool) in
                "Object.defineProperty(document, 'hidden', { configurable: true, value: \(isHidden) });"
                    + " document.dispatchEvent(new Event('visibilitychange'))"
            }
            _ = try await page.value(hide(true))
            #expect(try await page.value("document.title === document.getElementById('time').textContent") == true)
            _ = try await page.value(hide(false))
            #expect(try await page.value("document.title") == "Reading")

            // The browser's clock stands still during a sleep.
            _ = try await page.value(
                "const real = performance.now.bind(performance); performance.now = () => real() - 60000; 0")
            try await expectTimeOfNode(page, kiosk)
            try await page.resize(width: 320, height: 240)
            #expect(try await page.value("measure(320, 240)") == [])
            try await expectTimeOfNode(page, kiosk)
        }
    }

    /// Waits until the page shows the node's time, between two readings of the node.
    private func expectTimeOfNode(_ page: Page, _ kiosk: Kiosk) async throws {
        var last = ""
        do {
            try await eventually("the page is right") {
                let before = kiosk.desk.status.remainingSeconds.int ?? 0
                last = try await page.text("time")
                let after = kiosk.desk.status.remainingSeconds.int ?? 0
                let shown = last.split(separator: ":").compactMap { Int64($0) }.reduce(0) { $0 * 60 + $1 }
                return after <= shown && shown <= before
            }
        } catch {
            throw Failed("\(error); it shows \(last)")
        }
    }
}
