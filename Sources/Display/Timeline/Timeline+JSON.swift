// SPDX-License-Identifier: Apache-2.0

package import API
package import Session
import Wire

extension Timeline {
    /// Encodes the timeline for the kiosk page, with the strings that the page itself needs.
    package func json(
        at boot: BootTime, node: NodeID?, offers: [Offer] = [], idle: JSONText? = nil, near: EndWarning? = nil,
        strings: Strings
    ) -> [UInt8] {
        let content: JSONText = [
            "boot": boot.milliseconds.json, "node": node?.rawValue.json,
            "face": entries[0].screen.face.rawValue.json, "language": strings.language.json,
            "direction": strings.isRightToLeft ? "rtl" : "ltr",
            // Milliseconds without a message from the node after which the page is stale.
            "staleAfter": Limits.staleAfter.count.json,
            "idle": idle, "near": near?.seconds.json,
            "words": JSONText(Self.keys.map { ($0.rawValue, Self.entry($0, strings).json) }),
            "entries": JSONText(entries.map { $0.json(offers: offers, strings: strings) }),
        ]
        return Array(content.text.utf8)
    }

    /// The strings that the page uses without the node: connection, answers, and age of the state.
    private static let keys: [Strings.Key] = [
        .lastHeardSeconds, .lastHeardMinutes, .lastHeardHours, .pageLost, .pending, .refusedSuperseded,
        .refusedStalePhase, .refusedExpired, .refusedNotAllowed, .refusedInvalid, .refusedBusy, .noAnswer,
        .noSession, .notPermitted, .timeLeft, .timePassed, .shortMinutes, .eventPhase, .eventCompleted, .eventLate,
    ]

    private static func entry(_ key: Strings.Key, _ strings: Strings) -> Strings.Entry {
        if key != .noAnswer, let entry = strings.entry(key) { return entry }
        return .text(RefusalText.text(key, strings).description)
    }
}

extension Timeline.Entry {
    fileprivate func json(offers: [Offer], strings: Strings) -> JSONText {
        // The usual text names a command, and a person in front of a wall has no command line.
        let idle = screen.idleText == strings[.idle] ? strings[.noSession] : screen.idleText
        let isMarked = screen.time.description.hasPrefix(TimeText.approximateSign.description)
        let sign = isMarked ? TimeText.approximateSign : ""
        let seconds = count.map { count in
            (count.length.map { max($0 - count.elapsed, 0) } ?? count.elapsed).wholeSeconds
        }
        let buttons = screen.isIdle ? offers.map(\.button) : screen.buttons.map(\.json)
        return [
            "from": from.milliseconds.json, "began": began?.milliseconds.json,
            "status": (screen.status?.rawValue ?? "idle").json, "idle": screen.isIdle ? idle.json : nil,
            "session": session?.rawValue.json, "phase": session == nil ? nil : phase.json, "count": count?.json,
            "alarm": screen.face == .boring ? nil : alarm?.milliseconds.json,
            "pads": screen.face.padsMinutes.json, "sign": sign.json, "widest": screen.widestTime.json,
            "icon": screen.icon.path.json, "mark": screen.isStale ? nil : WidgetMark(screen)?.path.json,
            "emoji": screen.emoji?.json, "tint": screen.tint.description.json, "rests": screen.isBreak.json,
            "title": screen.title.json, "label": screen.label.map { JSONText(LabelReport($0)) },
            "state": screen.stateText.json, "indicator": screen.indicatorBelowHeading?.json,
            "calm": screen.calmText?.json, "trend": screen.calmTrend?.rawValue.json, "debt": screen.debtText?.json,
            "ends": screen.endsAt?.json, "buttons": JSONText(buttons), "notices": screen.notices.json,
            "spoken": screen.spoken(seconds: seconds, strings: strings).json,
        ]
    }
}

extension Timeline.Count {
    fileprivate var json: JSONText {
        [
            "anchor": anchor.milliseconds.json, "elapsed": elapsed.count.json, "length": length?.count.json,
            "runs": runs.json, "hasOvertime": hasOvertime ? true.json : nil,
        ]
    }
}

extension Button {
    /// The button for programs, with the fields of its request.
    fileprivate var json: JSONText {
        var seconds: Int?
        if case .press(.extend(let added)) = action { seconds = added }
        return ["op": action.name.json, "seconds": seconds?.json, "text": text.json]
    }
}

extension Offer {
    /// The button that starts it.
    fileprivate var button: JSONText { ["op": "start", "start": JSONText(request), "text": text.json] }
}
