// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The remote page in a real browser with real nodes.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.isSeen) struct RemotePageTests {
    /// Faults of the layout: elements outside of the window, texts wider than their boxes, and small targets.
    private static let faults = #"""
        (() => {
          const isShown = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== "hidden";
          const faults = [];
          if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
          for (const node of [...document.querySelectorAll("body *")].filter(isShown)) {
            const box = node.getBoundingClientRect();
            const name = node.outerHTML.slice(0, 60);
            if (node.id !== "spoken" && (box.left < -0.5 || box.right > innerWidth + 0.5)) faults.push(name + " leaves the window");
            const isTarget = node.matches("button, summary, a, input:not([type=radio], [type=checkbox]), :is(#colours, #kinds) label, #alarm");
            if (isTarget && (box.width < 47.9 || box.height < 47.9)) faults.push(name + " is small");
            if (node.matches("button, summary, a") && node.scrollWidth > node.clientWidth + 1) faults.push(name + " is too long");
          }
          return faults;
        })()
        """#

    private static func open(_ kiosk: Kiosk, _ node: String, _ query: String = "lang=en") async throws -> Page {
        let page = try await kiosk.browser.open(
            kiosk.address(node, "/remote?\(query)"), width: 360, height: 640, script: "window.said = [];")
        try await page.eventually(
            "the remote page", "typeof overview === 'object' && !!overview && !!entry && typeof entry === 'object'")
        // An answer is shown for four seconds, which a busy machine may miss.
        _ = try await page.value(
            "void new MutationObserver(() => said.push(part('spoken').textContent))"
                + ".observe(part('spoken'), { childList: true })")
        return page
    }

    /// Presses a button as soon as there is one.
    private static func press(_ operation: String, on page: Page, _ more: String = "") async throws {
        let button = "button[data-op=\(operation)]\(more)"
        try await page.eventually("a button for \(operation)", "!!document.querySelector('\(button):enabled')")
        try await page.click(button)
    }

    private static func hasSaid(_ text: String) -> String { "said.includes('\(text)')" }

    @Test func titleAndLabelOfARunningSessionAreCorrected() async throws {
        try await Kiosk.with { kiosk in
            try kiosk.desk.begin(["title": "Readin", "label": "Study", "seconds": 1_500])
            let page = try await Self.open(kiosk, "kitchen")
            try await page.eventually("the session", "entry.title === 'Readin'")
            try await page.click("summary")
            try await page.eventually(
                "its title and label", "form.elements.title.value === 'Readin' && form.label.value === 'Study'")
            #expect(try await page.value(Self.faults) == [])
            _ = try await page.value("void (form.elements.title.value = 'Reading', form.label.value = '')")
            try await page.click("#go")
            try await kiosk.desk.waitFor("the title, and no label") { $0.title == "Reading" && $0.label == .null }
            try await page.eventually("an answer", Self.hasSaid("Saved"))
            try await page.eventually("the form is closed", "!part('fresh').open && entry.title === 'Reading'")
            #expect(kiosk.desk.status.owner == "desk")
        }
    }

    @Test func anEndSoundsOnARemoteThatWasAskedTo() async throws {
        try await Kiosk.with { kiosk in
            let page = try await Self.open(kiosk, "kitchen")
            _ = try await page.value("void (window.tones = 0, \(Page.countingTones))")
            try await page.click("#alarm span")
            try kiosk.desk.begin(["plan": "focus 2s, shortBreak 5m", "autoAdvance": true])
            try await page.eventually("the break", "entry.phase === 1")
            try await page.eventually("a chime", "tones === 4")
        }
    }

    @Test func aSessionIsStartedControlledAndEnded() async throws {
        try await Kiosk.with { kiosk in
            let page = try await Self.open(kiosk, "kitchen")
            try await page.eventually(
                "nothing runs", "entry.status === 'idle' && part('presets').getClientRects().length > 0")
            try await page.click("#presets button")
            try await kiosk.desk.waitFor("a session") { $0.status == "running" && $0.owner == "kitchen" }
            try await page.eventually("an answer", Self.hasSaid("Session started"))

            try await Self.press("pause", on: page)
            try await kiosk.desk.waitFor("a pause") { $0.status == "paused" }
            try await page.eventually("an answer", Self.hasSaid("Session paused"))
            try await Self.press("extend", on: page, ":nth-child(2)")
            try await kiosk.desk.waitFor("five minutes more") { $0.totalSeconds == 1_800 }
            try await page.eventually("an answer", Self.hasSaid("+5 min"))
            try await expectUndo(kiosk, page)

            let id = try kiosk.desk.begin(["title": "Reading", "seconds": 1_500])
            try await page.waitFor(session: id)
            try await Self.press("take", on: page)
            try await kiosk.kitchen.waitFor("the session is its own") { $0.isOwner == true && $0.status == "running" }
            try await page.eventually("an answer", Self.hasSaid("Moved here"))
            try await page.eventually("nothing to take", "!document.querySelector('button[data-op=take]')")
            #expect(try await page.problems() == [])
        }
    }

    private func expectUndo(_ kiosk: Kiosk, _ page: Page) async throws {
        let isEnding = "ending !== null && !part('undo').classList.contains('empty')"
        _ = try await page.value(
            "window.sent = []; const real = send; send = (path, body) => { sent.push(body.op); return real(path, body); }; 0"
        )
        try await Self.press("stop", on: page)
        try await page.eventually("it can be undone", isEnding)
        _ = try await page.value("window.pressedAt = performance.now(); 0")
        try await page.click("#undo")
        try await page.eventually("it is undone", "ending === null")
        try await page.eventually("the time to undo is over", "performance.now() - pressedAt > undoLasts + 500")
        #expect(try await page.value("sent") == [])
        #expect(kiosk.kitchen.status.status == "paused")

        try await Self.press("stop", on: page)
        try await page.eventually("it can be undone", isEnding)
        #expect(kiosk.kitchen.status.status == "paused")
        try await kiosk.desk.waitFor("the end") { $0.status == "stopped" || $0.status == "idle" }
        try await page.eventually("an answer", Self.hasSaid("Session stopped"))
        try await page.eventually("nothing runs", "document.documentElement.classList.contains('idle')")
    }

    @Test func aFormStartsASessionAndARefusalSaysWhy() async throws {
        try await Kiosk.with { kiosk in
            let page = try await Self.open(kiosk, "kitchen")
            try await page.eventually("the form", "part('lengths').childElementCount > 0 && entry.status === 'idle'")
            _ = try await page.value(
                "part('fresh').open = true; form.elements.title.value = 'Essay'; form.label.value = 'Writing'; change();"
                    + " form.colour.value = 'teal'; form.kind.value = 'plan'; form.plan.value = 'focus 20m, nap 5m'; change(); 0"
            )
            try await page.eventually("the button", "!!document.querySelector('form .main:enabled')")
            _ = try await page.value("document.querySelector('form .main').click()")
            try await page.eventually(
                "the reason", "said.some((text) => text.startsWith('Out of bounds · ') && text.includes('nap'))")
            #expect(kiosk.kitchen.status.status == "idle")
            _ = try await page.value(
                "form.plan.value = 'focus 20m, shortBreak 5m'; document.querySelector('form .main').click()")
            let session = try await kiosk.desk.waitFor("the session") { $0.status == "running" }
            #expect(session.title == "Essay")
            #expect(session.label.name == "Writing")
            #expect(session.label.colour == "#12a594")
            #expect(session.plan.items.map(\.seconds) == [1_200, 300])
            #expect(try await page.problems(ofNetwork: false) == [])
        }
    }

    @Test func aPageThatIsLeftSendsTheEndAtOnce() async throws {
        try await Kiosk.with { kiosk in
            let id = try kiosk.desk.begin()
            let page = try await Self.open(kiosk, "desk")
            try await page.waitFor(session: id)
            // Only leaving can send it.
            _ = try await page.value("end(); clearTimeout(ending.timer)")
            try await page.call("Page.navigate", ["url": "about:blank"])
            try await kiosk.desk.waitFor("the end") { $0.status != "running" }
        }
    }

    @Test func aPageWithoutItsNodeSaysSoAndComesBack() async throws {
        try await Kiosk.with { kiosk in
            let id = try kiosk.desk.begin()
            let page = try await Self.open(kiosk, "desk")
            try await page.waitFor(session: id)
            _ = try await page.value("navigator.serviceWorker.ready.then(() => 0)")
            try await page.eventually(
                "its files are kept",
                "caches.open('lockstep-remote').then((cache) => cache.match('remote')).then((kept) => !!kept)")
            try await kiosk.desk.kill()
            let isLost = "part('link').textContent.startsWith('No connection to desk · Last heard ')"
            try await page.eventually("it is lost", isLost)
            #expect(try await page.value("document.querySelectorAll('#buttons button').length") == 0)
            // The page itself comes from what was kept.
            try await page.call("Page.reload")
            try await page.eventually(
                "it opens without its node", "typeof overview === 'object' && !timeline && \(isLost)")
            #expect(try await page.value("getComputedStyle(part('begin')).display") == "none")
            try await kiosk.desk.start()
            try await page.eventually(
                "it is back", "!!timeline && entry.session === '\(id)' && part('link').textContent === ''")
            try await page.eventually("its buttons", "document.querySelectorAll('#buttons button').length > 0")
        }
    }

    @Test func aPairedPhoneHasTheRemoteUntilItIsRemoved() async throws {
        try await Kiosk.with(kitchenEnvironment: ["LOCKSTEP_HTTP_LOCAL_KEY": "on"]) { kiosk in
            let added = try await kiosk.kitchen.lockstep("phone", "add", "phone", "--host", "127.0.0.1", "--json")
            let link = try #require(added.json.link.text, "\(added)")
            let page = try await kiosk.browser.open(link + "&lang=en", width: 360, height: 640)
            try await page.eventually(
                "the remote page", "location.pathname === '/remote' && typeof overview === 'object' && !!entry")
            #expect(try await page.value("location.search") == "")
            #expect(try await page.value("overview.mayPress") == true)
            let id = try kiosk.desk.begin()
            try await page.waitFor(session: id)
            try await Self.press("pause", on: page)
            try await kiosk.desk.waitFor("a pause") { $0.status == "paused" }
            #expect(try await kiosk.kitchen.lockstep("phone", "remove", "phone").code == 0)
            try await page.eventually(
                "it is shut out", "part('link').textContent === 'This link does not work any more'")
            try await page.eventually("no buttons", "document.querySelectorAll('#buttons button').length === 0")
        }
    }

    @Test func aPageThatOnlyLooksHasNoButtons() async throws {
        try await Kiosk.with { kiosk in
            let page = try await Self.open(kiosk, "kitchen", "lang=en&controls=0")
            let shown =
                "[...document.querySelectorAll('button, summary')].filter((node) => node.getClientRects().length).length"
            try await page.eventually("it says so", "part('link').textContent === 'This page may only look'")
            #expect(try await page.value(shown) == 0)
            let id = try kiosk.desk.begin()
            try await page.waitFor(session: id)
            try await page.eventually("the time", "/^\\d+:\\d\\d$/.test(part('time').textContent)")
            #expect(try await page.value(shown) == 0)
            #expect(try await page.problems() == [])
        }
    }

    @Test func nothingIsTooWideOrTooSmallInAnyLanguage() async throws {
        try await Kiosk.with { kiosk in
            let files = try Project.files(under: "Sources/Display/Languages") { $0.hasSuffix(".json") }
            let languages = files.compactMap { $0.split(separator: "/").last?.dropLast(5) }
            let page = try await Self.open(kiosk, "kitchen")
            try kiosk.desk.begin([
                "title": .string(String(repeating: "Rindfleisch", count: 9)), "label": "قراءة الكتاب 📚 مساء",
                "plan": "work 1h x8 / rest 20m",
            ])
            try await kiosk.press("stop")
            for state in ["idle", "running"] {
                if state == "running" {
                    try kiosk.desk.begin(["title": "Reading", "label": "Study", "plan": "focus 2h, shortBreak 5m"])
                }
                for language in languages {
                    _ = try await page.value(
                        "params.set('lang', '\(language)'); connect(); refresh(); part('fresh').open = true;"
                            + " form.label.value = 'a'; change()")
                    try await page.eventually(
                        "\(language) \(state)",
                        "root.lang === '\(language)' && timeline.language === '\(language)'"
                            + " && entry.status === '\(state)' && overview.again.length > 0"
                            + " && overview.machines.length === 2"
                            + " && (entry.status === 'idle' || !!document.querySelector('button[data-op=take]'))")
                    #expect(try await page.value(Self.faults) == [], "\(language) \(state)")
                }
            }
            _ = try await page.value("params.set('lang', 'ar'); connect(); refresh()")
            try await page.eventually("right to left", "getComputedStyle(document.body).direction === 'rtl'")
            #expect(try await page.value(Self.faults) == [])
            #expect(try await page.problems() == [])
        }
    }
}
