// SPDX-License-Identifier: Apache-2.0

public import Session

/// All of a node that displays on its machine draw.
public struct NodeView: Hashable, Sendable {
    /// The session.
    public var view: View
    /// How calm it was in the session; `nil` where nobody said so.
    public var calm: CalmFeed?
    /// Minutes that are missing to the week's goal, negative where more was done; `nil` where nobody counts them.
    public var debtMinutes: Int?
    /// Whether the clock of the machine is wrong.
    public var isClockWrong: Bool
    /// Whether the last change is not on the machine's disk.
    public var isUnsaved: Bool
    /// Whether the node was given no broker, so that it lacks no connection.
    public var worksAlone: Bool

    /// Puts it together.
    /// - Parameter groupTime: The present, for what the feeds say that goes on.
    public init(
        _ view: View, feeds: Feeds = Feeds(), isClockWrong: Bool = false, isUnsaved: Bool = false,
        worksAlone: Bool = false,
        at groupTime: Int64 = 0
    ) {
        self.view = view
        calm = feeds.calm(of: view.register?.id)
        debtMinutes = feeds.debtMinutes(at: groupTime)
        self.isClockWrong = isClockWrong
        self.isUnsaved = isUnsaved
        self.worksAlone = worksAlone
    }

    /// The view for another program on this machine, as ``View/json()``, with what goes beside it.
    public func json() -> [UInt8] {
        JSONWriter.payload(capacity: 2_048) { writer in
            view.writeFields(to: &writer)
            if let calm { writer.field("calm") { calm.writeFields(to: &$0) } }
            if let debtMinutes { writer.field("debtMinutes", debtMinutes) }
            if isClockWrong { writer.field("clockWrong", true) }
            if isUnsaved { writer.field("unsaved", true) }
            if worksAlone { writer.field("alone", true) }
        }
    }

    /// Reads what ``json()`` wrote; without what goes beside the view where an older program wrote it.
    /// - Throws: ``Rejection`` when the bytes are not a view of this version, or something is out of bounds.
    public init(json: [UInt8]) throws(Rejection) {
        self.init(try View(json: json))
        var found = self
        _ = try ProtocolVersion.document(json) { reader throws(Rejection) in
            var fields = try reader.object()
            while let key = try reader.key(&fields) {
                switch key {
                case "calm": found.calm = try reader.null() ? nil : CalmFeed(fields: &reader)
                case "debtMinutes":
                    found.debtMinutes =
                        try reader.null() ? nil : Int(reader.integer(in: DebtFeed.bounds, "debtMinutes"))
                case "clockWrong": found.isClockWrong = try reader.bool()
                case "unsaved": found.isUnsaved = try reader.bool()
                case "alone": found.worksAlone = try reader.bool()
                default: try reader.skip()
                }
            }
            return true
        }
        self = found
    }
}
