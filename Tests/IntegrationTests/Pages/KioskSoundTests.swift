// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The sound of a page at the end of a phase.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct KioskSoundTests {
    /// The tones of a chime: two notes with an overtone each.
    private static let chime: Int64 = 4

    @Test func oneOfTheBrowsersPagesSoundsAtEachEndUnlessItIsLate() async throws {
        try await Kiosk.with { kiosk in
            try await expectSilence(kiosk)
            try await kiosk.press("stop")
            let first = try await open(kiosk, "focus")
            let others = try await [open(kiosk, "phases", beside: first), open(kiosk, "boring", beside: first)]
            let elsewhere = try await open(kiosk, "focus")
            let pages = [first] + others + [elsewhere]
            try kiosk.desk.begin(["plan": "focus 2s, shortBreak 2s", "autoAdvance": true])
            for page in pages { try await page.waitUntilDrawn("completed") }
            var tones: [Int64] = []
            try? await eventually("two chimes of each browser") {
                tones = []
                for page in pages { tones.append(try await page.value("tones").int ?? 0) }
                return tones[0] + tones[1] >= 2 * Self.chime && tones[3] >= 2 * Self.chime
            }
            #expect(tones[0] + tones[1] == 2 * Self.chime, "\(tones)")
            #expect(tones[2] == 0, "the boring face is silent")
            #expect(tones[3] == 2 * Self.chime, "another browser has its own")
            for page in pages { #expect(try await page.problems() == []) }
        }
    }

    /// The page hears of the end of a phase a minute later, as after a suspend.
    private func expectSilence(_ kiosk: Kiosk) async throws {
        let page = try await open(kiosk, "focus")
        try kiosk.desk.begin(["plan": "focus 25m, shortBreak 5m, focus 25m", "autoAdvance": true])
        try await page.waitUntilDrawn("running")
        _ = try await page.value(
            "void (window.heard = new Promise((done) => new MutationObserver(() =>"
                + " document.getElementById('spoken').textContent.includes(' at ') &&"
                + " done(document.getElementById('spoken').textContent))"
                + ".observe(document.getElementById('spoken'), { childList: true, subtree: true })))")
        // The page gets the timeline of a state that began before the page knew it.
        _ = try await page.value(
            "(() => { const after = structuredClone(timeline); after.entries[0].phase = 1;"
                + " after.entries[0].began = nodeNow() - 60000; timeline = after; entry = null; draw(); })()")
        #expect(try await page.value("window.heard").text?.hasPrefix("Next phase at ") == true)
        #expect(try await page.value("tones") == 0)
        try await page.close()
    }

    private func open(_ kiosk: Kiosk, _ face: String, beside page: Page? = nil) async throws -> Page {
        let page = try await kiosk.browser.open(
            kiosk.address("desk", "/?face=\(face)&sound=1&lang=en"), beside: page,
            script: "window.tones = 0; \(Page.countingTones);")
        try await page.waitUntilDrawn("idle")
        // Browsers allow no sound before a press.
        try await page.click("#stage")
        return page
    }
}

extension Page {
    /// An expression that counts the tones that a page makes, in `tones`.
    static let countingTones = """
        ((make) => {
          AudioContext.prototype.createOscillator = function () {
            window.tones++;
            return make.call(this);
          };
        })(AudioContext.prototype.createOscillator)
        """
}
