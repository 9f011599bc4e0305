// SPDX-License-Identifier: Apache-2.0

package import API
package import Session

/// A session that a display offers to start with one press.
package struct Offer: Hashable, Sendable, JSONWritable {
    package var text: Localized
    /// The plan in short, as "4 × 25 min"; empty if ``text`` says it.
    package var detail: Localized
    package var label: LabelReport?
    package var emoji: Localized?
    package var request: StartRequest
    /// The time until it is no longer offered; `nil` if it stays.
    package var lasts: Milliseconds?

    package var json: JSONText {
        [
            "text": text.json, "detail": detail.json, "label": label.map { JSONText($0) }, "emoji": emoji?.json,
            "request": JSONText(request), "lasts": lasts?.count.json,
        ]
    }
}

extension Offer {
    /// How long after a stop a page offers to go on with the session.
    private static let lasting: Milliseconds = .minutes(10)

    package init(_ preset: Preset, strings: Strings) {
        self.init(
            text: .userText(preset.name),
            detail: Self.short(preset.plan.map { ($0.kind.isBreak, $0.seconds) }, strings),
            request: StartRequest(preset: preset.name))
    }

    init(again session: RecentSession, strings: Strings) {
        let start = session.start
        let phases = (start.phases ?? []).map { phase in
            (phase.kind.flatMap(PhaseKind.init(rawValue:))?.isBreak == true, phase.seconds)
        }
        let plan = phases.isEmpty ? strings[.countUp] : Self.short(phases, strings)
        let name = start.title ?? start.label
        self.init(
            text: name.map(Localized.userText) ?? plan, detail: name == nil ? "" : plan,
            label: start.label.map { LabelReport(name: $0, colour: start.colour) },
            emoji: start.icon.flatMap { Icon.isEmoji($0) ? .userText($0) : nil }, request: start)
    }

    /// Creates the offer to go on with the session that was stopped last. `nil` if there is none, or its time is over.
    init?(continuing recent: [RecentSession], at groupTime: GroupTime, strings: Strings) {
        guard let session = recent.lastStopped, let stop = session.stop else { return nil }
        let left = stop.at + Self.lasting - groupTime
        guard left > 0 else { return nil }
        self.init(again: session, strings: strings)
        text = strings.text(.goOn, ["name": text])
        let rest = strings.text(.left, ["time": TimeText.text(seconds: stop.left, padded: false)])
        detail = session.start.phases == nil ? "" : rest
        request = StartRequest(again: true)
        lasts = left
    }

    static func focus(_ strings: Strings) -> Offer {
        let seconds = SessionDefaults().focus
        return Offer(
            text: strings.text(.shortMinutes, count: seconds / 60), detail: "", request: StartRequest(seconds: seconds))
    }

    static func countUp(_ strings: Strings) -> Offer {
        Offer(text: strings[.countUp], detail: "", request: StartRequest(mode: .countup))
    }

    /// Returns a plan as "4 × 25 min" if it repeats one length, else its whole length.
    private static func short(_ phases: [(isBreak: Bool, seconds: Int)], _ strings: Strings) -> Localized {
        let lengths = phases.filter { !$0.isBreak }.map(\.seconds)
        if let first = lengths.first, lengths.count > 1, first % 60 == 0, Set(lengths).count == 1 {
            return "\(lengths.count) × \(strings.text(.shortMinutes, count: first / 60))"
        }
        let whole = phases.reduce(0) { $0 + $1.seconds }
        return strings.text(.shortMinutes, count: (whole + 59) / 60)
    }
}
