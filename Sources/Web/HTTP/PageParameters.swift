// SPDX-License-Identifier: Apache-2.0

import Display
import HTTPTypes

/// What may stand in the address of a page. Misspelt values are said at once: a kiosk on a wall is hard to look into.
enum PageParameters {
    private static let themes = ["dark", "light", "e-ink"]
    private static let scales = 0.2...1.0

    static func face(_ query: [String: String]) throws(Refused) -> Face {
        guard let name = query["face"] else { return .focus }
        guard let face = Face(rawValue: name) else {
            throw wrong("face", "must be one of \(Face.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return face
    }

    /// - Throws: ``Refused`` for the first that is none of the page's.
    static func check(_ query: [String: String]) throws(Refused) {
        _ = try face(query)
        if let theme = query["theme"], !themes.contains(theme) {
            throw wrong("theme", "must be one of \(themes.joined(separator: ", "))")
        }
        if let text = query["scale"] {
            guard let scale = Double(text), scales.contains(scale) else {
                throw wrong("scale", "must be a number from \(scales.lowerBound) to \(scales.upperBound)")
            }
        }
    }

    private static func wrong(_ name: String, _ message: String) -> Refused {
        Refused(.unprocessableContent, field: name, message)
    }
}
