// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Support
import Testing

/// The page of the week in a browser, with a real broker and node. The debt service has a year's ledger.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct WeekPageTests {
    private static let environment = ["LOCKSTEP_DEBT_MINIMUM": "0"]
    private static let day: Int64 = 86_400_000

    /// The first day of 2026, before which no node records a session.
    private static let firstDay: Int64 = 1_767_225_600_000

    /// Records a year of sessions with their calm, on most days, with a holiday.
    ///
    /// Days before ``firstDay`` are left out.
    /// - Returns: The number of records, after the ledger has kept the last of them.
    private func recordYear(_ kiosk: Kiosk) async throws -> Int {
        let midnight = now() / Self.day * Self.day
        let days = (1...min(370, Int((midnight - Self.firstDay) / Self.day))).filter {
            $0 % 7 != 3 && !(200...214).contains($0)
        }
        let labels: [(String, JSON)] = [("Study", "#4c8dff"), ("Writing", "#e0b25c"), ("Garden", "#7bc88f")]
        for ago in days {
            let id = "y-\(ago)"
            var record = JSON.record(id)
            let from = midnight - Int64(ago) * Self.day + 9 * 3_600_000
            record.stamp = [.number(from), 0, "peer"]
            record.startedAt = .number(from)
            record.runs = [["focus", .number(from), .number(from + Int64(20 + ago * 37 % 110) * 60_000)]]
            let (name, colour) = labels[ago % 3]
            if ago % 4 > 0 { record.label = ["name": .string(name), "colour": colour] }
            if ago > 60 {
                var calm: JSON = ["v": 1, "coverage": 100]
                calm.session = .string(id)
                calm.percent = .number(Int64(60 + ago * 13 % 40))
                calm.at = .number(from)
                try await kiosk.peer.publish(feed: "calm", calm.bytes)
            }
            try await kiosk.peer.publish("record", record, retain: false)
        }
        let last = try #require(days.last)
        try await kiosk.peer.waitForAnswer("y-\(last)", rev: 1, "kept")
        return days.count
    }

    /// Runs `body` with the service and an open page.
    private func with(
        _ body: (Kiosk, DebtProgram, Page) async throws -> Void
    ) async throws {
        try await Kiosk.with { kiosk in
            try await DebtProgram.withService(
                ["--zone", "UTC"], broker: kiosk.broker.port, environment: Self.environment
            ) { service in
                try await kiosk.peer.waitForDebt("nothing done") { $0.done == 0 }
                try await body(kiosk, service, try await open(kiosk, "theme=dark"))
            }
        }
    }

    private func open(_ kiosk: Kiosk, _ query: String) async throws -> Page {
        let page = try await kiosk.browser.open(
            kiosk.address("desk", "/week?lang=en&\(query)"), script: KioskProbe.script)
        try await page.eventually(
            "the page is there", "document.readyState === 'complete' && !!document.querySelector('footer')")
        return page
    }

    @Test func yearFitsEveryScreenAndASheetOfPaper() async throws {
        try await with { kiosk, service, page in
            try await page.eventually("an empty week", "stage.innerText.includes('Nothing was done yet')")
            let faults = try await page.value("measure(800, 480)")
            #expect(faults == [])
            let count = try await recordYear(kiosk)
            // The page shows a year, which omits the first of 370 days.
            try await eventually("the year is published; \(service.log)") {
                (kiosk.peer.serviceMessages(on: "feed/debt/year").last?.days.items ?? []).count { $0 != 0 } >= count - 7
            }
            #expect(count > 200)
            // The page updates without a reload.
            try await page.eventually(
                "the year is there",
                "document.querySelectorAll('.year .c1, .year .c2, .year .c3, .year .c4').length >= \(count - 7)")
            try await page.eventually(
                "its days and its calm",
                "document.querySelectorAll('.year rect').length === 371 && !!document.querySelector('.calm polyline')")
            for theme in ["dark", "light", "e-ink"] {
                for language in theme == "dark" ? ["en", "de", "ar", "ja"] : ["en"] {
                    let page = try await open(kiosk, "theme=\(theme)&lang=\(language)")
                    for (width, height) in [(800, 480), (1_080, 1_920), (390, 844)] as [(Int64, Int64)] {
                        try await page.resize(width: width, height: height)
                        let faults = try await page.value("measure(\(width), \(height))")
                        #expect(faults == [], "\(theme) \(language) \(width)")
                        try await kiosk.keep(page, as: "week-\(theme)-\(language)-\(width)x\(height)")
                    }
                    #expect(try await page.problems() == [])
                    try await page.close()
                }
            }
            try await expectThemeAndPrint(kiosk)
        }
    }

    /// The page also follows a correction of an old day.
    @Test func pageFollowsTheSessionAndWorksWithoutScripts() async throws {
        try await with { kiosk, service, page in
            var record = JSON.record("old", daysAgo: 30, minutes: 50)
            record.label = ["name": "Study", "colour": "#4c8dff"]
            try await kiosk.peer.publish("record", record, retain: false)
            try await page.eventually("an old day", "document.querySelectorAll('.year .c2, .year .c3').length === 1")
            #expect(try await service.command("delete", "old").code == 0)
            try await page.eventually("it is deleted", "document.querySelectorAll('.year .c2, .year .c3').length === 0")
            try kiosk.desk.begin(["title": "Reading", "seconds": 1_500, "label": "Deep"])
            try await page.eventually("a label runs", "document.querySelector('.labels').textContent.includes('Deep')")
            // The page keeps its numbers and shows a notice when the node is lost.
            try await kiosk.desk.kill()
            try await page.eventually(
                "the node is lost", "isShown(document.querySelector('.lost'))")
            #expect(try await page.value("measure(800, 480)") == [])
            try await kiosk.desk.start()
            try await page.eventually("it is back", "!isShown(document.querySelector('.lost'))")

            // Without scripts the page reloads itself.
            try await page.call("Emulation.setScriptExecutionDisabled", ["value": true])
            try await page.call("Page.navigate", ["url": .string(kiosk.address("desk", "/week?lang=de"))])
            try await page.eventually(
                "it is drawn",
                "document.readyState === 'complete' && !!document.querySelector('.days')"
                    + " && document.documentElement.lang === 'de'")
            #expect(try await page.value("document.querySelectorAll('svg').length") == 4)
            #expect(try await page.value("!!document.querySelector('meta[http-equiv]')") == true)
        }
    }

    /// The ledger's zone is not that of the node. The service is away at first, and the node is killed meanwhile.
    @Test func aSessionIsAddedOnThePage() async throws {
        try await Kiosk.with { kiosk in
            let service = try DebtProgram(
                ["--zone", "Etc/GMT-14"], broker: kiosk.broker.port, environment: Self.environment)
            try await service.start()
            try await kiosk.peer.waitForDebt("nothing done") { $0.done == 0 }
            try await service.kill()
            let page = try await open(kiosk, "theme=dark")
            try await page.eventually("the form", "!!document.querySelector('#add:not([open])')")
            #expect(try await page.value("measure(800, 480)") == [])
            let today = String(
                "\(Date(timeIntervalSince1970: Double(now()) / 1_000 + 14 * 3_600).ISO8601Format())".prefix(10))
            #expect(try await page.value("document.querySelector('[name=day]').value") == .string(today))
            _ = try await page.value("document.querySelector('summary').click()")
            try await kiosk.keep(page, as: "week-add")
            // Yesterday, so that the time has come at each hour of a test.
            func fill(_ from: String, _ to: String, ago: Int = 1) async throws {
                _ = try await page.value(
                    """
                    (() => {
                      const { elements } = document.querySelector("#add form");
                      const day = new Date("\(today)");
                      day.setUTCDate(day.getUTCDate() - \(ago));
                      for (const [name, value] of Object.entries({
                        title: "Reading", label: "Study", day: day.toISOString().slice(0, 10), from: "\(from)", to: "\(to)",
                      })) elements[name].value = value;
                      document.querySelector("#add button").click();
                    })()
                    """)
            }
            let said = "document.querySelector('output').textContent"
            try await fill("09:50", "09:00")
            try await page.eventually("an early end", "\(said) === 'The end must be later than the beginning'")
            try await fill("00:00", "23:59", ago: 0)
            try await page.eventually("the future", "\(said) === 'That time has not come yet'")
            #expect(kiosk.desk.recordsWaiting == 0)
            try await fill("09:00", "09:50")
            try await page.eventually("it is saved", "\(said) === 'Saved'")
            #expect(try await page.value("document.querySelector('[name=from]').value") == "")
            #expect(kiosk.desk.recordsWaiting == 1)
            try await kiosk.desk.kill()
            try await kiosk.desk.start()
            try await service.start()
            try await page.eventually(
                "the fifty minutes, beside the open form",
                "!!document.querySelector('#add[open]') && stage.textContent.includes('Study') && stage.innerText.includes('50m')"
            )
            try await eventually("it is acknowledged") { kiosk.desk.recordsWaiting == 0 }
            // More than one row is no JSON.
            let session = try JSON(try await service.history("--json").output)
            session.expect(["title": "Reading", "node": "desk"])
            try await service.end()
        }
    }

    /// The page follows the browser's theme and prints on one sheet.
    private func expectThemeAndPrint(_ kiosk: Kiosk) async throws {
        let page = try await open(kiosk, "")
        let ground = "getComputedStyle(document.body).backgroundColor"
        for (scheme, colour) in [("dark", "rgb(0, 0, 0)"), ("light", "rgb(255, 255, 255)")] {
            try await page.call(
                "Emulation.setEmulatedMedia",
                ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
            try await page.eventually("\(scheme)", "\(ground) === '\(colour)'")
            #expect(try await page.value("measure(800, 480)") == [], "\(scheme)")
        }
        for theme in ["theme=dark", ""] {
            let page = try await open(kiosk, theme)
            try await page.call("Emulation.setEmulatedMedia", ["media": "print"])
            try await page.eventually(
                "white paper", "\(ground) === 'rgb(255, 255, 255)' && !isShown(document.querySelector('details'))")
            #expect(try await page.value("contrastFaults()") == [])
            try await kiosk.keep(page, as: "week-print")
            let printed = try await page.call(
                "Page.printToPDF", ["printBackground": true, "preferCSSPageSize": true])
            let file = String(decoding: try #require(Data(base64Encoded: printed.data.text ?? "")), as: UTF8.self)
            #expect(file.split(separator: "/Type /Page\n").count == 2, "one sheet of paper")
            if let folder = ProcessInfo.processInfo.environment["LOCKSTEP_TEST_PICTURES"] {
                try Data(base64Encoded: printed.data.text ?? "")?.write(to: URL(filePath: "\(folder)/week.pdf"))
            }
            try await page.close()
        }
    }
}
