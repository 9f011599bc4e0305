// SPDX-License-Identifier: Apache-2.0

package import API
import Session

/// Everything that the remote page shows besides the session: starts, machines, the week, and its own words.
package struct Overview: Sendable, Encodable {
    struct Machine: Encodable {
        var name: Localized
        var texts: [Localized]
        var isOnline: Bool
        /// Whether a person must look after it.
        var isWrong: Bool
        var isOwner: Bool
    }

    struct WeekSums: Encodable {
        var debt: Localized
        var today: Localized
        var texts: [Localized]
    }

    /// The sessions of a day, the latest first.
    struct Day: Encodable {
        var name: Localized
        var done: Localized
        var sessions: [Item]

        struct Item: Encodable {
            var time: Localized
            var text: Localized
            var label: LabelReport?
            var done: Localized
        }
    }

    struct Choice: Encodable {
        /// The name that a request has.
        var name: String
        /// The name in words, for a screen reader.
        var text: Localized
        var colour: String
    }

    let language: String
    let direction: String
    let node: Localized
    let mayPress: Bool
    let again: [Offer]
    /// The usual session, the open one, and the node's presets.
    let presets: [Offer]
    let machines: [Machine]
    let week: WeekSums?
    let days: [Day]
    let labels: [LabelReport]
    let colours: [Choice]
    let words: [String: Strings.Entry]

    private static let againLimit = 4
    /// The days whose sessions are listed, today included.
    private static let daysLimit = 7
    private static let labelsLimit = 12

    /// - Parameter groupTime: The present, in milliseconds since 1970.
    package init(
        _ shown: NodeView, nodes: [NodeReport], week: WeekNumbers?, recent: [RecentSession], presets: [Preset],
        mayPress: Bool, groupTime: Int64, utcOffset: (Int64) -> Int, strings: Strings
    ) {
        language = strings.language
        direction = strings.isRightToLeft ? "rtl" : "ltr"
        node = .userText(shown.node?.rawValue ?? "")
        self.mayPress = mayPress && !shown.isReadOnly
        let live = shown.view.register.flatMap { $0.status.isLive ? $0 : nil }
        let sessions = recent.map { seen in
            // The running session has gone on since.
            live.flatMap { $0.lineage.rawValue == seen.lineage ? RecentSession($0, at: GroupTime(groupTime)) : nil }
                ?? seen
        }
        var known: [StartRequest] = []
        for start in sessions.map(\.start) where !known.contains(start) && known.count < Self.againLimit {
            // The rest of a session is no session of its own.
            if !sessions.contains(where: { $0.rest == start && $0.start != start }) { known.append(start) }
        }
        let stopped = live == nil ? Offer(goingOnWithOneOf: recent, at: groupTime, strings: strings) : nil
        again =
            [stopped].compactMap(\.self)
            + known.compactMap { start in
                sessions.first { $0.start == start }.map { Offer(again: $0, strings: strings) }
            }
        self.presets = [.focus(strings), .countUp(strings)] + presets.map { Offer($0, strings: strings) }
        machines = nodes.filter { $0.role != "service" && $0.node != NodesReport.strangers }.map {
            Machine($0, owner: live?.owner, at: groupTime, strings: strings)
        }
        self.week = week.map { WeekSums($0, strings: strings) }
        days = Self.days(sessions, at: groupTime, utcOffset: utcOffset, strings: strings)
        labels = Self.labels(sessions)
        colours = NamedColours.labels.compactMap { name, colour in
            Strings.Key(rawValue: "\(name)Colour").map {
                Choice(name: name, text: strings[$0], colour: colour.description)
            }
        }
        words = Dictionary(
            uniqueKeysWithValues: Self.keys.map { ($0.rawValue, strings.entry($0) ?? .text(strings[$0].description)) })
    }

    private static func labels(_ sessions: [RecentSession]) -> [LabelReport] {
        var labels: [LabelReport] = []
        for start in sessions.map(\.start) {
            guard let name = start.label, labels.count < labelsLimit, !labels.contains(where: { $0.name == name })
            else { continue }
            labels.append(LabelReport(name: name, colour: start.colour))
        }
        return labels
    }

    private static func days(
        _ sessions: [RecentSession], at groupTime: Int64, utcOffset: (Int64) -> Int, strings: Strings
    ) -> [Day] {
        func date(_ time: Int64) -> CivilDate { LocalTime(at: time, offset: utcOffset(time)).date }
        let today = date(groupTime)
        return (0..<daysLimit).compactMap { ago in
            let day = today.adding(days: -ago)
            let found = sessions.filter { date($0.startedAt) == day && $0.done >= 60_000 }
            guard !found.isEmpty else { return nil }
            let name = strings.isolated("\(strings.weekday(of: day)) \(strings.day(day))")
            let minutes = WholeMinutes.of(found.map { Milliseconds($0.done) })
            return Day(
                name: ago == 0 ? strings[.today] : name, done: TimeText.minutes(minutes.reduce(0, +)),
                sessions: zip(found, minutes).map { session, done in
                    let offer = Offer(again: session, strings: strings)
                    return Day.Item(
                        time: TimeText.clock(session.startedAt, offset: utcOffset(session.startedAt)), text: offer.text,
                        label: offer.label, done: TimeText.minutes(done))
                })
        }
    }

    /// The words of the page itself, which it keeps for the time without its node.
    private static let keys: [Strings.Key] = [
        .pageLost, .lastHeardSeconds, .lastHeardMinutes, .lastHeardHours, .linkOver, .notPermitted, .noSession,
        .start, .lastSessions, .presets, .newSession, .title, .label, .colour, .duration, .until, .plan, .shortMinutes,
        .countUp, .save, .saved, .sound, .undo, .endsInSeconds, .machines, .weeklyDebt, .today, .debtOfWeek, .noWeek,
        .sessions, .nothingDone,
        .eventStarted, .eventPaused, .eventResumed, .eventPhase, .eventStopped, .movedHere, .alreadySo, .stop,
        .ok, .alarmEnded, .messageToAll, .messageShown, .messageTakenBack,
        .unsaved,
    ]
}

extension Overview.Machine {
    fileprivate init(_ report: NodeReport, owner: NodeID?, at groupTime: Int64, strings: Strings) {
        let id = Localized.userText(report.node)
        isOnline = report.online
        isOwner = report.node == owner?.rawValue
        isWrong = report.state == "clockWrong"
        name = report.name.map(Localized.userText) ?? id
        texts = [isOwner ? strings[.ownsSession] : ""]
        switch report.state {
        case "clockWrong": texts.append(strings[.clockWrong])
        case "sleeping": texts.append(strings[.asleep])
        case "online": texts.append(strings[.online])
        default: texts.append(strings[.offline])
        }
        if !report.online, let last = report.lastHeard {
            texts.append(Screen.lastHeard(Milliseconds(max(0, groupTime - last)), strings: strings))
        }
        texts.removeAll(where: \.isEmpty)
    }
}

extension Overview.WeekSums {
    fileprivate init(_ numbers: WeekNumbers, strings: Strings) {
        debt = DebtText.text(minutes: numbers.debt)
        let days = numbers.dayMinutes
        today = TimeText.minutes(days.indices.contains(numbers.today) ? days[numbers.today] : 0)
        texts = numbers.facts(strings)
    }
}
