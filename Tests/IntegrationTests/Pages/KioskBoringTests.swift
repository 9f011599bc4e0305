// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The boring face during a session: the time and the debt, and nothing else.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct KioskBoringTests {
    @Test func boringFaceShowsOnlyTheTimeAndTheDebt() async throws {
        try await Kiosk.with { kiosk in
            let page = try await kiosk.open("desk", "face=boring&theme=light&qr=0")
            try await page.waitUntilDrawn("idle")
            _ = try await page.value(Self.script)
            try kiosk.desk.begin([
                "title": "Reading", "label": "Study", "colour": "f00", "icon": "📚", "plan": "focus 3s, focus 3s",
                "autoAdvance": true,
            ])
            try await page.waitUntilDrawn("running")
            var colours: Set<JSON> = []
            try await eventually("the end") {
                guard try await page.value("entry.status") == "running" else { return true }
                colours.insert(try await page.value("getComputedStyle(document.getElementById('time')).color"))
                try await expectBoringLook(page)
                return false
            }
            #expect(colours == ["rgb(136, 136, 136)"], "no colour changes as time decreases")
            let end = try await page.value("window.atEnd")
            end.expect(["faults": [], "time": "0:00"])
            try await page.waitUntilDrawn("idle")
            #expect(try await page.value("counted.noise") == 0, "no haptic or sound at milestones")
            try await expectBoringLook(page)
            #expect(try await page.value("document.body.innerText.trim() + document.title") == "")

            // It shows the debt of the week only while there is one.
            try kiosk.desk.begin()
            try await page.waitUntilDrawn("running")
            for (minutes, text): (Int64, String) in [(120, "-120m"), (-45, ""), (0, ""), (150, "-2h30m")] {
                try await kiosk.feed("debt", ["minutes": .number(minutes)])
                try await page.eventually("the debt", "document.getElementById('under').textContent === '\(text)'")
                try await expectBoringLook(page)
            }
            let colour = try await page.value("getComputedStyle(document.getElementById('under')).color")
            #expect(colour == "rgb(68, 68, 68)")
        }
    }

    /// `boringFaults()` lists forbidden content. `atEnd` captures the end, which is shown for only five seconds.
    private static let script = #"""
        window.boringFaults = async () => {
          const unwanted = {
            "a progress bar or ring": "#bar, #ring, progress, meter",
            "an icon or branding": "svg, img, #emoji, #icon, #qr",
            "a button": "button, a, input, [tabindex], [onclick]",
            "a section that expands": "details, summary, dialog, select",
          };
          const seen = Object.keys(unwanted).filter((rule) => [...document.querySelectorAll(unwanted[rule])].some(isShown));
          // No other colour, no other text.
          return [...seen, ...(await measure(innerWidth, innerHeight))];
        };
        void (window.atEnd = new Promise((done) => {
          new MutationObserver((_, observer) => {
            if (entry?.status !== "completed" || !isFitted) return;
            observer.disconnect();
            const time = document.getElementById("time").textContent;
            done(boringFaults().then((faults) => ({ faults, time })));
          }).observe(document.documentElement, { attributes: true });
        }))
        """#

    private func expectBoringLook(_ page: Page, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await page.value("boringFaults()") == [], sourceLocation: sourceLocation)
    }
}
