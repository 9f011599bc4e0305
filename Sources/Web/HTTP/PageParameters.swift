// SPDX-License-Identifier: Apache-2.0

import Display
import HTTPTypes

/// The query parameters of a page. Invalid values are an error at once, because a kiosk on a wall is hard to debug.
enum PageParameters {
    static let themes = ["dark", "light", "e-ink"]
    static let scales = 0.2...1.0

    static func face(_ query: [String: String]) throws(HTTPProblem) -> Face {
        guard let name = query["face"] else { return .focus }
        guard let face = Face(rawValue: name) else {
            throw wrong("face", "must be one of \(Face.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return face
    }

    static func idle(_ query: [String: String]) throws(HTTPProblem) -> Idle {
        guard let name = query["idle"] else { return .clock }
        guard let idle = Idle(rawValue: name) else {
            throw wrong("idle", "must be one of \(Idle.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return idle
    }

    static func near(_ query: [String: String]) throws(HTTPProblem) -> Near? {
        guard let text = query["near"] else { return nil }
        guard let near = Near(text) else { throw wrong("near", "must be a duration such as 5m or 90s") }
        return near
    }

    static func check(_ query: [String: String]) throws(HTTPProblem) {
        if let theme = query["theme"], !themes.contains(theme) {
            throw wrong("theme", "must be one of \(themes.joined(separator: ", "))")
        }
        _ = (try idle(query), try near(query))
        if try face(query) == .boring, query["theme"] == "e-ink" {
            throw wrong("theme", "e-ink has no boring face, which counts seconds; use another face with hide")
        }
        if let text = query["scale"] {
            guard let scale = Double(text), scales.contains(scale) else {
                throw wrong("scale", "must be a number from \(scales.lowerBound) to \(scales.upperBound)")
            }
        }
    }

    private static func wrong(_ name: String, _ message: String) -> HTTPProblem {
        HTTPProblem(.unprocessableContent, field: name, message)
    }
}
