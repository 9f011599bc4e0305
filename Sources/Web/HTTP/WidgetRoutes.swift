// SPDX-License-Identifier: Apache-2.0

import Control
import Display
import Hummingbird
import Wire

/// The routes of widgets: images and lines of text for programs that display a URL.
struct WidgetRoutes: Sendable {
    let node: any NodeAccess

    func addRoutes(to router: Router<WebContext>) {
        router.get("/widgets/circular.svg") { request, _ in
            await picture(request) { Widgets.circular($0, options: $1) }
        }
        router.get("/widgets/rectangular.svg") { request, _ in
            await picture(request) { Widgets.rectangular($0, options: $1) }
        }
        router.get("/widgets/inline.txt") { request, _ in
            await draw(request) { shown, options in Self.text(Widgets.inline(shown.screen(options), options: options)) }
        }
        router.get("/widgets/debt.svg") { request, _ in
            await draw(request) { shown, options in
                Self.svg(Widgets.debt(minutes: shown.nodeView.debtMinutes, options: options))
            }
        }
        router.get("/widgets/debt.txt") { _, _ in
            Self.text(Widgets.debtLine(minutes: await node.snapshot().nodeView.debtMinutes))
        }
    }

    private func picture(
        _ request: Request, _ draw: @escaping @Sendable (Screen, WidgetOptions) -> String
    ) async -> Response {
        await self.draw(request) { shown, options in Self.svg(draw(shown.screen(options), options)) }
    }

    private func draw(_ request: Request, _ draw: (DisplaySnapshot, WidgetOptions) -> Response) async -> Response {
        let strings = Strings.requested(request.query["lang"], header: request.headers[.acceptLanguage])
        do throws(WidgetError) {
            var response = draw(await node.snapshot(), try WidgetOptions(query: request.query, strings: strings))
            // Widgets may be embedded in other sites, whose scripts cannot read the image.
            response.headers[.crossOriginResourcePolicy] = "cross-origin"
            return response
        } catch {
            return HTTPProblem(.unprocessableContent, field: error.parameter, error.message).response
        }
    }

    private static func svg(_ text: String) -> Response { Response(Array(text.utf8), type: "image/svg+xml") }

    private static func text(_ text: String) -> Response {
        Response(Array(text.utf8), type: "text/plain; charset=utf-8")
    }
}

extension DisplaySnapshot {
    fileprivate func screen(_ widget: WidgetOptions) -> Screen {
        Screen(nodeView.view, at: boot, face: widget.face, options: options(strings: widget.strings, isReadOnly: true))
    }
}
