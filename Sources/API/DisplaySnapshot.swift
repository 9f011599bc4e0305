// SPDX-License-Identifier: Apache-2.0

package import Session
import Wire

/// Everything that displays show, at one instant.
package struct DisplaySnapshot: Sendable {
    package var nodeView: NodeView
    package var boot: BootTime
    package var groupTime: GroupTime
    package var feeds: Feeds
    /// The sessions that the node has seen, the latest first.
    package var recent: [RecentSession]
    /// The presets of the node, in the order in which displays offer them.
    package var presets: [Preset]
    /// Returns the node's UTC offset in seconds, positive to the east, at a time in milliseconds since 1970.
    package var utcOffset: @Sendable (Int64) -> Int

    /// Returns the ledger's UTC offset in seconds at a time: the node's, moved by their present difference.
    package func ledgerOffset(_ time: Int64) -> Int {
        guard let feed = feeds.week, let offset = feed.week?.offset else { return utcOffset(time) }
        return utcOffset(time) + offset - utcOffset(feed.at.milliseconds)
    }

    /// Returns the preset that a request names; `nil` if it names none.
    func preset(of request: StartRequest) throws(RequestError) -> Preset? {
        guard let name = request.preset else { return nil }
        if let preset = presets.first(where: { $0.name == name }) { return preset }
        let names = presets.isEmpty ? "none" : presets.map(\.name).sorted().joined(separator: ", ")
        throw RequestError(
            "preset", "no preset is named “\(name)”; presets are \(names), as read when the node started")
    }

    package init(
        _ nodeView: NodeView, boot: BootTime, groupTime: GroupTime, feeds: Feeds, recent: [RecentSession] = [],
        presets: [Preset] = [], utcOffset: @escaping @Sendable (Int64) -> Int
    ) {
        self.nodeView = nodeView
        self.boot = boot
        self.groupTime = groupTime
        self.feeds = feeds
        self.recent = recent
        self.presets = presets
        self.utcOffset = utcOffset
    }
}
