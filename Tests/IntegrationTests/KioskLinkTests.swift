// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The page when something between it and the session's owner is gone.
@Suite(.takingMuch, .tryingAgain, Kiosk.isSeen) struct KioskLinkTests {
    @Test(.mostlyWaiting) func lostAndFoundAgain() async throws {
        try await Kiosk.with { kiosk in
            let gallery = try await Gallery.open(kiosk, node: "kitchen")
            let orphan = try await kiosk.open("desk", "face=focus")
            let id = try kiosk.desk.begin(["title": "Reading", "label": "Study", "plan": "focus 25m, shortBreak 5m"])
            try await kiosk.kitchen.shows("the session") { $0.session.text == id }
            try await orphan.shows(session: id)

            try await kiosk.desk.kill()
            try await orphan.eventually("that it is alone", notice("No connection to desk"))
            try await orphan.eventually("since when", notice("Last heard "))
            #expect(try await orphan.value("document.querySelectorAll('button').length") == 0)
            #expect(try await orphan.text("spoken").hasPrefix("No connection to desk"))
            let time = try await orphan.text("time")
            try await orphan.eventually("it counts", "document.getElementById('time').textContent !== '\(time)'")
            #expect(try await orphan.value("measure(innerWidth, innerHeight)") == [])

            try await gallery.look("stale", of: id, as: "stale")
            for picture in gallery.pictures where !picture.name.hasPrefix("boring") {
                #expect(try await picture.page.value("document.querySelectorAll('button').length") == 0)
                try await picture.page.eventually(
                    "since when on \(picture.name)",
                    "document.getElementById('notice').textContent.startsWith('Last heard ')")
            }
            try await orphan.eventually("it is stale, too", "document.documentElement.classList.contains('stale')")

            try await kiosk.broker.kill()
            for picture in gallery.pictures where !picture.name.hasPrefix("boring") {
                try await picture.page.eventually("no broker", notice("Not connected"))
            }
            try await gallery.look("stale", of: id, as: "unlinked")

            try await kiosk.broker.start()
            try await kiosk.desk.start()
            for page in gallery.pictures.map(\.page) + [orphan] {
                try await page.eventually("contact", "!document.documentElement.classList.contains('stale')")
                try await page.eventually(
                    "nothing to complain of", "document.getElementById('notice').textContent === ''")
            }
            try await orphan.eventually("its buttons", "document.querySelectorAll('button').length === 3")
            #expect(try await gallery.problems(ofNetwork: false) + orphan.problems(ofNetwork: false) == [])
        }
    }

    @Test(MovedClock.isFaked) func clockWrong() async throws {
        try await Kiosk.with(kitchenClock: .wall(seconds: 2_000_000_000)) { kiosk in
            let id = try kiosk.desk.begin()
            try await kiosk.kitchen.shows("whose clock is wrong") { $0.clock.wrong == true && $0.session.text == id }
            let gallery = try await Gallery.open(kiosk, node: "kitchen")
            for picture in gallery.pictures where !picture.name.hasPrefix("boring") {
                try await picture.page.eventually("that it is wrong", notice("Clock wrong"))
            }
            try await gallery.look("running", of: id, as: "clock-wrong")
        }
    }

    private func notice(_ text: String) -> String {
        "(document.getElementById('notice')?.textContent || '').includes('\(text)')"
    }
}
