// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Harness

/// Pages in the browser, and scripts that record when they change.
enum Pages {
    /// Opens the focus face in a new window, and waits until it shows a running session.
    /// - Parameter prepare: Called between the new window and the navigation.
    static func open(
        _ browser: Chromium, port: Int, watching script: String? = nil, once prepare: () async throws -> Void = {}
    ) async throws -> Page {
        let page = try await browser.open("about:blank")
        try await page.call("Page.enable")
        try await prepare()
        if let script { try await page.call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)]) }
        try await page.call("Page.navigate", ["url": .string("http://127.0.0.1:\(port)/?face=focus")])
        try await page.waitUntilDrawn("running")
        return page
    }

    /// Makes `window.seen` a promise of the instant at which the page shows a status.
    static func watch(status: String) -> String {
        """
        void (window.seen = new Promise((done) => {
            const root = document.documentElement;
            const look = () => {
                if (!root.classList.contains('\(status)')) return false;
                done(performance.timeOrigin + performance.now());
                return true;
            };
            if (!look()) new MutationObserver((_, observer) => look() && observer.disconnect())
                .observe(root, { attributes: true });
        }))
        """
    }

    /// Makes `window.flips` a table from the time's text to the instant at which it appeared.
    static let recordFlips = """
        void (() => {
            window.flips = {};
            const time = document.getElementById('time');
            new MutationObserver(() => {
                window.flips[time.textContent] = performance.timeOrigin + performance.now();
            }).observe(time, { childList: true, characterData: true, subtree: true });
        })()
        """

    /// Makes `window.digits` a promise of the milliseconds from navigation to the first time on the page.
    static let firstDigits = """
        window.digits = new Promise((done) => {
            const look = () => {
                const time = document.getElementById('time');
                if (!time || !/[0-9]/.test(time.textContent)) return requestAnimationFrame(look);
                done(performance.now());
            };
            look();
        });
        """

    static func taskSeconds(_ page: Page) async throws -> Double {
        let metrics = try await page.call("Performance.getMetrics").metrics.items
        guard case .fraction(let seconds)? = metrics.first(where: { $0.name == "TaskDuration" })?.value else {
            throw Failed("the browser does not say what the page costs")
        }
        return seconds
    }
}

/// A different wall clock for a program.
enum FakeTime {
    private static let places = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map {
        "/usr/lib/\($0)/faketime/libfaketime.so.1"
    }

    /// The command before a program whose wall clock is an hour ahead; empty without libfaketime.
    static var hourAhead: [String] {
        guard let library = places.first(where: { FileManager.default.fileExists(atPath: $0) }) else { return [] }
        // The library changes the environment of the first process, so a Swift program would find no arguments in it.
        let variables = ["LD_PRELOAD=\(library)", "FAKETIME=+3600s", "FAKETIME_DONT_FAKE_MONOTONIC=1"]
        return ["/usr/bin/env"] + variables + ["/usr/bin/env"]
    }
}
