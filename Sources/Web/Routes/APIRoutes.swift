// SPDX-License-Identifier: Apache-2.0

package import API
package import Hummingbird
import NIOCore
import ServiceLifecycle
import Session
import Wire

/// The JSON routes, served on the Unix socket and on the network.
struct APIRoutes: Sendable {
    let node: any NodeAccess
    /// The open streams, which are limited; `nil` on the Unix socket.
    var streams: EventStreams?
    var bodyTimeout = Timeouts().body

    func addRoutes(to routes: Routes) {
        routes.get(
            "/v1/session",
            Route("The current session.", [.json("The session, or idle.") { $0.reference(to: StatusReport.self) }])
        ) { _, _ in .json(await node.status().encoded) }
        routes.get(
            "/v1/nodes",
            Route("The nodes of the space.", [.json("The nodes, by name.") { $0.list(of: NodeReport.self) }])
        ) { _, _ in .json(await node.nodes().encoded) }
        routes.get(
            "/v1/events",
            Route(
                "The current view and each later one, for programs. The passing of time sends no event. "
                    + "Over the network a comment is sent every \(Timeouts().beat.components.seconds) seconds.",
                [
                    .ok("text/event-stream", "Server-sent events named view."),
                    .problem(503, "Too many event streams are open, as for /v1/timeline."),
                ])
        ) { request, context in try await events(request, context) }
        // Swift 6.3.1 crashes when it optimises closures that do this work themselves. Remove the methods when a
        // later compiler accepts such closures.
        routes.post(
            "/v1/start", .press("Starts a session on this node, which ends every earlier one.", StartRequest.self)
        ) { request, context in try await start(request, context) }
        routes.post(
            "/v1/intents", .press("Sends an operation to the owner of the current session.", IntentRequest.self)
        ) { request, context in try await intent(request, context) }
        routes.post(
            "/v1/take", .press("Takes the current session over to this node.", EmptyRequest.self)
        ) { request, context in try await take(request, context) }
        routes.post("/v1/ok", .press("Ends the alarm on every device.", EmptyRequest.self)) { request, context in
            try await acknowledge(request, context)
        }
        routes.post("/v1/message", .press("Shows a text on all screens.", MessageRequest.self)) { request, context in
            try await say(request, context)
        }
        routes.post(
            "/v1/debt",
            .action(
                "Adds a session that no node recorded to the ledger, also while the debt service is away.",
                AddRequest.self,
                [.reply(200, "Saved on this node, which sends it."), .problem(503, "The node cannot save it.")])
        ) { request, context in try await add(request, context) }
        routes.post(
            "/v1/sound",
            .action(
                "Publishes a sound level for the calm service, from a program with its own sound input.",
                SoundRequest.self,
                [
                    Route.Answer(status: 204, about: "Published."),
                    .problem(503, "The node is not connected to a broker."),
                ])
        ) { request, context in try await sound(request, context) }
    }

    private func start(_ request: Request, _ context: WebContext) async throws -> Response {
        let asked = try StartRequest(request: try await context.body(of: request, within: bodyTimeout))
        do throws(RequestError) {
            return Self.answer(try await node.start(asked))
        } catch {
            // The node has no preset of that name.
            guard error.field == "preset" else { throw error }
            return .json(ReplyReport(error).encoded, status: .notFound)
        }
    }

    private func intent(_ request: Request, _ context: WebContext) async throws -> Response {
        let wanted = try IntentRequest(request: try await context.body(of: request, within: bodyTimeout))
        return Self.answer(try await node.send(try wanted.press()))
    }

    private func take(_ request: Request, _ context: WebContext) async throws -> Response {
        _ = try EmptyRequest(body: try await context.body(of: request, within: bodyTimeout))
        return Self.answer(await node.ask(.take))
    }

    private func acknowledge(_ request: Request, _ context: WebContext) async throws -> Response {
        _ = try EmptyRequest(body: try await context.body(of: request, within: bodyTimeout))
        return Self.answer(await node.ask(.acknowledge))
    }

    private func say(_ request: Request, _ context: WebContext) async throws -> Response {
        let wanted = try MessageRequest(request: try await context.body(of: request, within: bodyTimeout)).checked()
        return Self.answer(await node.ask(.say(wanted.text, for: wanted.life)))
    }

    private func add(_ request: Request, _ context: WebContext) async throws -> Response {
        let wanted = try AddRequest(request: try await context.body(of: request, within: bodyTimeout))
        let shown = await node.snapshot()
        let session = try wanted.session(
            at: shown.groupTime, labels: (shown.feeds.week?.week?.labels ?? []).compactMap(\.label),
            utcOffset: shown.ledgerOffset)
        do {
            return Self.answer(try await node.add(session))
        } catch {
            throw HTTPProblem(.serviceUnavailable, "the session is not saved: \(error)")
        }
    }

    /// Publishes a level. The calm service does not acknowledge it; a lost one is a gap.
    private func sound(_ request: Request, _ context: WebContext) async throws -> Response {
        let wanted = try SoundRequest(request: try await context.body(of: request, within: bodyTimeout))
        guard await node.publish(wanted.sound) else {
            throw HTTPProblem(.serviceUnavailable, "the node has no connection to a broker")
        }
        return Response(status: .noContent)
    }

    /// Returns a stream of server-sent events: the current view and each later one. Time alone sends no event.
    private func events(_ request: Request, _ context: WebContext) async throws -> Response {
        let viewer = EventStreams.Viewer(context)
        if let streams { try await streams.checkRoom(for: viewer) }
        let snapshots = await node.snapshots()
        return .eventStream(for: request) { [streams, channel = context.channel] writer in
            // An empty write sends the response head.
            try await writer.write(ByteBuffer())
            if let streams, await !streams.joinAPI(viewer, on: channel) { return }
            for await snapshot in snapshots.cancelOnGracefulShutdown() {
                try await writer.write(.event("view", data: snapshot.nodeView.json()))
            }
        }
    }

    private static func answer(_ reply: ReplyReport) -> Response {
        .json(reply.encoded, status: status(of: reply))
    }

    private static func status(of reply: ReplyReport) -> HTTPResponse.Status {
        switch reply.outcome {
        case .applied, .duplicate, .noop: .ok
        case .refused: .conflict
        case .noAnswer: .gatewayTimeout
        case .noSession: .notFound
        case .invalid: .unprocessableContent
        case .failed: .serviceUnavailable
        }
    }
}

extension RequestError: HTTPResponseError {
    package var status: HTTPResponse.Status { .unprocessableContent }

    package func response(from request: Request, context: some RequestContext) -> Response {
        HTTPProblem(status, field: field, message).response(from: request, context: context)
    }
}
