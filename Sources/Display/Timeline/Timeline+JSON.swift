// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import Session

extension Timeline {
    /// The timeline for the kiosk page, with the words that the page itself needs.
    /// - Parameters:
    ///   - boot: The node's boot clock when it is written.
    ///   - node: The node's id.
    public func json(at boot: Int64, node: NodeID?, strings: Strings) -> [UInt8] {
        let content = Content(
            boot: boot, node: node?.rawValue, face: entries[0].screen.face.rawValue, language: strings.language,
            direction: strings.isRightToLeft ? "rtl" : "ltr", staleAfter: Limits.staleAfter,
            words: Words.table(of: strings),
            entries: entries.map { EntryContent($0, strings: strings) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // Strings and numbers that are finite: there is nothing that could not be written.
        return (try? encoder.encode(content)).map(Array.init) ?? []
    }

    private struct Content: Encodable {
        var boot: Int64
        var node: String?
        var face: String
        var language: String
        var direction: String
        /// Milliseconds without a word from the node after which the page says that it is stale.
        var staleAfter: Int64
        var words: [String: Words]
        var entries: [EntryContent]
    }

    /// A string as the page fills it in: plain, or in the plural forms of its language.
    private enum Words: Encodable {
        case text(String)
        case forms([String: String])

        /// What the page says by itself: of its own connection, of an answer, of the age of what it shows.
        static let keys: [Strings.Key] = [
            .lastHeardSeconds, .lastHeardMinutes, .lastHeardHours, .pageLost, .pending, .refusedSuperseded,
            .refusedStalePhase, .refusedExpired, .refusedNotAllowed, .refusedInvalid, .refusedBusy, .noAnswer,
            .noSession, .notPermitted, .timeLeft, .timePassed,
        ]

        static func table(of strings: Strings) -> [String: Words] {
            Dictionary(
                uniqueKeysWithValues: keys.map { key in
                    guard case .plural(let forms) = strings.entry(key) else {
                        return (key.rawValue, .text(strings[key]))
                    }
                    return (
                        key.rawValue,
                        .forms(Dictionary(uniqueKeysWithValues: forms.map { ($0.key.rawValue, $0.value) }))
                    )
                })
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .forms(let forms): try container.encode(forms)
            }
        }
    }

    private struct EntryContent: Encodable {
        var from: Int64
        var status: String
        var idle: String?
        var session: String?
        var phase: Int?
        var count: CountContent?
        var pads: Bool
        var sign: String
        var widest: String
        var icon: String?
        var emoji: String?
        var tint: String
        var rests: Bool
        var title: String
        var label: LabelContent?
        var state: String
        var indicator: String?
        var calm: String?
        var trend: String?
        var debt: String?
        var ends: String?
        var buttons: [ButtonContent]
        var notices: [NoticeContent]
        var spoken: String

        init(_ entry: Entry, strings: Strings) {
            let screen = entry.screen
            from = entry.from
            status = screen.status?.rawValue ?? "idle"
            idle = screen.isIdle ? screen.idleText : nil
            session = entry.session?.rawValue
            phase = entry.session == nil ? nil : entry.phase
            count = entry.count.map(CountContent.init)
            pads = screen.face.padsMinutes
            sign = screen.time.hasPrefix(TimeText.approximateSign) ? TimeText.approximateSign : ""
            widest = screen.widestTime
            icon = screen.icon.path
            emoji = screen.emoji
            tint = screen.tint.description
            rests = screen.isBreak
            title = screen.title
            label = screen.label.map { LabelContent(name: $0.name, colour: $0.colour.description) }
            state = screen.stateText
            indicator = screen.indicatorBelowHeading
            calm = screen.calmText
            trend = screen.calmTrend?.rawValue
            debt = screen.debtText
            ends = screen.endsAt
            buttons = screen.buttons.map { ButtonContent($0) }
            notices = screen.notices.map { NoticeContent($0, at: entry.from) }
            let seconds = entry.count.map { count in
                Int((count.length.map { $0 - count.elapsed } ?? count.elapsed) / 1_000)
            }
            spoken = screen.spoken(seconds: seconds, strings: strings)
        }
    }

    private struct CountContent: Encodable {
        var anchor: Int64
        var elapsed: Int64
        var length: Int64?
        var runs: Bool

        init(_ count: Count) {
            anchor = count.anchor
            elapsed = count.elapsed
            length = count.length
            runs = count.isRunning
        }
    }

    private struct LabelContent: Encodable {
        var name: String
        var colour: String
    }

    private struct ButtonContent: Encodable {
        var op: String
        var seconds: Int?
        var text: String

        init(_ button: Button) {
            op = button.operation.name.rawValue
            if case .extend(let added) = button.operation { seconds = added }
            text = button.text
        }
    }

    private struct NoticeContent: Encodable {
        var kind: String
        var text: String
        /// Since when nothing was heard, on the node's boot clock: the page keeps the text up to date.
        var since: Int64?

        init(_ notice: Screen.Notice, at boot: Int64) {
            kind = notice.kind.rawValue
            text = notice.text
            if notice.kind == .stale { since = notice.since }
        }
    }
}
