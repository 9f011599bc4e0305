// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The pages of one node with every face in every theme, open side by side.
struct FacePages {
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

    static func open(_ kiosk: Kiosk, node: String) async throws -> FacePages {
        var pictures: [Picture] = []
        for face in ["boring", "focus", "calm", "phases"] {
            for theme in face == "boring" ? ["dark"] : ["dark", "light", "e-ink"] {
                let page = try await kiosk.open(node, "face=\(face)&theme=\(theme)")
                let sizes = theme == "dark" ? Self.sizes : [Self.sizes[1]]
                pictures.append(Picture(name: "\(face)-\(theme)", page: page, sizes: sizes))
            }
        }
        return FacePages(kiosk: kiosk, pictures: pictures)
    }

    /// Measures every face at each of its sizes.
    /// - Parameters:
    ///   - state: The class of the root element in that state.
    ///   - session: The session to look for; `nil` for any.
    ///   - words: The start of the state line, on faces that have one.
    ///   - name: The name of the pictures.
    ///   - provoke: Brings about the state, at first and after it has passed.
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
                // Some states last for five seconds only, which a busy machine may miss.
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

    /// The errors that the browser reported on any of the pages.
    func problems(includingNetwork: Bool = true) async throws -> [String] {
        var problems: [String] = []
        for picture in pictures { problems += try await picture.page.problems(includingNetwork: includingNetwork) }
        return problems
    }
}
