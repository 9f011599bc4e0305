// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Hummingbird
import Session
import Wire

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
        let mayAdd = context.access == .control && !EventStreams.StreamOptions.isOff(request.query["controls"])
        if mayAdd, shown.nodeView.mayOwn, !shown.nodeView.isReadOnly {
            let now = shown.groupTime.milliseconds
            page.today = LocalTime(at: now, offset: shown.ledgerOffset(now)).date
        }
        page.theme = request.query["theme"] ?? ""
        return Response(Array(page.html.utf8), type: "text/html; charset=utf-8")
    }
}

extension DisplaySnapshot {
    /// The silence after which the debt service counts as offline: it publishes each day.
    private static let longestSilence: Milliseconds = .minutes(26 * 60)
    private static let minute: Milliseconds = .minutes(1)

    func weekPage(strings: Strings) -> WeekPage {
        var page = WeekPage(
            numbers: weekNumbers, node: .userText(nodeView.node?.rawValue ?? ""),
            time: TimeText.clock(groupTime.milliseconds, offset: utcOffset(groupTime.milliseconds)),
            strings: strings)
        page.isLinkLost = !nodeView.view.isLinked && !nodeView.worksAlone
        if let feed = feeds.week, let week = feed.week {
            let silence = groupTime - feed.at
            if groupTime >= week.to + Self.minute || silence > Self.longestSilence { page.staleFor = silence.count }
        }
        return page
    }

    /// The numbers of the debt service, plus the time that the running session has added since.
    var weekNumbers: WeekNumbers? {
        guard let feed = feeds.week, let week = feed.week, !week.days.isEmpty else { return nil }
        let added = max(0, feed.done(at: groupTime) - week.done)
        var (days, labels) = (week.days, week.labels)
        // The feed need not have been computed in its week, so the index is bounded.
        let index = week.today ?? Int((feed.at - week.from).count / 86_400_000)
        let today = min(max(index, 0), days.count - 1)
        let before = days[today]
        days[today] += added
        // The running time is booked on the current session.
        if added > 0, let label = nodeView.view.register.map(\.label) {
            if let index = labels.firstIndex(where: { $0.label?.name == label?.name }) {
                labels[index].done += added
            } else {
                labels.append(DebtWeek.LabelSum(label: label, done: added))
            }
        }
        let isCounted = before < Self.minute && days[today] >= Self.minute
        return WeekNumbers(
            first: week.first ?? date(at: week.from.milliseconds + 43_200_000), days: days, today: today,
            goal: week.goal,
            done: week.done + added, streak: week.streak + (isCounted ? 1 : 0), labels: labels, calm: week.calm,
            past: feeds.year)
    }

    private func date(at time: Int64) -> CivilDate {
        LocalTime(at: time, offset: utcOffset(time)).date
    }
}
