// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The remote page in a real browser with real nodes.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct RemotePageTests {
    private static func open(_ kiosk: Kiosk, _ node: String, _ query: String = "lang=en") async throws -> Page {
        let page = try await kiosk.browser.open(kiosk.address(node, "/remote?\(query)"), width: 360, height: 640)
        try await page.waitForRemote()
        return page
    }

    @Test func aFormStartsASessionSaysWhyItIsRefusedAndCorrectsTheSessionThatItShows() async throws {
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
                "the reason",
                "said.some((text) => text.startsWith('A value is not allowed · ') && text.includes('nap'))")
            #expect(kiosk.kitchen.status.status == "idle")
            _ = try await page.value(
                "form.plan.value = 'focus 20m, shortBreak 5m'; document.querySelector('form .main').click()")
            let session = try await kiosk.desk.waitFor("the session") { $0.status == "running" }
            #expect(session.title == "Essay")
            session.label.expect(["name": "Writing", "colour": "#12a594"])
            #expect(session.plan.items.map(\.seconds) == [1_200, 300])
            #expect(try await page.problems(includingNetwork: false) == [])
            try await page.close()
            try await expectCorrection(kiosk, try await Self.open(kiosk, "kitchen"))
        }
    }

    private func expectCorrection(_ kiosk: Kiosk, _ page: Page) async throws {
        let first = try kiosk.desk.begin(["title": "Reading", "seconds": 1500])
        try await page.waitFor(session: first)
        try await page.eventually("the form", "isCorrecting()")
        _ = try await page.value("void (part('fresh').open = true)")
        try await page.eventually("its title", "form.elements.title.value === 'Reading'")
        let second = try kiosk.desk.begin(["title": "Writing", "seconds": 1500])
        try await page.waitFor(session: second)
        _ = try await page.value(
            "void (form.elements.title.value = 'Essays', document.querySelector('form .main').click())")
        try await page.eventually("a refusal", "said.length > 0")
        #expect(try await page.value("said.includes('Saved')") == false)
        #expect(kiosk.kitchen.status.title == "Writing")
    }

    @Test func aStoppedSessionGoesOnByOneTapAndAFormSetsTheEnd() async throws {
        try await Kiosk.with { kiosk in
            let page = try await Self.open(kiosk, "kitchen")
            let first = try kiosk.desk.begin()
            try await page.waitFor(session: first)
            try await kiosk.press("stop")
            let offer = "(document.querySelector('#again button') || {}).textContent"
            try await page.eventually("the offer", #"/^Go on with Reading2[45]:\d\d left$/.test(\#(offer))"#)
            #expect(try await page.layoutFaults() == [])
            try await kiosk.keep(page, as: "remote-go-on")
            try await page.click("#again button")
            let rest = try await kiosk.desk.waitFor("the rest") { $0.status == "running" && $0.owner == "kitchen" }
            #expect(rest.title == "Reading")
            #expect((1_400...1_500).contains(rest.totalSeconds.int ?? 0))

            try await kiosk.press("stop")
            try await page.eventually("the next offer", "\(offer).startsWith('Go on')")
            _ = try await page.value(Self.shorteningOffers)
            try await page.eventually("its end", "\(offer).startsWith('Reading')")

            _ = try await page.value(
                "void (part('fresh').open = true, form.until.value = '23:59',"
                    + " form.until.dispatchEvent(new Event('input', { bubbles: true })))")
            #expect(try await page.value("form.minutes.value") == "")
            #expect(try await page.layoutFaults() == [])
            _ = try await page.value("part('go').scrollIntoView({ block: 'center' })")
            try await kiosk.keep(page, as: "remote-until")
            _ = try await page.value("document.querySelector('form .main').click()")
            try await page.eventually("the end", "entry.status === 'running' && entry.ends.includes('23:59')")
            #expect(try await page.problems() == [])
        }
    }

    /// Makes the offers in each later overview of the node end after 0.2 s, and asks for an overview.
    private static let shorteningOffers = """
        void (window.plainFetch = fetch, window.fetch = async (...asked) => {
          const answer = await plainFetch(...asked);
          const read = answer.json.bind(answer);
          answer.json = async () => {
            const json = await read();
            for (const offer of json.again || []) if (offer.lasts) offer.lasts = 200;
            return json;
          };
          return answer;
        }, refresh())
        """

    @Test func aRemoteKeepsTheScreenOnSoundsIfAskedAndHasNoButtonsIfItOnlyLooks() async throws {
        try await Kiosk.with { kiosk in
            let page = try await Self.open(kiosk, "kitchen")
            _ = try await page.value(
                """
                void (window.locks = 0, navigator.wakeLock.request = async () => {
                  locks++;
                  return { release: async () => { locks--; } };
                }, window.tones = 0, \(Page.countingTones))
                """)
            let look = try await Self.open(kiosk, "kitchen", "lang=en&controls=0")
            let shown =
                "[...document.querySelectorAll('button, summary')].filter((node) => node.getClientRects().length).length"
            try await look.eventually("it says so", "part('link').textContent === 'This page may only look'")
            #expect(try await look.value(shown) == 0)

            try await page.click("#alarm span")
            let id = try kiosk.desk.begin(["plan": "focus 2s, shortBreak 5m", "autoAdvance": true])
            try await page.waitFor(session: id)
            try await page.eventually("the screen stays on", "locks === 1")
            try await page.eventually("the break", "entry.phase === 1")
            try await page.eventually("a chime", "tones === 4")
            try await look.waitFor(session: id)
            try await look.eventually("the time", "/^\\d+:\\d\\d$/.test(part('time').textContent)")
            #expect(try await look.value(shown) == 0)
            #expect(try await look.problems() == [])
            #expect(try await kiosk.desk.lockstep("stop").code == 0)
            try await page.eventually("the screen may sleep", "locks === 0")
        }
    }
}
