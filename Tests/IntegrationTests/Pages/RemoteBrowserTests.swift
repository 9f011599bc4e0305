// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

extension BrowserKind {
    /// The browsers of this machine; with `LOCKSTEP_TEST_ALL=1` all of them, so that a missing one fails its tests.
    fileprivate static let tested = allCases.filter { $0.isInstalled || getenv("LOCKSTEP_TEST_ALL") != nil }
}

/// The remote page in each browser that Debian has, with real nodes.
@Suite(.startingBrowsers, .retriedAfterStall) struct RemoteBrowserTests {
    @Test(arguments: BrowserKind.tested) func aSessionIsControlledInEveryLanguageAndWithoutItsNode(
        kind: BrowserKind
    ) async throws {
        try await Kiosk.with { kiosk in
            try await expectControl(kiosk, kind)
            try await expectLayout(kiosk, kind)
            try await expectReturn(kiosk, kind)
        }
    }

    private func expectControl(_ kiosk: Kiosk, _ kind: BrowserKind) async throws {
        let page = try await kiosk.openRemote("kitchen", in: kind)
        try await page.eventually(
            "nothing runs", "entry.status === 'idle' && part('presets').getClientRects().length > 0")
        #expect(try await page.layoutFaults() == [])
        try await kiosk.keep(page, as: "remote-\(kind)-idle")
        try await page.click("#presets button")
        try await kiosk.desk.waitFor("a session") { $0.status == "running" && $0.owner == "kitchen" }
        try await page.waitForAnswer("Session started")

        try await page.press("pause")
        try await kiosk.desk.waitFor("a pause") { $0.status == "paused" }
        try await page.waitForAnswer("Session paused")
        try await page.press("resume")
        try await kiosk.desk.waitFor("it runs") { $0.status == "running" }
        try await page.waitForAnswer("Session resumed")
        try await page.press("extend", ":nth-child(3)")
        try await kiosk.desk.waitFor("five minutes more") { $0.totalSeconds == 1_800 }
        try await page.waitForAnswer("+5 min")
        try await kiosk.keep(page, as: "remote-\(kind)-running")
        // The wait before a stop is a timer of the page, so one browser suffices.
        if kind == .chromium { try await expectUndo(kiosk, page) }

        try kiosk.desk.begin(["title": "Readin", "label": "Study", "seconds": 1_500])
        try await page.eventually("the other session", "entry.title === 'Readin'")
        try await expectCorrection(kiosk, page)
        try await page.press("take")
        try await kiosk.kitchen.waitFor("the session is its own") { $0.isOwner == true && $0.status == "running" }
        try await page.waitForAnswer("Moved here")
        try await page.eventually("nothing to take", "!document.querySelector('button[data-op=take]')")
        #expect(try await page.layoutFaults() == [])
        #expect(try await page.value("wrong") == [])

        // Only leaving can send the end.
        _ = try await page.value("void (end(), clearTimeout(ending.timer), location.href = 'about:blank')")
        try await kiosk.desk.waitFor("the end") { $0.status != "running" }
        try await page.close()
    }

    /// Undoes the press of *stop*, presses it again and waits until it leaves.
    private func expectUndo(_ kiosk: Kiosk, _ page: any WebPage) async throws {
        let isEnding = "ending !== null && !part('undo').classList.contains('empty')"
        _ = try await page.value(
            """
            void ((real) => {
              window.sent = [];
              window.pressedAt = Infinity;
              send = (path, body) => {
                sent.push([body.op, performance.now() - pressedAt >= undoLasts]);
                return real(path, body);
              };
            })(send)
            """)
        try await page.press("stop")
        try await page.eventually("it can be undone", isEnding)
        try await page.click("#undo")
        try await page.eventually("it is undone", "ending === null")
        _ = try await page.value("void (window.pressedAt = performance.now())")
        try await page.press("stop")
        try await page.eventually("it can be undone", isEnding)
        // The page records when it sends the stop; a look at the node could come too late.
        try await kiosk.desk.waitFor("the end") { $0.status == "stopped" || $0.status == "idle" }
        try await page.waitForAnswer("Session stopped")
        #expect(try await page.value("sent") == [["stop", true]])
        try await page.eventually("nothing runs", "document.documentElement.classList.contains('idle')")
    }

    /// Corrects the title of the session on another node, and takes away its label.
    private func expectCorrection(_ kiosk: Kiosk, _ page: any WebPage) async throws {
        try await page.click("summary")
        try await page.eventually(
            "its title and label", "form.elements.title.value === 'Readin' && form.label.value === 'Study'")
        #expect(try await page.layoutFaults() == [])
        try await page.write("Reading", into: "input[name=title]")
        // The page trims what is typed.
        try await page.write(" ", into: "input[name=label]")
        try await page.click("#go")
        try await kiosk.desk.waitFor("the title, and no label") { $0.title == "Reading" && $0.label == .null }
        try await page.waitForAnswer("Saved")
        try await page.eventually("the form is closed", "!part('fresh').open && entry.title === 'Reading'")
        #expect(kiosk.desk.status.owner == "desk")
    }

