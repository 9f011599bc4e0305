// SPDX-License-Identifier: Apache-2.0

package import Session
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
    /// Notes why the node cannot listen at an address of its pages; `nil` once it listens.
    func note(_ problem: ProblemReport?, ofPageAt address: String) async
}

extension NodeAccess {
    /// Starts a session by a request, with the presets of the node and the sessions that it has seen.
    package func start(_ request: StartRequest) async throws(RequestError) -> ReplyReport {
        let shown = await snapshot()
        let wanted = try request.resolved(at: shown.groupTime, recent: shown.recent, utcOffset: shown.utcOffset)
        guard wanted.again != true else {
            return ReplyReport(
                noSession: shown.recent.contains { $0.stop != nil }
                    ? "nothing is left of the session that was stopped last, or a later one has gone on with it; "
                        + "start a new one with lockstep start"
                    : "this node has seen no session that was stopped; start one with lockstep start")
        }
        return await ask(.start(try wanted.start(preset: try shown.preset(of: wanted))))
    }

    /// Sends a press, and names the field for which the owner refused it as invalid.
    package func send(_ press: Press) async throws(RequestError) -> ReplyReport {
        var reply = await ask(.press(press))
        guard reply.reason == Refusal.invalid.rawValue else { return reply }
        switch press.operation {
        case .extend: reply.field = "seconds"
        case .correct(_, label: nil, .some):
            throw RequestError("colour", "is the colour of a label, and the session has none; give a label too")
        default: break
        }
        return reply
    }
}
