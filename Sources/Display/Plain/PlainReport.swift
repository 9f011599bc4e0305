// SPDX-License-Identifier: Apache-2.0

package import API
import FoundationEssentials
package import Session
package import Wire

/// A plain topic: its name below `lockstep/1/<space>/plain/`. Each is retained, and absent where there is no value.
package enum PlainTopic: String, CaseIterable, Sendable {
    case state, title, label, phase, owner
    case endsAt = "ends_at"
    case remaining, progress, calm, debt, streak, nodes, draft, json
}

/// The session as plain topics, and as the JSON of one of them. Texts are empty, and numbers `nil`, where there is no value.
package struct PlainReport: Hashable, Sendable, Described {
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
    /// The title of the live session, else that which the next start without a title gets.
    package var draft = ""

    private init() {}

    package static let blank = PlainReport()

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("state", &state, .string)
        try form.field("title", &title, .string)
        try form.field("label", &label, .string)
        try form.field("phase", &phase, .string)
        try form.field("owner", &owner, .string)
        try form.field("ends_at", &endsAt, .string)
        try form.field("remaining", nullable: &remaining, .whole(), "Seconds.")
        try form.field("progress", nullable: &progress, .percent, "Of the phase.")
        try form.field("calm", nullable: &calm, .percent, "Of the session.")
        try form.field("debt", nullable: &debt, .whole(), "Minutes.")
        try form.field("streak", nullable: &streak, .whole(), "Days.")
        try form.field("nodes", &nodes, .whole())
        try form.field("alarm", &alarm, .bool)
        try form.field("can", &can, .list(of: .string, 0...20))
        try form.field("session", &session, .string)
        try form.field("draft", &draft, .string)
    }

    /// Returns what a topic holds; empty where there is no value.
    package func payload(of topic: PlainTopic) -> [UInt8] {
        func text(_ number: Int?) -> String { number.map(String.init) ?? "" }
        let value =
            switch topic {
            case .state: state
            case .title: title
            case .label: label
            case .phase: phase
            case .owner: owner
            case .endsAt: endsAt
            case .remaining: text(remaining)
            case .progress: text(progress)
            case .calm: text(calm)
            case .debt: text(debt)
            case .streak: text(streak)
            case .nodes: text(nodes)
            case .draft: draft
            case .json: ""
            }
        return topic == .json ? encoded : Array(value.utf8)
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
        if register.status == .running, !moment.isBeyond { endsAt = register.endsAt.map(Self.iso) ?? "" }
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