    /// Checks that nothing is too wide or too small.
    private func expectLayout(_ kiosk: Kiosk, _ kind: BrowserKind) async throws {
        let files = try Project.files(under: "Sources/Display/Languages") { $0.hasSuffix(".json") }
        // One browser measures all of them.
        let languages = files.compactMap { $0.split(separator: "/").last?.dropLast(5) }
            .filter { kind == .chromium || ["ar", "de"].contains($0) }
        let page = try await kiosk.openRemote("kitchen", in: kind)
        let long = try kiosk.desk.begin([
            "title": .string(String(repeating: "Rindfleisch", count: 9)), "label": "قراءة الكتاب 📚 مساء",
            "plan": "work 1h x8 / rest 20m",
        ])
        try await page.waitFor(session: long)
        try await kiosk.press("stop")
        for state in ["idle", "running"] {
            if state == "running" {
                try kiosk.desk.begin(["title": "Reading", "label": "Study", "plan": "focus 2h, shortBreak 5m"])
            }
            // The form closes when a session starts or ends.
            try await page.eventually("it is \(state)", "entry?.status === '\(state)'")
            for language in languages {
                _ = try await page.value(
                    "void (params.set('lang', '\(language)'), connect(), refresh(), part('fresh').open = true,"
                        + " form.label.value = 'a', change())")
                try await page.eventually(
                    "\(language) \(state)",
                    "root.lang === '\(language)' && timeline.language === '\(language)'"
                        + " && entry.status === '\(state)' && overview.again.length > 0"
                        + " && overview.machines.length === 2 && part('fresh').open"
                        + " && (entry.status === 'idle' || !!document.querySelector('button[data-op=take]'))")
                #expect(try await page.layoutFaults() == [], "\(language) \(state)")
            }
        }
        _ = try await page.value("void (params.set('lang', 'ar'), connect(), refresh())")
        try await page.eventually("right to left", "getComputedStyle(document.body).direction === 'rtl'")
        #expect(try await page.layoutFaults() == [])
        #expect(try await page.value("wrong") == [])
        try await page.close()
    }

    /// Checks that a page without its node says so and comes back.
    private func expectReturn(_ kiosk: Kiosk, _ kind: BrowserKind) async throws {
        let id = try kiosk.desk.begin()
        let page = try await kiosk.openRemote("desk", in: kind)
        try await page.waitFor(session: id)
        _ = try await page.value("navigator.serviceWorker.ready.then(() => 0)")
        try await page.eventually(
            "its files are kept",
            "caches.open('lockstep-remote').then((cache) => cache.match('remote')).then((kept) => !!kept)")
        try await kiosk.desk.kill()
        let isLost = "part('link').textContent.startsWith('No connection to desk · Last heard ')"
        try await page.eventually("it is lost", isLost)
        try await page.eventually("no buttons", "document.querySelectorAll('#buttons button').length === 0")
        // The page itself comes from what was kept.
        try await page.reload()
        try await page.eventually(
            "it opens without its node", "typeof overview === 'object' && !timeline && \(isLost)")
        try await page.eventually("nothing can be started", "getComputedStyle(part('begin')).display === 'none'")
        try await kiosk.desk.start()
        try await page.eventually(
            "it is back", "!!timeline && entry.session === '\(id)' && part('link').textContent === ''")
        try await page.waitForRemote()
        try await page.press("pause")
        try await page.waitForAnswer("Session paused")
    }

    @Test func aPairedPhoneHasTheRemoteUntilItIsRemoved() async throws {
        try await Kiosk.with(kitchenEnvironment: ["LOCKSTEP_HTTP_LOCAL_KEY": "on"]) { kiosk in
            for kind in BrowserKind.tested { try await expectPhone(kiosk, kind) }
        }
    }

    private func expectPhone(_ kiosk: Kiosk, _ kind: BrowserKind) async throws {
        let added = try await kiosk.kitchen.lockstep("phone", "add", "phone", "--host", "127.0.0.1", "--json")
        let link = try #require(added.json.link.text, "\(added)")
        let page = try await kiosk.browsers.open(kind, link + "&lang=en", width: 360, height: 640)
        try await page.waitForRemote()
        #expect(try await page.value("location.search") == "")
        #expect(try await page.value("overview.mayPress") == true)
        let id = try kiosk.desk.begin()
        try await page.waitFor(session: id)
        try await page.press("pause")
        try await kiosk.desk.waitFor("a pause") { $0.status == "paused" }
        #expect(try await kiosk.kitchen.lockstep("phone", "remove", "phone").code == 0)
        try await page.eventually(
            "it is shut out", "part('link').textContent === 'This link does not work any more'")
        try await page.eventually("no buttons", "document.querySelectorAll('#buttons button').length === 0")
        try await page.eventually(
            "nothing is left of the session",
            "localStorage.getItem(store) === null && part('time').textContent + part('stage').innerText.trim() === ''"
                + " && document.title === 'This link does not work any more'")
        try await page.close()
    }
}
