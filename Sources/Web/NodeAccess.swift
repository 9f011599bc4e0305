// SPDX-License-Identifier: Apache-2.0

public import Display
public import Session
public import Wire

/// What the HTTP API needs of a node.
public protocol NodeAccess: Sendable {
    /// Starts a session here.
    func start(_ start: Start) async -> ReplyReport
    /// Asks something of the current session.
    func press(_ press: Press) async -> ReplyReport
    /// Moves the current session here.
    func take() async -> ReplyReport
    /// Says for the calm service how loud it is here.
    /// - Returns: Whether there is a broker to tell.
    func hear(_ level: SoundLevel) async -> Bool
    /// The session as it stands now.
    func status() async -> StatusReport
    /// The nodes that were heard of.
    func nodes() async -> NodesReport
    /// The view and every later one; again when something else that displays show has changed.
    func views() async -> AsyncStream<View>
    /// All that displays show, at one instant.
    func shown() async -> Shown
    /// What the node has counted since it began.
    func metrics() async -> NodeMetrics
    /// The plan of a preset, or the names that there are.
    func preset(_ name: String) async -> PresetLookup
}

/// All that displays show, at one instant.
public struct Shown: Sendable {
    /// The session.
    public var view: View
    /// The node's boot clock, in milliseconds.
    public var boot: Int64
    /// Group time then, in milliseconds since 1970.
    public var groupTime: Int64
    /// The node.
    public var node: NodeID
    /// What the services have said last.
    public var feeds: Feeds
    /// Whether the clock of the node's machine is wrong.
    public var isClockWrong: Bool
    /// Whether the last change is not on the machine's disk.
    public var isUnsaved: Bool
    /// Whether the node was given no broker, so that it lacks no connection.
    public var worksAlone: Bool
    /// Seconds that the node's place is ahead of UTC at a time given in milliseconds since 1970.
    public var utcOffset: @Sendable (Int64) -> Int

    /// Puts it together.
    public init(
        view: View, boot: Int64, groupTime: Int64, node: NodeID, feeds: Feeds, isClockWrong: Bool,
        isUnsaved: Bool = false, worksAlone: Bool = false, utcOffset: @escaping @Sendable (Int64) -> Int
    ) {
        self.view = view
        self.boot = boot
        self.groupTime = groupTime
        self.node = node
        self.feeds = feeds
        self.isClockWrong = isClockWrong
        self.isUnsaved = isUnsaved
        self.worksAlone = worksAlone
        self.utcOffset = utcOffset
    }

    var nodeView: NodeView {
        NodeView(
            view, feeds: feeds, isClockWrong: isClockWrong, isUnsaved: isUnsaved, worksAlone: worksAlone, at: groupTime)
    }

    /// What a screen depends on besides the session.
    func options(strings: Strings, isReadOnly: Bool) -> ScreenOptions {
        var options = ScreenOptions(strings: strings, node: node, isReadOnly: isReadOnly, utcOffset: utcOffset)
        options.take(nodeView)
        return options
    }
}

extension ScreenOptions {
    /// Takes over what goes beside the session.
    public mutating func take(_ node: NodeView) {
        calm = node.calm.map(Calm.init)
        debtMinutes = node.debtMinutes
        isClockWrong = node.isClockWrong
        isUnsaved = node.isUnsaved
        worksAlone = node.worksAlone
    }
}

extension Calm {
    /// What the feed says, as far as enough was heard.
    fileprivate init(_ feed: CalmFeed) {
        let isKnown = feed.coverage >= CalmFeed.enoughCoverage
        self.init(
            percent: isKnown ? feed.percent : nil,
            trend: isKnown ? feed.trend.flatMap { Trend(rawValue: $0.rawValue) } : nil)
    }
}

/// What came of looking for a preset.
public enum PresetLookup: Sendable {
    /// Its plan.
    case found([Phase])
    /// There is none of that name; these there are.
    case unknown(names: [String])
}
