// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// The route of the calendar that programs subscribe to.
struct CalendarRoutes: Sendable {
    /// Returns the calendar. Its error says why there is none.
    let calendar: @Sendable () async throws -> [UInt8]

    /// The path of the calendar. A calendar program gets only a link, so the path has a key of its own, which opens
    /// nothing else.
    static let path = "/calendar.ics"

    func addRoutes(to routes: Routes) {
        routes.get(
            Self.path,
            Route(
                "The sessions of the past year as a calendar; the running one ends as planned.",
                [
                    .ok("text/calendar", "iCalendar (RFC 5545)."),
                    .problem(404, "This machine has no ledger, or may not read it."),
                ])
        ) { _, _ in
            do {
                return Response(try await calendar(), type: "text/calendar; charset=utf-8")
            } catch {
                throw HTTPProblem(.notFound, "\(error)")
            }
        }
    }
}
