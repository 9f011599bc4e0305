// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing

/// The script of axe-core; `nil` where there is none.
private let axe = ProcessInfo.processInfo.environment["TEST_AXE"].flatMap {
    try? String(contentsOfFile: $0, encoding: .utf8)
}

/// The rules of axe-core for accessible pages, in a real browser.
///
/// `Deploy/test` gets axe-core from a package of PyPI. Without it these tests are skipped.
@Suite(.startingBrowsers, Kiosk.requiresChromium, .enabled(if: axe != nil, "axe-core is not here"))
struct AccessibilityTests {
    @Test func neitherAFaceNorTheRemoteBreaksARule() async throws {
        // The boring face counts seconds, which e-ink cannot show.
        let faces =
            ["?face=boring&theme=dark&controls=1"]
            + ["focus", "calm", "phases"].flatMap { face in
                ["dark", "light", "e-ink"].map { "?face=\(face)&theme=\($0)&controls=1" }
            }
        try await expectNoViolation(of: faces + ["light", "dark"].map { "remote?theme=\($0)" })
    }

    @Test func theWeekBreaksNoRule() async throws {
        try await Kiosk.with { kiosk in
            try await expectNoViolation(of: try await open(kiosk, "week?theme=dark"), "without a debt service")
            try await DebtProgram.withService(["--zone", "UTC"], broker: kiosk.broker.port) { _ in
                try await kiosk.peer.waitForDebt("nothing done") { $0.done == 0 }
                for theme in ["light", "dark"] {
                    let page = try await open(kiosk, "week?theme=\(theme)")
                    try await page.eventually("the week", "!!document.querySelector('figure')")
                    try await expectNoViolation(of: page, theme)
                    _ = try await page.value(
                        "void document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                    #expect(try await page.value("document.querySelectorAll('[open] input').length") == 5)
                    try await expectNoViolation(of: page, "\(theme), with the form and the numbers")
                }
            }
        }
    }

    /// Checks pages with a live session, in each of its states.
    private func expectNoViolation(of addresses: [String]) async throws {
        try await Kiosk.with { kiosk in
            var pages: [(address: String, page: Page)] = []
            for address in addresses { pages.append((address, try await open(kiosk, address))) }
            for state in ["idle", "running", "paused"] {
                if state == "running" {
                    try kiosk.desk.begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m"])
                }
                if state == "paused" { try await kiosk.press("pause") }
                for (address, page) in pages {
                    try await page.eventually(
                        "\(address) is \(state)", "document.documentElement.classList.contains('\(state)')")
                    try await expectNoViolation(of: page, "\(address), \(state)")
                }
            }
        }
    }

    private func open(_ kiosk: Kiosk, _ address: String) async throws -> Page {
        let script = try #require(axe)
        let page = try await kiosk.browser.open(kiosk.address("desk", "/\(address)&lang=en"))
        try await page.eventually("\(address) is here", "document.readyState === 'complete'")
        _ = try await page.value("void (() => {\(script)})()")
        return page
    }

    private func expectNoViolation(of page: Page, _ name: String) async throws {
        // The boring face shows nothing but the time, so its page has no title.
        let rules = name.contains("boring") ? "{ 'document-title': { enabled: false } }" : "{}"
        let found = try await page.value(
            "axe.run({ rules: \(rules) }).then((found) => found.violations.map((rule) => rule.id + ': '"
                + " + rule.nodes.map((node) => node.html.slice(0, 120)).join(' ')).join('\\n'))")
        #expect(found == "", "\(name): \(found)")
    }
}
