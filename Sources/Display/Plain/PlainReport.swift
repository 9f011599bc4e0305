// SPDX-License-Identifier: Apache-2.0

package import API
import FoundationEssentials
package import Session
import Wire

/// The session as plain topics, and as the JSON of one of them. Where there is no value, texts are empty, and numbers
/// `nil`.
package struct PlainReport: Hashable, Sendable {
    /// `idle`, `stale`, or the status of the register.
    package var state = "idle"
    package var title = ""
    package var label = ""
    /// The name of the current phase, else its kind.
    package var phase = ""
    package var owner = ""
    /// When the running phase ends, in ISO 8601.
    package var endsAt = ""
    /// The whole seconds that a phase that is paused or ready has left.
    package var remaining: Int?
    /// The percent of the phase that had passed at its latest full minute; `nil` unless asked for.
    package var progress: Int?
    package var calm: Int?
    package var debt: Int?
    package var streak: Int?
    package var nodes = 0
    /// Whether an alarm waits for a person.
    package var alarm = false
    /// The commands that have an effect now.
    package var can: [String] = []
    package var session = ""
    /// The title of the live session, else the title that the next start gets if it has none.
    package var draft = ""

    /// The values of the topics that hold a text.
    private var texts: [PlainTopic: String] {
        [.state: state, .title: title, .label: label, .phase: phase, .owner: owner, .endsAt: endsAt, .draft: draft]
    }
    private var numbers: [PlainTopic: Int?] {
        [.remaining: remaining, .progress: progress, .calm: calm, .debt: debt, .streak: streak, .nodes: nodes]
    }

    /// Returns what a topic holds; empty where there is no value.
    package func payload(of topic: PlainTopic) -> [UInt8] {
        let (texts, numbers) = (texts, numbers)
        guard topic == .json else {
            return Array((texts[topic] ?? numbers[topic]?.map(String.init) ?? "").utf8)
        }
        let values: [(String, JSONText?)] = PlainTopic.allCases.map { topic in
            (topic.rawValue, texts[topic]?.json ?? numbers[topic]?.json)
        }
        let more: [(String, JSONText?)] = [("alarm", alarm.json), ("can", can.json), ("session", session.json)]
        return Array(JSONText(values + more).text.utf8)
    }
}

extension PlainReport {
    /// Describes what a node shows at an instant of its boot clock.
    package init(
        _ shown: DisplaySnapshot, at boot: BootTime, online: Int, draft: String, showsProgress: Bool
    ) {
        let node = shown.nodeView
        (nodes, debt, streak, self.draft) = (online, node.debtMinutes, node.week?.streak, draft)
        let moment = node.view.moment(at: boot)
        can = Self.commands(moment, node)
        guard let moment else { return }
        let register = moment.register
        state = moment.staleFor == nil ? register.status.rawValue : "stale"
        title = register.title
        label = register.label?.name ?? ""
        phase = register.currentPhase.name ?? register.currentPhase.kind.rawValue
        owner = register.owner.rawValue
        session = register.id.rawValue
        alarm = moment.alarm != nil
        calm = node.calm?.ifKnown?.percent
        if register.status.isLive { self.draft = register.title }
        guard register.mode == .countdown else { return }
        if register.status == .running, !moment.isInOvertime { endsAt = register.endsAt.map(Self.iso) ?? "" }
        if register.status == .paused || register.status == .ready { remaining = moment.shownSeconds }
        if showsProgress, register.status.isLive {
            let minutes = moment.elapsed.count / 60_000
            progress = Int(min(100, minutes * 6_000_000 / max(register.currentPhase.length.count, 1)))
        }
    }

    /// Returns when time alone changes the report next; `nil` for never.
    package static func nextChange(
        of shown: DisplaySnapshot, after boot: BootTime, showsProgress: Bool
    ) -> BootTime? {
        var changes = [shown.nodeView.view.nextEntry(after: boot)]
        if showsProgress, let moment = shown.nodeView.view.moment(at: boot), moment.register.status == .running {
            changes.append(boot + Milliseconds(60_000 - moment.elapsed.count % 60_000))
        }
        return changes.compactMap(\.self).min()
    }

    private static func commands(_ moment: Moment?, _ node: NodeView) -> [String] {
        if node.isReadOnly { return [] }
        let actions = Buttons.allActions(of: moment, canContinue: node.view.isLinked && node.mayOwn)
        var words: [String] = []
        for word in actions.map(PlainCommand.word) where !words.contains(word) { words.append(word) }
        return words + (node.mayOwn ? ["start"] : [])
    }

    private static func iso(_ time: GroupTime) -> String {
        Date(timeIntervalSince1970: (Double(time.milliseconds) / 1_000).rounded()).formatted(.iso8601)
    }
}
