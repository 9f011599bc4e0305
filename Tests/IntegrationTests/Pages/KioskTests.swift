// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The kiosk page in a real browser with real nodes. Every face is measured in every state at every size.
@Suite(.startingBrowsers, .retriedAfterStall, Kiosk.requiresChromium) struct KioskTests {
    @Test func everyFaceShowsEveryState() async throws {
        try await Kiosk.with { kiosk in
            let faces = try await FacePages.open(kiosk, node: "kitchen")
            try await faces.look("idle", as: "idle")
            try await expectCourse(kiosk, faces)
            try await expectLongTexts(kiosk, faces)
            try await expectSupersededSession(kiosk, faces)
            try await expectOtherLanguages(kiosk, faces)
            #expect(try await faces.problems() == [])
        }
    }

    private func expectCourse(_ kiosk: Kiosk, _ faces: FacePages) async throws {
        let id = try kiosk.desk.begin([
            "title": "Reading", "plan": "focus 25m, shortBreak 5m, focus 25m", "label": "Study", "colour": "4c8dff",
        ])
        try await faces.look("running", of: id, as: "running")
        try await kiosk.press("pause")
        try await faces.look("paused", of: id, as: "paused")
        let next = try kiosk.desk.begin(["title": "Reading", "plan": "focus 1s, shortBreak 5m", "icon": "📚"])
        try await faces.look("ready", of: next, as: "ready")
        let open = try kiosk.desk.begin(["title": "Walk", "mode": "countup"])
        try await faces.look("running", of: open, as: "count-up")
        try await faces.look("completed", as: "completed") { try kiosk.desk.begin(["title": "Tea", "seconds": 1]) }
    }

    /// Difficult texts: two directions, long emoji, an unbreakable word, faint colours, and a time of an hour.
    private func expectLongTexts(_ kiosk: Kiosk, _ faces: FacePages) async throws {
        let phase = #"phase "A phase with a name of forty-two letters" 1h"#
        let dark = try kiosk.desk.begin([
            "title":
                "Reading the second volume with its notes 📚📖 and then a summary of it for all of the others, by tomorrow",
            "label": "قراءة الكتاب 📚 مساء", "colour": "000030", "icon": "👩‍👩‍👧‍👦",
            "plan": .string("\(phase) x3"),
        ])
        try await faces.look("running", of: dark, as: "long")
        let bright = try kiosk.desk.begin([
            "title": .string(String(repeating: "Rindfleisch", count: 9)), "label": "Straße", "colour": "ff0",
            "plan": "work 1h x8 / rest 20m",
        ])
        try await faces.look("running", of: bright, as: "hour")
        for picture in faces.pictures where picture.name.hasSuffix("dark") {
            try await picture.page.resize(width: 3_840, height: 2_160)
            #expect(try await picture.page.value("measure(3840, 2160)") == [], "\(picture.name)")
            try await kiosk.keep(picture.page, as: "large-\(picture.name)")
        }
    }

    /// A session that was superseded by a start which is not known yet.
    private func expectSupersededSession(_ kiosk: Kiosk, _ faces: FacePages) async throws {
        try await kiosk.desk.end()
        try await kiosk.peer.publish("presence", .presence(online: true, connection: "c1"))
        // Nodes take only a version above the one before.
        var rev: Int64 = 0
        try await faces.look("superseded", saying: "Ended by a later start on kitchen-pi, ", as: "superseded") {
            rev += 1
            var register = JSON.register(kiosk.peer.fresh("moved"), rev: rev, status: "superseded")
            register.supersededBy = ["session": "later", "node": "kitchen-pi"]
            register.supersededBy.at = .number(now())
            try await kiosk.peer.publish("session", register)
        }
    }

    private func expectOtherLanguages(_ kiosk: Kiosk, _ faces: FacePages) async throws {
        let id = try kiosk.kitchen.begin([
            "title": "قراءة", "label": "دراسة", "plan": "focus 25m, shortBreak 5m, focus 25m",
        ])
        let files = try Project.files(under: "Sources/Display/Languages") { $0.hasSuffix(".json") }
        for language in files.compactMap({ $0.split(separator: "/").last?.dropLast(5) }) where language != "ar" {
            for picture in faces.pictures where picture.name == "focus-dark" {
                try await waitForLanguage(String(language), id, picture.page)
                try await picture.page.resize(width: 240, height: 240)
                #expect(try await picture.page.value("measure(240, 240)") == [], "\(language)")
                try await kiosk.keep(picture.page, as: "\(language)-\(picture.name)")
            }
        }
        for picture in faces.pictures { try await waitForLanguage("ar", id, picture.page) }
        try await faces.look("running", of: id, as: "ar")
        for picture in faces.pictures {
            #expect(try await picture.page.value("getComputedStyle(document.body).direction") == "rtl")
        }
    }

    private func waitForLanguage(_ language: String, _ session: String, _ page: Page) async throws {
        _ = try await page.value("params.set('lang', '\(language)'); connect()")
        try await page.eventually(
            language, "document.documentElement.lang === '\(language)' && entry.session === '\(session)'")
    }
}
