// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The kiosk page in a real browser, against real nodes.
@Suite(.takingTurns) struct KioskTests {
    @Test func faces() async throws {
        try await Kiosk.with { kiosk in
            try kiosk.desk.begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m, focus 25m"])
            for face in ["boring", "focus", "calm", "phases"] {
                let page = try await kiosk.open("desk", "face=\(face)", width: 960, height: 540)
                try await page.isDrawn("running")
                try await kiosk.keep(page, as: "\(face)-running")
                try await page.close()
            }
        }
    }
}
