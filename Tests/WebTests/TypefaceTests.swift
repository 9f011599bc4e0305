// SPDX-License-Identifier: Apache-2.0

import API
import Display
import HTTPTypes
import Support
import Testing

@testable import Web

/// The typeface that the pages bring along.
@Suite(.limitedConcurrency) struct TypefaceTests {
    @Test func aBrowserMayLoadAndKeepTheTypeface() async throws {
        try await LiveServer.with(configuredHosts: []) { port, _ in
            for name in PageRoutes.typeface {
                let answer = try await LiveServer.answer(
                    port, "GET /\(name) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                let head = answer.lowercased()
                for line in [
                    "http/1.1 200", "content-type: font/woff2", "cache-control: max-age=31536000, immutable",
                    "font-src 'self';",
                ] { #expect(head.contains(line), "\(name): \(line)") }
            }
        }
    }

    @Test func typefaceIsSmallAndNamedByThePages() throws {
        let sizes = PageRoutes.typeface.map { PageRoutes.bytes(named: $0)?.count ?? 0 }
        #expect(sizes.allSatisfy { $0 > 0 })
        #expect(sizes.reduce(0, +) < 60_000)
        let sheet = try Project.read("Sources/Web/Shared/look.css")
        let page = try Project.read("Sources/Web/Kiosk/kiosk.html")
        for name in PageRoutes.typeface {
            #expect(sheet.contains("url(\"\(name)\")"))
            #expect(
                page.contains("<link rel=\"preload\" href=\"\(name)\""), "the digits must not wait for the style sheet")
        }
        #expect(try Project.read(".github/NOTICE").contains("Sources/Web/Shared/OFL.txt"))
        #expect(try Project.read("Sources/Web/Shared/OFL.txt").contains("SIL OPEN FONT LICENSE Version 1.1"))
    }

    @Test func invalidDarkHoursAreRefused() throws {
        for wrong in ["23:00-23:00", "99:99-07:00", "23"] {
            #expect(throws: RequestError.self, "\(wrong)") { try PageParameters.check(["blank": wrong]) }
        }
        try PageParameters.check(["blank": "23:00-07:00"])
    }

    /// E-ink flashes at each second, which the boring face shows.
    @Test func boringFaceIsRefusedOnEInk() throws {
        #expect(throws: RequestError.self) { try PageParameters.check(["face": "boring", "theme": "e-ink"]) }
        try PageParameters.check(["face": "boring", "theme": "light"])
        try PageParameters.check(["face": "calm", "theme": "e-ink"])
    }

    @Test func aNameThatIsNearlyThatOfAParameterIsAnError() throws {
        let error = try #require(throws: RequestError.self) { try PageParameters.check(["control": "0"]) }
        #expect(error == RequestError("control", "there is no such parameter; similar: controls"))
        try PageParameters.check(["controls": "0", "cache": "1", "t": "2"])
    }
}
