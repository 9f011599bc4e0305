// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore
import ServiceLifecycle
import Session
import Wire

/// The routes that ask and tell in JSON, on the Unix socket and on the network alike.
struct API: Sendable {
    let node: any NodeAccess
    /// For how long the body of a request may take.
    var patience = Patience().body

    func addRoutes(to router: Router<WebContext>) {
        router.get("/v1/session") { _, _ in Self.json(ReportJSON.encode(await node.status())) }
        router.get("/v1/nodes") { _, _ in Self.json(ReportJSON.encode(await node.nodes())) }
        router.get("/v1/events") { _, _ in await events() }
        router.post("/v1/start") { request, _ in await start(request) }
        router.post("/v1/intents") { request, _ in await intent(request) }
        router.post("/v1/take") { request, _ in await take(request) }
        router.post("/v1/sound") { request, _ in await sound(request) }
    }

    private func start(_ request: Request) async -> Response {
        await Self.answering {
            let wanted: StartRequest = try ReportJSON.decode(from: try await body(of: request))
            let plan = try await plan(ofPreset: wanted.preset)
            return Self.answer(await node.start(try wanted.start(presetPlan: plan)))
        }
    }

    private func plan(ofPreset name: String?) async throws -> [Phase]? {
        guard let name else { return nil }
        switch await node.preset(name) {
        case .found(let phases): return phases
        case .unknown(let names):
            throw Refused(
                .notFound, field: "preset", "there is no preset “\(name)”; presets are \(names.joined(separator: ", "))"
            )
        }
    }

    private func intent(_ request: Request) async -> Response {
        await Self.answering {
            let wanted: IntentRequest = try ReportJSON.decode(from: try await body(of: request))
            return Self.answer(await node.press(try wanted.press()))
        }
    }

    private func take(_ request: Request) async -> Response {
        await Self.answering {
            _ = try TakeRequest(body: try await body(of: request))
            return Self.answer(await node.take())
        }
    }

    /// A level of another program's making. Nobody answers for it: it is heard, or it is a gap.
    private func sound(_ request: Request) async -> Response {
        await Self.answering {
            let said: SoundRequest = try ReportJSON.decode(from: try await body(of: request))
            guard await node.hear(try said.sound()) else {
                throw Refused(.serviceUnavailable, "the node has no connection to a broker")
            }
            return Response(status: .noContent)
        }
    }

    /// A stream of server-sent events: the view, and each later one. Nothing is sent while time merely passes.
    private func events() async -> Response {
        let views = await node.views()
        return .eventStream { writer in
            for await _ in views.cancelOnGracefulShutdown() {
                try await writer.write(.event("view", data: await node.shown().nodeView.json()))
            }
        }
    }

    private func body(of request: Request) async throws -> [UInt8] {
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            defer { group.cancelAll() }
            group.addTask {
                do {
                    return Array(try await request.body.collect(upTo: Limits.payloadBytes).readableBytesView)
                } catch is NIOTooManyBytesError {
                    throw Refused(.contentTooLarge, "a request has at most \(Limits.payloadBytes) bytes")
                }
            }
            group.addTask {
                try await Task.sleep(for: patience)
                throw Refused(.requestTimeout, "the request took longer than \(patience)")
            }
            return try await group.next() ?? []
        }
    }

    private static func answering(_ body: () async throws -> Response) async -> Response {
        do {
            return try await body()
        } catch let error as RequestError {
            return json(ReportJSON.encode(ReplyReport(error)), status: .unprocessableContent)
        } catch let refused as Refused {
            return refused.response
        } catch {
            return Refused(.badRequest, "the request broke off").response
        }
    }

    private static func answer(_ reply: ReplyReport) -> Response {
        json(ReportJSON.encode(reply), status: status(of: reply))
    }

    private static func status(of reply: ReplyReport) -> HTTPResponse.Status {
        switch reply.outcome {
        case .applied, .duplicate, .noop: .ok
        case .refused: .conflict
        case .noAnswer: .gatewayTimeout
        case .noSession: .notFound
        case .invalid: .unprocessableContent
        }
    }

    private static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(bytes, type: "application/json", status: status)
    }
}
