// SPDX-License-Identifier: Apache-2.0

import Support

/// Steps of a person at the remote page, in any browser.
extension WebPage {
    /// Waits until the page has heard its node, and begins to record answers in `said` and errors in `wrong`.
    func waitForRemote() async throws {
        try await eventually(
            "the remote page",
            "location.pathname === '/remote' && typeof overview === 'object' && !!overview && typeof entry === 'object'"
                + " && !!entry")
        // An answer is shown for four seconds, which a busy machine may miss.
        _ = try await value(
            """
            void (window.said = [], window.wrong = [],
              new MutationObserver(() => said.push(part("spoken").textContent)).observe(part("spoken"), { childList: true }),
              addEventListener("error", (event) => wrong.push(String(event.message))),
              addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason))))
            """)
    }

    /// Presses a button of a session as soon as there is one.
    /// - Parameter more: The end of its selector.
    func press(_ operation: String, _ more: String = "") async throws {
        let button = "button[data-op=\(operation)]\(more)"
        try await eventually("a button for \(operation)", "!!document.querySelector('\(button):enabled')")
        try await click(button)
    }

    /// Waits until the page has answered a press.
    func waitForAnswer(_ text: String) async throws {
        try await eventually("the answer “\(text)”", "said.includes('\(text)')")
    }

    /// Returns faults of the layout: elements outside of the window, texts wider than their boxes, and small targets.
    func layoutFaults() async throws -> JSON {
        try await value(
            #"""
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
            """#)
    }
}
