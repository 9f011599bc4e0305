// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The look of the page: its typeface, its grid, its motion, and what it does at night.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct KioskLookTests {
    private static let faces = ["focus", "calm", "phases"]
    /// The typeface may come late, and then the sizes change.
    private static let isFitted = "isFitted && entry.sign === '' && document.fonts.status === 'loaded'"
    /// The places of parts, from the corner of the stage, which wanders.
    private static let places = #"""
        JSON.stringify(Object.fromEntries(["#time", "#icon", "#name", "#bar", "#ring", "button:nth-child(1)", "button:nth-child(2)"]
          .map((name) => [name, document.querySelector(name)]).filter(([name, node]) => node && node.offsetParent !== null || name === "#ring")
          .map(([name, node]) => {
            const [box, stage] = [node.getBoundingClientRect(), part("stage").getBoundingClientRect()];
            return [name, [box.x - stage.x, box.y - stage.y, box.width, box.height].map((value) => Math.round(value * 10))];
          })))
        """#

    /// How far the middle of a part is from that of the window, without the wandering: across and down.
    private static func offset(of part: String) -> String {
        "(() => { const [box, stage] = ['\(part)', 'stage'].map((id) => part(id).getBoundingClientRect());"
            + " return [box.x + box.width / 2 - stage.x - innerWidth / 2, box.y + box.height / 2 - stage.y - innerHeight / 2]"
            + ".map(Math.abs).map(Math.round) })()"
    }

    @Test func aPauseMovesNothingAndTheTimeCanBeReadFromFiveMetres() async throws {
        try await Kiosk.with { kiosk in
            var pages: [(name: String, page: Page)] = []
            for face in Self.faces {
                for (width, height): (Int64, Int64) in [(800, 480), (480, 800), (240, 240)] {
                    let page = try await kiosk.open("desk", "face=\(face)", width: width, height: height)
                    pages.append(("\(face) \(width)x\(height)", page))
                }
            }
            for title in ["Reading", ""] {
                let plan: JSON = ["title": .string(title), "plan": "focus 25m, shortBreak 5m, focus 25m"]
                let id = try kiosk.desk.begin(plan)
                for (_, page) in pages {
                    try await page.waitFor(session: id)
                    try await page.waitUntilDrawn("running")
                    try await page.eventually("exact", Self.isFitted)
                }
                for (name, page) in pages where name.hasSuffix(" 800x480") || name.hasSuffix(" 480x800") {
                    // Digits of 15 minutes of arc are 22 mm high. On 7 inches that is 115 pixels.
                    let digits = try await page.value(
                        "Math.round(parseFloat(getComputedStyle(part('time')).fontSize) * 0.727)")
                    #expect(digits.int ?? 0 >= 115, "\(name)")
                }
                var before: [JSON] = []
                for (_, page) in pages { before.append(try await page.value(Self.places)) }
                try await kiosk.press("pause")
                for ((name, page), before) in zip(pages, before) {
                    try await page.waitUntilDrawn("paused")
                    // A notice, or a time that is not exact, may pass by on a busy machine.
                    try await eventually("\(name) “\(title)”: the places of before, \(before)") {
                        try await page.value(Self.places) == before
                    }
                }
            }
        }
    }

    @Test func buttonsStandInOneRowInEveryLanguageAndArabicRunsToTheLeft() async throws {
        try await Kiosk.with { kiosk in
            let id = try kiosk.desk.begin(["title": "Reading", "label": "Study", "plan": "focus 25m, shortBreak 5m"])
            let files = try Project.files(under: "Sources/Display/Languages") { $0.hasSuffix(".json") }
            let page = try await kiosk.open("desk", "lang=en")
            try await page.waitFor(session: id)
            try await page.eventually("exact", Self.isFitted)
            let height = "Math.round(part('time').offsetHeight)"
            let english = try await page.value(height).int ?? 0
            // From 5 m, 15 minutes of arc are 22 mm: 115 pixels on a display of 7 inches, at 5.25 pixels a millimetre.
            #expect(english >= 115, "\(english)")
            for language in files.compactMap({ $0.split(separator: "/").last?.dropLast(5) }) {
                _ = try await page.value("params.set('lang', '\(language)'); connect()")
                try await page.eventually("\(language)", "root.lang === '\(language)' && \(Self.isFitted)")
                let tops = try await page.value("[...document.querySelectorAll('button')].map((b) => b.offsetTop)")
                    .items
                #expect(tops.count == 3)
                #expect(Set(tops).count == 1, "\(language)")
                let own = try await page.value(height).int ?? 0
                #expect(own * 100 >= english * 85, "\(language): \(own) instead of \(english)")
            }

            let other = try kiosk.desk.begin([
                "title": "قراءة", "label": "دراسة", "plan": "focus 25m, shortBreak 5m, focus 25m",
            ])
            let arabic = try await kiosk.open("desk", "lang=ar")
            try await arabic.waitFor(session: other)
            try await arabic.waitUntilDrawn("running")
            #expect(try await arabic.value("getComputedStyle(part('detail')).direction") == "rtl")
            let order = try await arabic.value(
                "(() => { const text = part('detail').firstChild; const box = (at) => { const range = document.createRange();"
                    + " range.setStart(text, at); range.setEnd(text, at + 1); return range.getBoundingClientRect().x; };"
                    + " return box(1) > box(text.length - 2) })()")
            #expect(order == true, "the phase stands to the right of the title")
            let gap = try await arabic.value(
                "part('tag').getBoundingClientRect().left - part('name').lastElementChild.getBoundingClientRect().right"
            )
            #expect((gap.int ?? 1) >= 1, "\(gap)")
        }
    }

    @Test func typefaceIsUsedWithDigitsOfOneWidthAndAnEmojiWithoutAFontIsAnIcon() async throws {
        try await Kiosk.with { kiosk in
            try kiosk.desk.begin(["icon": "📚", "seconds": 1_500])
            for path in ["/?face=focus", "/week?lang=en"] {
                let page = try await kiosk.browser.open(kiosk.address("desk", path))
                let selector = path.contains("week") ? "#stage" : "#time"
                try await page.eventually(
                    "the page",
                    "!!document.querySelector('\(selector)')?.textContent.trim()"
                        + " && [...document.fonts].some((font) => font.status === 'loaded')")
                for domain in ["DOM", "CSS"] { try await page.call("\(domain).enable") }
                let document = try await page.call("DOM.getDocument")
                let node = try await page.call(
                    "DOM.querySelector", ["nodeId": document.root.nodeId, "selector": .string(selector)])
                try await eventually("a typeface of its own on \(path)") {
                    let fonts = try await page.call("CSS.getPlatformFontsForNode", ["nodeId": node.nodeId]).fonts.items
                    return !fonts.isEmpty && fonts.allSatisfy { $0.isCustomFont == true }
                }
                #expect(try await page.problems() == [])
            }
            let page = try await kiosk.open("desk")
            try await page.waitUntilDrawn("running")
            // Without a font for it, an emoji would be an empty box.
            #expect(try await page.value("[isDrawable('A'), isDrawable('\\u{10fffd}')]") == [true, false])
            let shown = "[isShown(part('icon')), isShown(part('emoji'))]"
            _ = try await page.value("isDrawable = () => false; drawEntry(false); 0")
            #expect(try await page.value(shown) == [true, false])
            _ = try await page.value("isDrawable = () => true; drawEntry(false); 0")
            #expect(try await page.value(shown) == [false, true])
            let widths = try await page.value(
                "(() => { fillTime('0123456789'); return [...part('time').querySelectorAll('i')].map((i) => Math.round(i.offsetWidth)) })()"
            )
            #expect(Set(widths.items).count == 1, "\(widths)")
        }
    }

    @Test func aDigitMovesUnlessLessMotionIsAsked() async throws {
        try await Kiosk.with { kiosk in
            try kiosk.desk.begin()
            var pages: [(name: String, page: Page, moves: Bool)] = []
            for (query, reduced, moves) in [
                ("", "no-preference", true), ("", "reduce", false), ("face=boring", "no-preference", false),
            ] {
                let page = try await kiosk.open("desk", query)
                try await page.call(
                    "Emulation.setEmulatedMedia",
                    ["features": [["name": "prefers-reduced-motion", "value": .string(reduced)]]])
                try await page.waitUntilDrawn("running")
                _ = try await page.value(
                    "counted.moves = []; const animate = Element.prototype.animate; Element.prototype.animate = function (frames, how) {"
                        + " counted.moves.push(how.duration); return animate.call(this, frames, how); }; counted.time = part('time').textContent; 0"
                )
                pages.append(("\(query) \(reduced)", page, moves))
            }
            for (name, page, moves) in pages {
                try await page.eventually("it counts", "part('time').textContent.at(-2) !== counted.time.at(-2)")
                #expect(try await page.value("counted.moves.length > 0") == .bool(moves), "\(name)")
                #expect(try await page.value("counted.moves.every((duration) => duration <= 200)") == true)
            }
        }
    }

    @Test func aPageIsDarkInItsHoursAndASessionIsDim() async throws {
        let isDark = "getComputedStyle(part('stage')).visibility === 'hidden'"
        let isDim = "getComputedStyle(part('stage')).opacity === '0.5'"
        try await Kiosk.with { kiosk in
            let night = try await kiosk.open("desk", "blank=00:00-23:59")
            try await night.waitUntilDrawn("idle")
            try await night.eventually("an idle page is dark", isDark)
            try kiosk.desk.begin()
            try await night.waitUntilDrawn("running")
            try await night.eventually("a session lights it", "!(\(isDark))")
            for query in ["theme=light", "theme=dark"] {
                let page = try await kiosk.open("desk", "blank=00:00-23:59&\(query)")
                try await page.waitUntilDrawn("running")
                try await page.eventually("it is dim", isDim)
                #expect(try await page.value("getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)")
                _ = try await page.value("dispatchEvent(new PointerEvent('pointerdown'))")
                try await page.eventually("a touch lights it", "!(\(isDim))")
            }
            for query in ["theme=e-ink", "face=boring"] {
                let page = try await kiosk.open("desk", "blank=00:00-23:59&\(query)")
                try await page.waitUntilDrawn("running")
                #expect(try await page.value(isDim) == false, "\(query)")
            }
            try await kiosk.press("stop")
            try await night.waitUntilDrawn("idle")
            try await night.eventually("it is dark again", isDark)
            _ = try await night.value("dispatchEvent(new PointerEvent('pointerdown'))")
            try await night.eventually("a touch shows it", "!(\(isDark))")
        }
    }

    /// A picture that stands still for hours burns into the screen.
    @Test func anIdleDrawingOrClockIsInTheMiddleAndWandersByTheMinute() async throws {
        try await Kiosk.with { kiosk in
            for face in Self.faces {
                for (width, height): (Int64, Int64) in [(1_920, 1_080), (480, 800), (1_280, 400)] {
                    let page = try await kiosk.open(
                        "desk", "face=\(face)&idle=icon&lang=en", width: width, height: height)
                    try await page.waitUntilDrawn("idle")
                    #expect(try await page.value(Self.offset(of: "icon")) == [0, 0], "\(face) \(width)")
                    // A visitor in front of a wall has no command line.
                    #expect(try await page.text("notice") == "There is no session")
                    try await page.close()
                }
            }
            // In a wide window the head of a session is beside its time; without a session there is no head.
            let wide = try await kiosk.open("desk", "idle=clock", width: 1_280, height: 400)
            try await wide.waitUntilDrawn("idle")
            try await wide.eventually("the clock is in the middle", "\(Self.offset(of: "time"))[0] <= 1")
            for query in ["face=focus", "face=boring", "theme=e-ink"] {
                let page = try await kiosk.open("desk", query)
                try await page.waitUntilDrawn("idle")
                let places = try await page.value(
                    "(() => { const real = Date.now; const seen = []; for (let turn = 0; turn < 30; turn++) {"
                        + " Date.now = () => real() + turn * 60000; wander(); seen.push(part('stage').style.translate); }"
                        + " Date.now = real; return seen })()"
                ).items.compactMap(\.text)
                #expect(Set(places).count > (query == "theme=e-ink" ? 0 : 5), "\(places)")
                let far = places.flatMap { $0.split(separator: " ") }.compactMap { Int($0.dropLast(2)) }
                #expect(far.allSatisfy { abs($0) <= 5 }, "\(places)")
                if query == "theme=e-ink" { #expect(Set(places) == [""]) }
            }
        }
    }
}
