// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Hummingbird
import Wire

/// The routes of widgets: images and lines of text for programs that display a URL.
struct WidgetRoutes: Sendable {
    let node: any NodeAccess

    func addRoutes(to routes: Routes) {
        let colour = Schemas.text(.typedColour)
        let eink = Route.Parameter(
            name: "eink", about: "1: black on white, with the end time instead of a running time.")
        let (sizes, scales) = (WidgetOptions.sizes, WidgetOptions.scales)
        let (least, most) = (sizes.lowerBound.json, sizes.upperBound.json)
        let size: [Route.Parameter] = [
            .number("width", "In points.", least, most, type: "integer"),
            .number("height", "In points.", least, most, type: "integer"),
            .number(
                "scale", "Multiplies width and height, up to \(sizes.upperBound).", JSONText(scales.lowerBound),
                JSONText(scales.upperBound)),
            Route.Parameter(name: "colour", about: "A name, or hexadecimal digits.", schema: colour),
            Route.Parameter(name: "background", about: "A name, or hexadecimal digits.", schema: colour), eink,
        ]
        func image(_ summary: String, _ query: [Route.Parameter]) -> Route {
            Route(summary, [.ok("image/svg+xml", "The image."), .badParameter], query: query + size)
        }
        routes.get("/widgets/circular.svg", image("A small round image.", [.face, .lang])) { request, _ in
            try await picture(request) { Widgets.circular($0, options: $1) }
        }
        routes.get("/widgets/rectangular.svg", image("A small rectangular image.", [.face, .lang])) { request, _ in
            try await picture(request) { Widgets.rectangular($0, options: $1) }
        }
        routes.get(
            "/widgets/inline.txt",
            Route("One line.", [.ok("text/plain", "The line."), .badParameter], query: [.face, .lang, eink])
        ) { request, _ in
            try await draw(request) { shown, options in
                Self.text(Widgets.inline(shown.screen(options), options: options))
            }
        }
        routes.get("/widgets/debt.svg", image("The week's debt as an image.", [.lang])) { request, _ in
            try await draw(request) { shown, options in
                Self.svg(Widgets.debt(minutes: shown.nodeView.debtMinutes, options: options))
            }
        }
        routes.get(
            "/widgets/debt.txt",
            Route("The week's debt.", [.ok("text/plain", "-30m, -2h30m, +45m, 0m; – without a debt service.")])
        ) { _, _ in Self.text(Widgets.debtLine(minutes: await node.snapshot().nodeView.debtMinutes)) }
    }

    private func picture(
        _ request: Request, _ draw: @escaping @Sendable (Screen, WidgetOptions) -> String
    ) async throws -> Response {
        try await self.draw(request) { shown, options in Self.svg(draw(shown.screen(options), options)) }
    }

    private func draw(_ request: Request, _ draw: (DisplaySnapshot, WidgetOptions) -> Response) async throws -> Response
    {
        let strings = Strings.requested(request.query["lang"], header: request.headers[.acceptLanguage])
        var response = draw(await node.snapshot(), try WidgetOptions(query: request.query, strings: strings))
        // Widgets may be embedded in other sites, whose scripts cannot read the image.
        response.headers[.crossOriginResourcePolicy] = "cross-origin"
        return response
    }

    private static func svg(_ text: String) -> Response { Response(Array(text.utf8), type: "image/svg+xml") }

    private static func text(_ text: String) -> Response {
        Response(Array(text.utf8), type: "text/plain; charset=utf-8")
    }
}

extension DisplaySnapshot {
    /// Returns the data that a screen needs besides the session.
    func options(strings: Strings, isReadOnly: Bool) -> ScreenOptions {
        var options = ScreenOptions(strings: strings, isReadOnly: isReadOnly, utcOffset: utcOffset)
        options.take(nodeView)
        return options
    }

    fileprivate func screen(_ widget: WidgetOptions) -> Screen {
        Screen(nodeView.view, at: boot, face: widget.face, options: options(strings: widget.strings, isReadOnly: true))
    }
}
