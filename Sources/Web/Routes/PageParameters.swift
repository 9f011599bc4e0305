// SPDX-License-Identifier: Apache-2.0

import API
import Display

/// The query parameters of a page. An invalid value is an error at once, because a kiosk on a wall is hard to debug.
enum PageParameters {
    static let scales = 0.2...1.0
    static let parts = ["icon", "name", "state", "detail", "calm", "ring", "bar", "buttons", "notice"]

    static func check(_ query: Query) throws(RequestError) {
        try query.checkNames(PageRoutes.parameters.map(\.name))
        let theme: Theme? = try query.word("theme")
        let face: Face? = try query.word("face")
        let _: Idle? = try query.word("idle")
        _ = try query.parameter("hide", "some of \(parts.joined(separator: ", ")), as hide=bar,detail") { text in
            text.split { $0 == "," || $0 == " " }.allSatisfy { parts.contains(String($0)) } ? text : nil
        }
        for name in ["controls", "sound"] { _ = try query.flag(name) }
        _ = try query.near()
        _ = try query.blank()
        if face == .boring, theme == .eInk {
            throw RequestError("theme", "e-ink has no boring face, which counts seconds; use another face with hide")
        }
        _ = try query.parameter("scale", "a number from \(scales.lowerBound) to \(scales.upperBound)") { text in
            Double(text).flatMap { scales.contains($0) ? $0 : nil }
        }
    }
}
