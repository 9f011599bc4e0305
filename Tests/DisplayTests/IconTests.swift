// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Display

@Suite(.timeLimit(.minutes(5))) struct IconTests {
    private func rows(_ pixmap: Pixmap) -> [String] {
        (0..<pixmap.height).map { y in
            String((0..<pixmap.width).map { x in pixmap[x, y] == nil ? " " : pixmap[x, y] == .line ? "#" : "." })
        }
    }

    @Test(arguments: Icon.allCases) func everyIconDiffers(icon: Icon) {
        for height in [Drawings.smallest, 12, 20, 30] {
            let own = rows(Drawings.icon(icon, height: height, progress: 0.5))
            #expect(own.count == height)
            #expect(own.joined().contains("#"))
            #expect(own.first?.count ?? 0 <= height, "no wider than high")
            for other in Icon.allCases where other != icon {
                #expect(rows(Drawings.icon(other, height: height, progress: 0.5)) != own, "\(other)")
            }
        }
    }

    @Test func iconsFollowTheirPaths() {
        let cross = rows(IconLines("M2 12h20M12 2V22").pixmap(size: 12))
        #expect(cross[0].allSatisfy { $0 == " " })
        #expect(cross[6].filter { $0 == "#" }.count >= 10)
        #expect(cross.filter { $0.contains("#") }.count >= 10)
        #expect(
            rows(IconLines("M2 2l20 0 0 20-20 0z").pixmap(size: 12))
                == rows(IconLines("M2 2H22V22H2Z").pixmap(size: 12)))
        #expect(rows(IconLines("").pixmap(size: 3)) == ["   ", "   ", "   "])
        #expect(rows(IconLines("M.5.5c0 0 1-1 1.5.5x9 y").pixmap(size: 4)).count == 4)
    }

    @Test func calmFaceDrawsTheIconOfTheSession() {
        let text = { (icon: String?) in
            var register = sample()
            register.icon = icon
            let canvas = canvas(Screen(view(register), at: 0, face: .calm), 80, 24)
            return (0..<24).map { canvas.text(row: $0) }
        }
        #expect(text("leaf") != text(nil))
        #expect(text("leaf") != text("pen"))
        #expect(text("hourglass") == text(nil))
    }
}
