// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The page without a session, near the end of a phase, and while an alarm waits.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct KioskAlarmTests {
    @Test func aPageShowsTheTimeOfDayThenTheEndThenTheAlarmThatAnyKeyEnds() async throws {
        try await Kiosk.with { kiosk in
            let page = try await kiosk.open("kitchen", "near=5m&lang=en")
            try await page.waitUntilDrawn("idle")
            try await page.eventually("the time of day", "/^[0-2]\\d:[0-5]\\d$/.test(part('time').textContent)")
            try await kiosk.keep(page, as: "idle-clock")
            try kiosk.desk.begin(["title": "Tea", "seconds": 4, "alarm": true])
            try await page.eventually("it is near its end", "root.classList.contains('near')")
            try await kiosk.keep(page, as: "near")
            try await page.eventually("the alarm", "part('notice').textContent.startsWith('Time is up')")
            #expect(
                try await page.value("[...document.querySelectorAll('button')].map((one) => one.textContent)") == ["OK"]
            )
            try await kiosk.keep(page, as: "alarm")
            _ = try await page.value(
                "void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift', bubbles: true }))")
            #expect(try await page.value("pending") == "", "a key that does nothing alone is no press")
            _ = try await page.value(
                "void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true }))")
            try await kiosk.desk.waitFor("the end of the alarm") { $0.alarm == false }

            try kiosk.desk.begin(["plan": "focus 1s", "overtime": true])
            try await page.eventually("overtime", "part('time').textContent.startsWith('+00:0')")
            try await kiosk.keep(page, as: "overtime")
            try await kiosk.press("stop")
            for (query, isShown) in [("idle=off", false), ("idle=clock&face=boring", false), ("idle=clock", true)] {
                let other = try await kiosk.open("kitchen", query)
                try await other.waitUntilDrawn("idle")
                #expect(try await other.value("part('time').textContent !== ''") == .bool(isShown), "\(query)")
                try await other.close()
            }
            #expect(try await page.problems() == [])
        }
    }

    /// Each face marks another part. The page of the calm face is asked for less motion.
    @Test(.waitingForTimers) func theLastSecondsHaveTheColourOfWarningsAndTheEndOnePulse() async throws {
        try await Kiosk.with { kiosk in
            let marks = [
                ("focus", "getComputedStyle(part('time')).color"), ("calm", "getComputedStyle(part('arc')).stroke"),
                ("phases", "getComputedStyle(part('bar').firstElementChild).backgroundColor"),
                ("boring", "getComputedStyle(part('time')).color"),
            ]
            var pages: [(face: String, colour: String, page: Page)] = []
            for (face, colour) in marks {
                let page = try await kiosk.open("kitchen", "face=\(face)&near=4s&theme=dark")
                _ = try await page.value(
                    """
                    window.pulses = 0;
                    window.gap = 0;
                    let last = performance.now();
                    setInterval(() => {
                      gap = Math.max(gap, performance.now() - last);
                      last = performance.now();
                    }, 100);
                    const { animate } = Element.prototype;
                    Element.prototype.animate = function (...rest) {
                      if (this.id === "stage") pulses++;
                      return animate.apply(this, rest);
                    };
                    0
                    """)
                if face == "calm" {
                    try await page.call(
                        "Emulation.setEmulatedMedia",
                        ["features": [["name": "prefers-reduced-motion", "value": "reduce"]]])
                }
                pages.append((face, colour, page))
            }
            let warning = "rgb(232, 182, 89)"
            try kiosk.desk.begin(["title": "Tea", "seconds": 24])
            for (face, colour, page) in pages {
                try await page.waitUntilDrawn("running")
                #expect(try await page.value("\(colour) !== '\(warning)' && pulses === 0") == true, "\(face)")
            }
            for (face, colour, page) in pages where face != "boring" {
                try await page.eventually("\(face): near", "\(colour) === '\(warning)'")
                try await kiosk.keep(page, as: "near-\(face)")
            }
            #expect(try await pages[3].page.value("\(marks[3].1) === '\(warning)'") == false)
            for (face, colour, page) in pages {
                try await page.eventually("\(face): over", "entry.status !== 'running'")
                // A page that the machine lets draw two seconds late does not pulse any more.
                let pulses = ["calm", "boring"].contains(face) ? "pulses === 0" : "pulses === 1 || gap > 1500"
                #expect(try await page.value(pulses) == true, "\(face)")
                if face == "focus" { try await kiosk.keep(page, as: "pulse") }
                #expect(try await page.value("\(colour) === '\(warning)'") == false, "\(face)")
                #expect(try await page.problems() == [])
            }
        }
    }
}
