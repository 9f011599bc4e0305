// SPDX-License-Identifier: Apache-2.0

package import API
package import Session

/// Everything that the remote page shows besides the session: offers to start, machines, the week, and its own words.
package enum Overview {
    private static let againLimit = 4
    /// The days whose sessions are listed, today included.
    private static let daysLimit = 7
    private static let labelsLimit = 12

    package static func json(
        _ shown: NodeView, nodes: [NodeReport], week: WeekNumbers?, recent: [RecentSession], presets: [Preset],
        mayPress: Bool, groupTime: GroupTime, utcOffset: (Int64) -> Int, strings: Strings
    ) -> JSONText {
        let live = shown.view.register.flatMap { $0.status.isLive ? $0 : nil }
        let sessions = recent.map { seen in
            // The running session has gone on since.
            live.flatMap { $0.lineage.rawValue == seen.lineage ? RecentSession($0, at: groupTime) : nil }
                ?? seen
        }
        var known: [StartRequest] = []
        for start in sessions.map(\.start) where !known.contains(start) && known.count < againLimit {
            // A start that goes on with a stopped session is not offered beside that session.
            if !sessions.contains(where: { $0.remainder == start && $0.start != start }) { known.append(start) }
        }
        let stopped = live == nil ? Offer(continuing: recent, at: groupTime, strings: strings) : nil
        let again =
            [stopped].compactMap(\.self)
            + known.compactMap { start in
                sessions.first { $0.start == start }.map { Offer(again: $0, strings: strings) }
            }
        let machines = nodes.filter { !$0.isService && $0.node != NodesReport.strangers }.map {
            machine($0, owner: live?.owner, at: groupTime, strings: strings)
        }
        let colours = NamedColours.labels.compactMap { name, colour -> JSONText? in
            // The name is for a request, and the text for a screen reader.
            Strings.Key(rawValue: "\(name)Colour").map {
                ["name": name.json, "text": strings[$0].json, "colour": colour.description.json]
            }
        }
        let words = keys.map { ($0.rawValue, strings.entry($0)?.json ?? strings[$0].json) }
        return [
            "language": strings.language.json, "direction": strings.isRightToLeft ? "rtl" : "ltr",
            "node": (shown.node?.rawValue ?? "").json, "mayPress": (mayPress && !shown.isReadOnly).json,
            "again": again.json,
            // A focus session of the default length, a count-up, and the node's presets.
            "presets": ([.focus(strings), .countUp(strings)] + presets.map { Offer($0, strings: strings) }).json,
            "machines": JSONText(machines), "week": week.map { sums($0, strings: strings) },
            "days": JSONText(days(sessions, at: groupTime, utcOffset: utcOffset, strings: strings)),
            "labels": JSONText(labels(sessions)), "colours": JSONText(colours), "words": JSONText(words),
        ]
    }

    private static func labels(_ sessions: [RecentSession]) -> [JSONText] {
        var labels: [LabelReport] = []
        for start in sessions.map(\.start) {
            guard let name = start.label, labels.count < labelsLimit, !labels.contains(where: { $0.name == name })
            else { continue }
            labels.append(LabelReport(name: name, colour: start.colour))
        }
        return labels.map { JSONText($0) }
    }

    /// Returns the days that have sessions, the latest first.
    private static func days(
        _ sessions: [RecentSession], at groupTime: GroupTime, utcOffset: (Int64) -> Int, strings: Strings
    ) -> [JSONText] {
        func date(_ time: GroupTime) -> CivilDate {
            LocalTime(at: time.milliseconds, offset: utcOffset(time.milliseconds)).date
        }
        let today = date(groupTime)
        return (0..<daysLimit).compactMap { ago in
            let day = today.adding(days: -ago)
            let found = sessions.filter { date($0.startedAt) == day && $0.done >= 60_000 }
            guard !found.isEmpty else { return nil }
            let name = strings.isolatedNumber("\(strings.weekday(of: day)) \(strings.day(day))")
            let minutes = WholeMinutes.of(found.map(\.done))
            let items = zip(found, minutes).map { session, done -> JSONText in
                let offer = Offer(again: session, strings: strings)
                let start = session.startedAt.milliseconds
                let time = TimeText.clock(start, offset: utcOffset(start))
                return [
                    "time": time.json, "text": offer.text.json, "label": offer.label.map { JSONText($0) },
                    "done": TimeText.minutes(done).json,
                ]
            }
            return [
                "name": (ago == 0 ? strings[.today] : name).json, "done": TimeText.minutes(minutes.reduce(0, +)).json,
                "sessions": JSONText(items),
            ]
        }
    }

    private static func machine(
        _ report: NodeReport, owner: NodeID?, at groupTime: GroupTime, strings: Strings
    ) -> JSONText {
        let isOwner = report.node == owner?.rawValue
        var texts = [isOwner ? strings[.ownsSession] : ""]
        switch report.state {
        case .clockWrong: texts.append(strings[.clockWrong])
        case .sleeping: texts.append(strings[.asleep])
        case .online: texts.append(strings[.online])
        case .unknown where report.lastHeard != nil: break
        case .unknown, .offline: texts.append(strings[.offline])
        }
        if !report.online, let last = report.lastHeard {
            texts.append(Screen.lastHeard(max(0, groupTime - last), strings: strings))
        }
        return [
            "name": (report.name ?? report.node).json, "texts": texts.filter { !$0.isEmpty }.json,
            "isOnline": report.online.json,
            // Whether a person must look after it.
            "isWrong": (report.state == .clockWrong).json, "isOwner": isOwner.json,
        ]
    }

    private static func sums(_ numbers: WeekNumbers, strings: Strings) -> JSONText {
        let days = numbers.dayMinutes
        let today = days.indices.contains(numbers.today) ? days[numbers.today] : 0
        return [
            "debt": DebtText.text(minutes: numbers.debt).json, "today": TimeText.minutes(today).json,
            "texts": numbers.facts(strings).json,
        ]
    }

    /// The strings that the page inserts itself, also while it cannot reach its node.
    private static let keys: [Strings.Key] = [
        .pageLost, .lastHeardSeconds, .lastHeardMinutes, .lastHeardHours, .linkOver, .notPermitted, .noSession,
        .start, .lastSessions, .presets, .newSession, .title, .label, .colour, .duration, .until, .plan, .shortMinutes,
        .countUp, .save, .saved, .sound, .undo, .endsInSeconds, .machines, .weeklyDebt, .today, .debtOfWeek, .noWeek,
        .sessions, .eventStarted, .eventPaused, .eventResumed, .eventPhase, .eventStopped, .movedHere, .alreadySo,
        .stop, .ok, .alarmEnded, .messageToAll, .messageShown, .messageTakenBack,
    ]
}
