// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Display

private let zbarimg = try? Spawn.find("zbarimg")

/// An independent decoder (zbar) reads the drawn codes.
@Suite(.limitedConcurrency, .requires("zbar-tools", zbarimg != nil)) struct QRCodeTests {
    static let texts = [
        "1", "http://192.168.178.20:7780/?face=calm&key=3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "lockstep1-" + String(repeating: "aB3-", count: 60),
    ]

    /// Reads a picture of dark modules with zbar.
    private func decoded(_ rows: [[Bool]]) async throws -> String {
        let scale = 4
        // zbar needs the standard's margin of four light modules, which screens and pages have too.
        let width = rows[0].count + 8
        let light = [Bool](repeating: false, count: width)
        let padded =
            Array(repeating: light, count: 4) + rows.map { light[..<4] + $0 + light[..<4] }
            + Array(repeating: light, count: 4)
        var picture = "P1\n\(width * scale) \(padded.count * scale)\n"
        for row in padded {
            let line = row.map { String(repeating: $0 ? "1 " : "0 ", count: scale) }.joined()
            picture += String(repeating: line + "\n", count: scale)
        }
        let directory = try TemporaryDirectory()
        try directory.write(picture, to: "code.pbm")
        let program = try #require(zbarimg)
        try await Spawn.run([program, "--quiet", "--raw", "--nodbus", directory.file("code.pbm")], in: directory)
        return directory.read("zbarimg.log")
    }

    @Test(arguments: texts) func zbarReadsThePicture(text: String) async throws {
        let code = try #require(QRCode(text))
        let svg = code.svg
        let side = code.size + 4
        #expect(svg.contains("viewBox=\"0 0 \(side) \(side)\""))
        let path = try #require(svg.split(separator: "d=\"").last?.prefix { $0 != "\"" })
        var rows = [[Bool]](repeating: [Bool](repeating: false, count: side), count: side)
        for square in path.split(separator: "M") {
            let corner = square.prefix { $0 != "h" }.split(separator: " ").compactMap { Int($0) }
            try #require(corner.count == 2 && square.hasSuffix("h1v1h-1z"))
            rows[corner[1]][corner[0]] = true
        }
        #expect(try await decoded(rows) == text + "\n")
    }

    @Test(arguments: texts) func zbarReadsTheHalfBlocks(text: String) async throws {
        let code = try #require(QRCode(text))
        let rows = code.text.split(separator: "\n").flatMap { line in
            [line.map { "▄ ".contains($0) }, line.map { "▀ ".contains($0) }]
        }
        #expect(try await decoded(rows) == text + "\n")
    }

    @Test func aTextThatIsTooLongHasNoCode() {
        #expect(QRCode(String(repeating: "a", count: 2_331)) != nil)
        #expect(QRCode(String(repeating: "a", count: 2_332)) == nil)
    }
}
