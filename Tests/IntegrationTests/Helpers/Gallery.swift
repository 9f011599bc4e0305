// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The page of one node with every face in every theme, side by side.
struct Gallery {
    struct Picture {
        let name: String
        let page: Page
        let sizes: [Size]
    }

    struct Size {
        let width: Int64
        let height: Int64
    }

    static let sizes = [
        Size(width: 240, height: 240), Size(width: 800, height: 480), Size(width: 1_080, height: 1_920),
    ]
    private let kiosk: Kiosk
    let pictures: [Picture]

    static func open(_ kiosk: Kiosk, node: String, query: String = "") async throws -> Gallery {
        var pictures: [Picture] = []
        for face in ["boring", "focus", "calm", "phases"] {
            for theme in face == "boring" ? ["dark"] : ["dark", "light", "e-ink"] {
                let page = try await kiosk.open(node, "face=\(face)&theme=\(theme)&\(query)")
                let sizes = theme == "dark" ? Self.sizes : [Self.sizes[1]]
                pictures.append(Picture(name: "\(face)-\(theme)", page: page, sizes: sizes))
            }
        }
        return Gallery(kiosk: kiosk, pictures: pictures)
    }

    /// Looks at every face at its sizes.
    /// - Parameters:
    ///   - state: What the root element's class says of the state.
    ///   - session: The session that is meant; `nil` for any.
    ///   - words: How the line of the state begins, where a face has one.
    ///   - name: What is looked at.
    ///   - provoke: Brings the state about where it is not there: at first, or because it has passed meanwhile.
    func look(
        _ state: String, of session: String? = nil, saying words: String = "", as name: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        provoke: () async throws -> Void = {}
    ) async throws {
        let isMeant = session.map { "entry.session === '\($0)'" } ?? "true"
        let isSaid = "(timeline.face === 'boring' || part('state').textContent.startsWith('\(words)'))"
        let isThere =
            "typeof entry === 'object' && !!entry && document.documentElement.classList.contains('\(state)') && \(isMeant) && \(isSaid)"
        for picture in pictures {
            for size in picture.sizes {
                try await picture.page.resize(width: size.width, height: size.height)
                var faults = JSON.null
                let label = "\(name)-\(picture.name)-\(size.width)x\(size.height)"
                // Some states last for five seconds only, which a machine with much else to do may spend elsewhere.
                var provoked: ContinuousClock.Instant?
                try await eventually("\(label) is seen", within: .seconds(120)) {
                    guard try await picture.page.value(isThere) == true else {
                        if provoked.map({ .now - $0 > .seconds(6) }) ?? true {
                            try await provoke()
                            provoked = .now
                        }
                        return false
                    }
                    faults = try await picture.page.value("measure(\(size.width), \(size.height))")
                    try await kiosk.keep(picture.page, as: label)
                    return try await picture.page.value(isThere) == true
                }
                #expect(faults == [], "\(label)", sourceLocation: sourceLocation)
            }
        }
    }

    /// What the browser complained about on any of the pages.
    func problems(ofNetwork: Bool = true) async throws -> [String] {
        var problems: [String] = []
        for picture in pictures { problems += try await picture.page.problems(ofNetwork: ofNetwork) }
        return problems
    }
}
