// SPDX-License-Identifier: Apache-2.0

import Display
import Hummingbird
import Session
import Wire

/// The page of the week, drawn anew for whoever asks.
struct WeekRoutes: Sendable {
    let node: any NodeAccess

    func addRoutes(to router: Router<WebContext>) {
        router.get("/week") { request, _ in await page(request) }
        router.get("/week.css") { _, _ in try PageRoutes.file("week.css", "text/css; charset=utf-8") }
        router.get("/week.js") { _, _ in try PageRoutes.file("week.js", "text/javascript; charset=utf-8") }
    }

    private func page(_ request: Request) async -> Response {
        do throws(Refused) {
            try PageParameters.check(request.query)
        } catch {
            return error.response
        }
        let strings = Strings.wished(request.query["lang"], header: request.headers[.acceptLanguage])
        var page = await node.shown().weekPage(strings: strings)
        page.theme = request.query["theme"] ?? ""
        return Response(Array(page.html.utf8), type: "text/html; charset=utf-8")
    }
}

extension Shown {
    /// The service says something whenever a day begins; after so many milliseconds it is away.
    private static let longestSilence: Int64 = 26 * 3_600_000
    private static let minute: Int64 = 60_000

    func weekPage(strings: Strings) -> WeekPage {
        var page = WeekPage(
            numbers: weekNumbers, node: "\(node)", time: TimeText.clock(groupTime, offset: utcOffset(groupTime)),
            strings: strings)
        page.isLinkLost = !view.isLinked && !worksAlone
        if let feed = feeds.week, let week = feed.week {
            let silence = groupTime - feed.at
            if groupTime >= week.to + Self.minute || silence > Self.longestSilence { page.staleFor = silence }
        }
        return page
    }

    /// What the services have said, with what still goes on.
    private var weekNumbers: WeekNumbers? {
        guard let feed = feeds.week, let week = feed.week, !week.days.isEmpty else { return nil }
        let going = max(0, feed.done(at: groupTime) - week.done)
        var (days, labels) = (week.days, week.labels.map { WeekNumbers.Share(label: $0.label, done: $0.done) })
        let today = min(week.today ?? Int((feed.at - week.from) / 86_400_000), days.count - 1)
        let before = days[today]
        days[today] += going
        // At each instant the current session is the one that it is booked on.
        if going > 0, let label = view.register.map(\.label) {
            if let index = labels.firstIndex(where: { $0.label?.name == label?.name }) {
                labels[index].done += going
            } else {
                labels.append(WeekNumbers.Share(label: label, done: going))
            }
        }
        let isCounted = before < Self.minute && days[today] >= Self.minute
        return WeekNumbers(
            first: week.first ?? date(at: week.from + 43_200_000), days: days, today: today, goal: week.goal,
            done: week.done + going, streak: week.streak + (isCounted ? 1 : 0), labels: labels, calm: week.calm,
            past: feeds.year.map { WeekNumbers.Past(first: $0.first, days: $0.days, calm: $0.calm) })
    }

    /// The date at the node's place.
    private func date(at time: Int64) -> CivilDate {
        CivilDate(dayNumber: CivilDate.floor(Int(time) + utcOffset(time) * 1_000, 86_400_000))
    }
}
