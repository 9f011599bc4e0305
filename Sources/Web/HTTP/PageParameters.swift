// SPDX-License-Identifier: Apache-2.0

import API
import Display

/// The query parameters of a page. Invalid values are an error at once, because a kiosk on a wall is hard to debug.
enum PageParameters {
    static let themes = ["dark", "light", "e-ink"]
    static let scales = 0.2...1.0

    static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, of query: [String: String]
    ) throws(RequestError) -> Word? {
        guard let text = query[name] else { return nil }
        guard let word = Word(rawValue: text) else {
            throw RequestError(name, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    static func near(_ query: [String: String]) throws(RequestError) -> Near? {
        guard let text = query["near"] else { return nil }
        guard let near = Near(text) else { throw RequestError("near", "must be a duration such as 5m or 90s") }
        return near
    }

    static func check(_ query: [String: String]) throws(RequestError) {
        if let theme = query["theme"], !themes.contains(theme) {
            throw RequestError("theme", "must be one of \(themes.joined(separator: ", "))")
        }
        let _: Idle? = try word("idle", of: query)
        _ = try near(query)
        let face: Face? = try word("face", of: query)
        if face == .boring, query["theme"] == "e-ink" {
            throw RequestError("theme", "e-ink has no boring face, which counts seconds; use another face with hide")
        }
        if let text = query["scale"] {
            guard let scale = Double(text), scales.contains(scale) else {
                throw RequestError("scale", "must be a number from \(scales.lowerBound) to \(scales.upperBound)")
            }
        }
    }
}
