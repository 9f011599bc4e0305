// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The page without a connection to its node, to the broker or to the owner.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct KioskLinkTests {
    @Test(.waitingForTimers) func pageShowsALostLink() async throws {
        try await Kiosk.with { kiosk in
            let faces = try await FacePages.open(kiosk, node: "kitchen")
            let orphan = try await kiosk.open("desk", "face=focus")
            let id = try kiosk.desk.begin(["title": "Reading", "label": "Study", "plan": "focus 25m, shortBreak 5m"])
            try await kiosk.kitchen.waitFor("the session") { $0.session.text == id }
            try await orphan.waitFor(session: id)

            try await kiosk.desk.kill()
            try await orphan.eventually("a notice of the lost node", notice("No connection to desk"))
            try await orphan.eventually("the time of the loss", notice("Last heard "))
            #expect(try await orphan.value("document.querySelectorAll('button').length") == 0)
            #expect(try await orphan.text("spoken").hasPrefix("No connection to desk"))
            let time = try await orphan.text("time")
            try await orphan.eventually("it counts", "document.getElementById('time').textContent !== '\(time)'")
            #expect(try await orphan.value("measure(innerWidth, innerHeight)") == [])

            try await faces.look("stale", of: id, as: "stale")
            for picture in faces.pictures where !picture.name.hasPrefix("boring") {
                #expect(try await picture.page.value("document.querySelectorAll('button').length") == 2)
                try await picture.page.eventually(
                    "since when on \(picture.name)",
                    "document.getElementById('notice').textContent.startsWith('Last heard ')")
            }
            try await orphan.eventually("it is stale too", "document.documentElement.classList.contains('stale')")

            try await kiosk.broker.kill()
            for picture in faces.pictures where !picture.name.hasPrefix("boring") {
                try await picture.page.eventually("a notice of the lost broker", notice("Not connected"))
                #expect(try await picture.page.value("document.querySelectorAll('button').length") == 0)
            }

            try await kiosk.broker.start()
            try await kiosk.desk.start()
            for page in faces.pictures.map(\.page) + [orphan] {
                try await page.eventually("contact", "!document.documentElement.classList.contains('stale')")
                try await page.eventually(
                    "nothing to complain of", "document.getElementById('notice').textContent === ''")
            }
            try await orphan.eventually("its buttons", "document.querySelectorAll('button').length === 3")
            #expect(try await faces.problems(includingNetwork: false) + orphan.problems(includingNetwork: false) == [])
        }
    }

    private func notice(_ text: String) -> String {
        "(document.getElementById('notice')?.textContent || '').includes('\(text)')"
    }
}
