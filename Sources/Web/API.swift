// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore
import ServiceLifecycle
import Session
import Wire

/// The routes of the HTTP API, whatever they are served on.
struct API: Sendable {
    let node: any NodeAccess

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/v1/session") { _, _ in Self.json(ReportJSON.encode(await node.status())) }
        router.get("/v1/nodes") { _, _ in Self.json(ReportJSON.encode(await node.nodes())) }
        router.get("/v1/events") { _, _ in await events() }
        router.post("/v1/start") { request, _ in await start(request) }
        router.post("/v1/intents") { request, _ in await intent(request) }
        router.post("/v1/take") { request, _ in await take(request) }
        return router
    }

    private func start(_ request: Request) async -> Response {
        do throws(RequestError) {
            let body = try await body(of: request)
            let wanted: StartRequest = try ReportJSON.decode(from: body)
            let plan = try await plan(ofPreset: wanted.preset)
            return Self.answer(await node.start(try wanted.start(presetPlan: plan)))
        } catch {
            return Self.invalid(error)
        }
    }

    private func plan(ofPreset name: String?) async throws(RequestError) -> [Phase]? {
        guard let name else { return nil }
        switch await node.preset(name) {
        case .found(let phases): return phases
        case .unknown(let names):
            throw RequestError(
                "preset", "there is no preset “\(name)”; presets are \(names.joined(separator: ", "))")
        }
    }

    private func intent(_ request: Request) async -> Response {
        do throws(RequestError) {
            let body = try await body(of: request)
            let wanted: IntentRequest = try ReportJSON.decode(from: body)
            return Self.answer(await node.press(try wanted.press()))
        } catch {
            return Self.invalid(error)
        }
    }

    private func take(_ request: Request) async -> Response {
        do throws(RequestError) {
            _ = try TakeRequest(body: try await body(of: request))
            return Self.answer(await node.take())
        } catch {
            return Self.invalid(error)
        }
    }

    /// A stream of server-sent events: the view, and each later one. Nothing is sent while time merely passes.
    private func events() async -> Response {
        let views = await node.views()
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                for await view in views.cancelOnGracefulShutdown() {
                    var event = ByteBuffer(string: "event: view\ndata: ")
                    event.writeBytes(view.json())
                    event.writeStaticString("\n\n")
                    try await writer.write(event)
                }
                try await writer.finish(nil)
            }
        )
    }

    private func body(of request: Request) async throws(RequestError) -> [UInt8] {
        do {
            return Array(try await request.body.collect(upTo: Limits.payloadBytes).readableBytesView)
        } catch {
            throw RequestError("", "a request has at most \(Limits.payloadBytes) bytes")
        }
    }

    private static func answer(_ reply: Reply) -> Response {
        json(ReportJSON.encode(ReplyReport(reply)), status: status(of: reply))
    }

    private static func invalid(_ error: RequestError) -> Response {
        json(ReportJSON.encode(ReplyReport(error)), status: .unprocessableContent)
    }

    private static func status(of reply: Reply) -> HTTPResponse.Status {
        switch reply {
        case .answered(let answer):
            if case .refused = answer.outcome { .conflict } else { .ok }
        case .noAnswer: .gatewayTimeout
        case .noSession: .notFound
        case .invalid: .unprocessableContent
        }
    }

    private static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
