// SPDX-License-Identifier: Apache-2.0

package import API
import Session
import Wire

extension DisplaySnapshot {
    private static let minute: Milliseconds = .minutes(1)

    package func weekPage(strings: Strings) -> WeekPage {
        var page = WeekPage(
            numbers: weekNumbers, node: .userText(nodeView.node?.rawValue ?? ""),
            time: TimeText.clock(groupTime.milliseconds, offset: utcOffset(groupTime.milliseconds)),
            strings: strings)
        page.isLinkLost = !nodeView.view.isLinked && !nodeView.worksAlone
        if let feed = feeds.week, let week = feed.week {
            let silence = groupTime - feed.at
            if groupTime >= week.to + Self.minute || silence > Feeds.longestSilence { page.staleFor = silence }
        }
        return page
    }

    /// The numbers of the debt service, plus the time that the running session has added since.
    package var weekNumbers: WeekNumbers? {
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
