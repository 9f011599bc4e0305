// SPDX-License-Identifier: Apache-2.0

package import Wire

/// The interface of a node that the HTTP API uses.
package protocol NodeAccess: Sendable {
    func ask(_ request: NodeRequest) async -> ReplyReport
    /// Sends a session that no node has recorded to the ledger.
    /// - Throws: The reason why the session is not saved.
    func add(_ session: AddedSession) async throws -> ReplyReport
    /// Publishes a sound level for the calm service, and returns whether the node is connected to a broker.
    func publish(_ level: SoundLevel) async -> Bool
    func status() async -> StatusReport
    func nodes() async -> NodesReport
    func snapshot() async -> DisplaySnapshot
    /// Returns a stream of the present snapshot, and of one after each change.
    func snapshots() async -> AsyncStream<DisplaySnapshot>
    func metrics() async -> NodeMetrics
}
