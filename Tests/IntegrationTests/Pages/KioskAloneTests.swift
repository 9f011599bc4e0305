// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The page of a node without a broker, which is a supported configuration.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct KioskAloneTests {
    @Test func aNodeWithoutABrokerShowsNoProblemAndKnowsThePageOfItsScreen() async throws {
        try await Self.with { node, browser, address in
            #expect(node.status.linked == false)
            // `lockstep kiosk enable` waits for this.
            func isShown() -> JSON? { node.socket.request("GET", "/v1/kiosk")?.body.isShown }
            let other = try await browser.open("\(address)/?face=focus&lang=en")
            try await other.waitUntilDrawn("idle")
            #expect(isShown() == false, "any other page does not count")
            let page = try await browser.open("\(address)/?face=focus&screen=1")
            try await page.waitUntilDrawn("idle")
            #expect(isShown() == true)
            // A wait for a promise must not fail because the page is left.
            #expect(try await page.value("new Promise(() => { location = 'about:blank'; })") == .null)
            try await eventually("it is gone") { isShown() == false }

            try node.begin(["plan": "focus 25m, shortBreak 5m"])
            try await other.waitUntilDrawn("running")
            #expect(try await other.text("notice") == "")
            let line = try await node.lockstep("status", "--face", "focus", "--style", "expanded", "--lang", "en")
                .expect()
            #expect(!line.output.contains("Not connected"), "\(line)")
            try await expectDimOnlyWhenStale(node, try await browser.open("\(address)/?face=boring"))
        }
    }

    private func expectDimOnlyWhenStale(_ node: NodeProcess, _ page: Page) async throws {
        let colour = "getComputedStyle(document.getElementById('time')).color"
        let grey: JSON = "rgb(136, 136, 136)"
        try await page.waitUntilDrawn("running")
        #expect(try await page.value(colour) == grey)
        #expect(try await node.lockstep("pause").code == 0)
        try await page.waitUntilDrawn("paused")
        #expect(try await page.value(colour) == grey)
        try node.begin(["plan": "focus 1s, shortBreak 5m"])
        try await page.waitUntilDrawn("ready")
        #expect(try await page.value(colour) == grey)
        // The timeline of the node says when it becomes stale.
        #expect(try await page.value("timeline.staleAfter") == 30_000)
        _ = try await page.value("timeline.staleAfter = 1000")
        try await node.kill()
        try await page.eventually("it is stale", "document.documentElement.classList.contains('stale')")
        #expect(try await page.value(colour) == "rgb(68, 68, 68)")
    }

    /// A browser caches pages for its back button, and it has only six connections to a node.
    @Test func aTabThatChangesItsFaceManyTimesShowsTheTime() async throws {
        try await Self.with { node, browser, address in
            try node.begin(["title": "Reading", "seconds": 1_500])
            let page = try await browser.open(
                "\(address)/?face=focus",
                script: "addEventListener('pageshow', (event) => { window.wasKept = event.persisted; });")
            try await page.waitUntilDrawn("running")
            let faces = ["calm", "phases", "boring", "focus"]
            for turn in 0..<9 {
                let face = faces[turn % faces.count]
                _ = try await page.value("void (location.search = '?face=\(face)&turn=\(turn)')")
                try await Self.waitFor(page, face, turn: turn)
            }
            _ = try await page.value("void (location = '/week')")
            try await page.eventually("the week", "location.pathname === '/week' && \(Self.hasLoaded)")
            _ = try await page.value("void (location = '/?face=focus&turn=9')")
            try await Self.waitFor(page, "focus", turn: 9)
            try await eventually("one stream is open") {
                try await page.value(
                    "fetch('metrics').then((answer) => answer.text()).then((text) => text.includes('lockstep_displays 1.0'))"
                )
                    == true
            }
            for turn in [8, 7, 6] {
                _ = try await page.value("void history.go(location.search.endsWith('turn=9') ? -2 : -1)")
                try await Self.waitFor(page, faces[turn % faces.count], turn: turn)
            }
            #expect(try await page.value("wasKept") == true, "the cached page is back")
            _ = try await node.lockstep("pause")
            try await page.eventually("it is told of the pause", "entry.status === 'paused'")
        }
    }

    /// Whether the page has loaded: what a script navigates to before then replaces the page in the history.
    private static let hasLoaded = "performance.getEntriesByType('navigation')[0]?.loadEventEnd > 0"

    private static func waitFor(_ page: Page, _ face: String, turn: Int) async throws {
        // A browser without a free connection would wait for most of a minute.
        try await eventually("the \(face) face of turn \(turn)", within: .seconds(25)) {
            try await page.value(
                "location.search.endsWith('turn=\(turn)') && !!document.documentElement?.classList.contains('\(face)')"
                    + " && /[0-9]:[0-9]{2}/.test(document.getElementById('time')?.textContent) && \(hasLoaded)") == true
        }
    }

    private static func with(
        _ body: (_ node: NodeProcess, _ browser: Chromium, _ address: String) async throws -> Void
    ) async throws {
        let port = Port.free()
        let node = try NodeProcess("desk", options: ["--http", "127.0.0.1:\(port)"])
        try await node.startServing()
        try await Browsers.with { try await body(node, $0.chromium, "http://127.0.0.1:\(port)") }
    }
}
