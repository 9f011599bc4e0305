// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Hummingbird
import Session

/// The routes of the week page, which is rendered for each request.
struct WeekRoutes: Sendable {
    let node: any NodeAccess

    func addRoutes(to routes: Routes) {
        routes.get(
            "/week",
            .page(
                "The week page: its days, its labels, the past year, and how calm it was.",
                query: [.lang, .theme, .controls])
        ) { request, context in try await page(request, context) }
        routes.file("week.css", "text/css; charset=utf-8", "The page's style sheet.")
        routes.file("week.js", "text/javascript; charset=utf-8", "The page's script.")
    }

    private func page(_ request: Request, _ context: WebContext) async throws -> Response {
        try PageParameters.check(request.query)
        let strings = Strings.requested(request.query["lang"], header: request.headers[.acceptLanguage])
        let shown = await node.snapshot()
        var page = shown.weekPage(strings: strings)
        if try context.access.mayPress(by: request.query), shown.nodeView.mayOwn, !shown.nodeView.isReadOnly {
            let now = shown.groupTime.milliseconds
            page.today = LocalTime(at: now, offset: shown.ledgerOffset(now)).date
        }
        page.theme = request.query["theme"] ?? ""
        return .html(page.html)
    }
}
