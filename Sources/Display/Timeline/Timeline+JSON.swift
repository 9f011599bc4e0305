// SPDX-License-Identifier: Apache-2.0

import API
package import Session
import Wire

extension Timeline {
    /// Encodes the timeline for the kiosk page, with the strings that the page itself needs.
    package func json(
        at boot: BootTime, node: NodeID?, offers: [Offer] = [], idle: IdleContent? = nil, near: Near? = nil,
        strings: Strings
    ) -> [UInt8] {
        let content = Content(
            boot: boot.milliseconds, node: node?.rawValue, face: entries[0].screen.face.rawValue,
            language: strings.language,
            direction: strings.isRightToLeft ? "rtl" : "ltr", staleAfter: Limits.staleAfter.count, idle: idle,
            near: near?.seconds,
            words: Dictionary(
                uniqueKeysWithValues: Self.keys.map { ($0.rawValue, Self.entry($0, strings)) }),
            entries: entries.map { EntryContent($0, offers: offers, strings: strings) })
        return ReportJSON.encode(content)
    }

    private struct Content: Encodable {
        var boot: Int64
        var node: String?
        var face: String
        var language: String
        var direction: String
        /// Milliseconds without a message from the node after which the page is stale.
        var staleAfter: Int64
        var idle: IdleContent?
        /// In seconds.
        var near: Int?
        var words: [String: Strings.Entry]
        var entries: [EntryContent]
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

    private struct EntryContent: Encodable {
        var from: Int64
        var began: Int64?
        var status: String
        var idle: Localized?
        var session: String?
        var phase: Int?
        var count: Count?
        var alarm: Int64?
        var pads: Bool
        var sign: Localized
        var widest: Localized
        var icon: String?
        var mark: String?
        var emoji: Localized?
        var tint: String
        var rests: Bool
        var title: Localized
        var label: LabelReport?
        var state: Localized
        var indicator: Localized?
        var calm: Localized?
        var trend: String?
        var debt: Localized?
        var ends: Localized?
        var buttons: [ButtonContent]
        var notices: [Screen.Notice]
        var spoken: Localized

        init(_ entry: Entry, offers: [Offer], strings: Strings) {
            let screen = entry.screen
            from = entry.from
            began = entry.began
            status = screen.status?.rawValue ?? "idle"
            // A person in front of a wall has no command line.
            idle = !screen.isIdle ? nil : screen.idleText == strings[.idle] ? strings[.noSession] : screen.idleText
            session = entry.session?.rawValue
            phase = entry.session == nil ? nil : entry.phase
            count = entry.count
            alarm = screen.face == .boring ? nil : entry.alarm
            pads = screen.face.padsMinutes
            let isMarked = screen.time.description.hasPrefix(TimeText.approximateSign.description)
            sign = isMarked ? TimeText.approximateSign : ""
            widest = screen.widestTime
            icon = screen.icon.path
            mark = screen.isStale ? nil : WidgetMark(screen)?.path
            emoji = screen.emoji
            tint = screen.tint.description
            rests = screen.isBreak
            title = screen.title
            label = screen.label.map(LabelReport.init)
            state = screen.stateText
            indicator = screen.indicatorBelowHeading
            calm = screen.calmText
            trend = screen.calmTrend?.rawValue
            debt = screen.debtText
            ends = screen.endsAt
            buttons = screen.isIdle ? offers.map { ButtonContent($0) } : screen.buttons.map { ButtonContent($0) }
            notices = screen.notices
            let seconds = entry.count.map { count in
                Int((count.length.map { max($0 - count.elapsed, 0) } ?? count.elapsed) / 1_000)
            }
            spoken = screen.spoken(seconds: seconds, strings: strings)
        }
    }
}

/// A button for programs, with the fields of its request.
struct ButtonContent: Encodable {
    var op: String
    var seconds: Int?
    /// The session that a press starts.
    var start: StartRequest?
    var text: Localized

    init(_ offer: Offer) {
        op = "start"
        start = offer.request
        text = offer.text
    }

    init(_ button: Button) {
        op = button.action.name
        if case .press(.extend(let added)) = button.action { seconds = added }
        text = button.text
    }
}
