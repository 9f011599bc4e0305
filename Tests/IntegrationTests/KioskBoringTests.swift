// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The boring face on the page: AR-01 to AR-07, from beginning to end of a session.
@Suite(.takingTurns, Kiosk.isSeen) struct KioskBoringTests {
    @Test func nothingButTheTime() async throws {
        try await Kiosk.with { kiosk in
            let page = try await kiosk.open("desk", "face=boring&theme=light&qr=0")
            try kiosk.desk.begin([
                "title": "Reading", "label": "Study", "colour": "f00", "icon": "📚", "plan": "focus 4s, focus 6s",
                "autoAdvance": true,
            ])
            try await page.isDrawn("running")
            var colours: Set<JSON> = []
            try await eventually("the end") {
                guard try await page.value("entry.status") == "running" else { return true }
                colours.insert(try await page.value("getComputedStyle(document.getElementById('time')).color"))
                try await looksAsItShould(page)
                return false
            }
            #expect(colours == ["rgb(136, 136, 136)"], "AR-03: no colour changes as time decreases")
            try await page.isDrawn("completed")
            try await looksAsItShould(page)
            #expect(try await page.text("time") == "0:00")
            #expect(try await page.value("counted.noise") == 0, "AR-04: no haptic or sound at milestones")
            try await page.isDrawn("idle")
            try await looksAsItShould(page)
            #expect(try await page.value("document.body.innerText.trim() + document.title") == "")
        }
    }

    /// The debt of the week, and only while there is one.
    @Test func theDebt() async throws {
        try await Kiosk.with { kiosk in
            let page = try await kiosk.open("desk", "face=boring")
            try kiosk.desk.begin()
            try await page.isDrawn("running")
            for (minutes, text): (Int64, String) in [(120, "-120m"), (-45, ""), (0, ""), (150, "-2h30m")] {
                try await kiosk.feed("debt", ["minutes": .number(minutes)])
                try await page.eventually("the debt", "document.getElementById('under').textContent === '\(text)'")
                try await looksAsItShould(page)
            }
            let colour = try await page.value("getComputedStyle(document.getElementById('under')).color")
            #expect(colour == "rgb(68, 68, 68)")
        }
    }

    private func looksAsItShould(_ page: Page, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let count = { (selector: String) in
            try await page.value("[...document.querySelectorAll('\(selector)')].filter(isShown).length")
        }
        #expect(try await count("#bar, #ring, progress, meter") == 0, "AR-01: no progress bar or ring")
        #expect(try await count("svg, img, #emoji, #icon, #qr") == 0, "AR-02: no app icon or branding")
        #expect(try await count("button, a, input, [tabindex], [onclick]") == 0, "AR-05: no interactive buttons")
        #expect(try await count("details, summary, dialog, select") == 0, "AR-07: no expandable details section")
        let faults = try await page.value("measure(innerWidth, innerHeight)")
        #expect(faults == [], "AR-02, AR-03, AR-06: no other colour, no other text", sourceLocation: sourceLocation)
    }
}
