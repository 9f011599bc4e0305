// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The state of a node that displays on its machine show: its view, calm, debt and problems.
package struct NodeView: Hashable, Sendable {
    package var view: View
    /// How calm the session was; `nil` without a result.
    package var calm: CalmFeed?
    /// The minutes missing to the week's goal, negative beyond it; `nil` without a debt service.
    package var debtMinutes: Int?
    /// The week, without its labels; `nil` without a debt service.
    package var week: DebtWeek?
    package var isClockWrong: Bool
    package var isUnsaved: Bool
    /// Whether the node has no broker configured, so that no connection can be lost.
    package var worksAlone: Bool
    /// Whether the node may change nothing, so that its displays have no buttons.
    package var isReadOnly: Bool
    package var mayOwn: Bool
    /// The node's id; `nil` before its first view.
    package var node: NodeID?
    /// The time by which the machine's clock is ahead of group time.
    package var clockAhead: Milliseconds
    /// Other problems of the node, as sentences for a person.
    package var warnings: [String]

    /// Combines a view with the feeds at the present `groupTime`, since a running session changes calm and debt.
    package init(
        _ view: View, feeds: Feeds = Feeds(), isClockWrong: Bool = false, isUnsaved: Bool = false,
        worksAlone: Bool = false, isReadOnly: Bool = false, mayOwn: Bool = true, node: NodeID? = nil,
        clockAhead: Milliseconds = 0, warnings: [String] = [], at groupTime: GroupTime = 0
    ) {
        self.view = view
        calm = feeds.calm(of: view.register?.id)
        debtMinutes = feeds.debtMinutes(at: groupTime)
        week = feeds.week?.week
        week?.labels = []
        self.isClockWrong = isClockWrong
        self.isUnsaved = isUnsaved
        self.worksAlone = worksAlone
        self.isReadOnly = isReadOnly
        self.mayOwn = mayOwn
        self.node = node
        self.clockAhead = clockAhead
        self.warnings = warnings
    }

    /// Returns the view as JSON for another program on this machine, with calm, debt and problems.
    package func json() -> [UInt8] { NodeViewFields(self).payload }

    /// Reads the result of ``json()``.
    package init(json: [UInt8]) throws(PayloadError) {
        let read = try NodeViewFields(payload: json)
        self = read.node
        view.error = read.error.map { ErrorBound(size: $0, at: read.errorAt) }
    }
}

/// The JSON fields of a node's view. Times are of the boot clock, which both programs share.
private struct NodeViewFields: Described {
    /// The node's view without its error bound.
    var node: NodeView
    var error: Milliseconds?
    var errorAt: BootTime?

    init(_ node: NodeView) {
        self.node = node
        error = node.view.error?.size
        errorAt = node.view.error?.at
    }

    package static let blank = NodeViewFields(NodeView(View()))

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("isOwner", &node.view.isOwner, .bool)
        try coder.field("isLinked", &node.view.isLinked, .bool)
        try coder.field("anchorBoot", &node.view.anchorBoot, .past)
        try coder.field("shown", &node.view.shownSinceAnchor, .past, unless: 0)
        try coder.field("error", optional: &error, .past)
        try coder.field("errorAt", optional: &errorAt, .past)
        try coder.field("contactLostAt", optional: &node.view.contactLostAt, .past)
        try coder.field("register", optional: &node.view.register, .payload())
        try coder.field("acknowledgedAt", optional: &node.view.acknowledgedAt, .time)
        try coder.field("message", optional: &node.view.message, .object())
        try coder.field("calm", optional: &node.calm, .object())
        try coder.field("debtMinutes", optional: &node.debtMinutes, .whole(DebtFeed.bounds))
        try coder.field("week", optional: &node.week, .object())
        try coder.field("clockWrong", &node.isClockWrong, .bool, unless: false)
        try coder.field("unsaved", &node.isUnsaved, .bool, unless: false)
        try coder.field("alone", &node.worksAlone, .bool, unless: false)
        try coder.field("readOnly", &node.isReadOnly, .bool, unless: false)
        try coder.field("mayOwn", &node.mayOwn, .bool, unless: true)
        try coder.field("node", optional: &node.node, .node)
        try coder.field("clockAhead", &node.clockAhead, .whole(), unless: 0)
        try coder.field("warnings", &node.warnings, .list(of: .string, 0...8), unless: [])
    }
}

extension Format where Self == WholeFormat<BootTime> {
    /// A reading of the boot clock. It can be negative, since a session can be older than the machine's boot.
    fileprivate static var past: Self {
        let last = Limits.reading.upperBound
        return .whole(BootTime(-last.milliseconds)...last)
    }
}

extension Format where Self == WholeFormat<Milliseconds> {
    /// The time between two readings of the boot clock.
    fileprivate static var past: Self { .whole(-Limits.bound.upperBound...Limits.bound.upperBound) }
}
