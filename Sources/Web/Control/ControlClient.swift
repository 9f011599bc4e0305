// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix
import Session
public import Wire

/// The other end of a ``ControlServer``: what command lines and displays use on the node's machine.
public struct ControlClient: Sendable {
    /// Longer than a node waits for the owner of a session.
    private static let patience = Duration.seconds(8)

    /// The socket's path.
    public let path: String

    /// Makes a client of the node that listens at `path`; each call connects anew.
    public init(path: String) { self.path = path }

    /// Whether somebody listens on the socket at `path`.
    public static func isServed(_ path: String) -> Bool { UnixSocket.isServed(path) }

    /// The session as it stands now.
    public func status() async throws(ControlError) -> StatusReport { try await request(.GET, "/v1/session") }

    /// The nodes that were heard of.
    public func nodes() async throws(ControlError) -> NodesReport { try await request(.GET, "/v1/nodes") }

    /// Where the node serves its kiosk page, with the keys that open it.
    public func kiosk() async throws(ControlError) -> KioskReport { try await request(.GET, "/v1/kiosk") }

    /// Starts a session on the node.
    public func start(_ start: StartRequest) async throws(ControlError) -> ReplyReport {
        try await request(.POST, "/v1/start", body: ReportJSON.encode(start))
    }

    /// Asks something of the current session.
    public func press(_ intent: IntentRequest) async throws(ControlError) -> ReplyReport {
        try await request(.POST, "/v1/intents", body: ReportJSON.encode(intent))
    }

    /// Moves the current session to the node.
    public func take() async throws(ControlError) -> ReplyReport {
        try await request(.POST, "/v1/take", body: ReportJSON.encode(TakeRequest()))
    }

    /// Hands over the view and each later one, until the node ends or the task is cancelled.
    public func views(_ body: (NodeView) async throws -> Void) async throws {
        try await exchange(.GET, "/v1/events", body: []) { responses in
            var pending: [UInt8] = []
            for try await part in responses {
                guard case .body(let buffer) = part else { continue }
                pending += buffer.readableBytesView
                while let end = pending.firstRange(of: [10, 10]) {
                    let event = pending[..<end.lowerBound]
                    pending.removeSubrange(..<end.upperBound)
                    if let data = event.firstRange(of: Array("data: ".utf8)) {
                        try await body(try NodeView(json: Array(event[data.upperBound...])))
                    }
                }
            }
        }
    }

    private func request<Report: Decodable>(
        _ method: HTTPMethod, _ uri: String, body: [UInt8] = []
    ) async throws(ControlError) -> Report {
        let answer: [UInt8]?
        do {
            answer = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await exchanged(method, uri, body: body) }
                group.addTask {
                    try await Task.sleep(for: Self.patience)
                    return nil
                }
                return try await group.next() ?? nil
            }
        } catch let error as ControlError {
            throw error
        } catch {
            throw .noAnswer(path)
        }
        // An empty one: the node has ended meanwhile.
        guard let answer, !answer.isEmpty else { throw .noAnswer(path) }
        do throws(RequestError) {
            return try ReportJSON.decode(from: answer)
        } catch {
            throw .badAnswer("\(uri): \(error)")
        }
    }

    private func exchanged(_ method: HTTPMethod, _ uri: String, body: [UInt8]) async throws -> [UInt8] {
        var answer: [UInt8] = []
        try await exchange(method, uri, body: body) { responses in
            for try await part in responses {
                switch part {
                case .head(let head) where head.status == .notFound && method == .GET:
                    throw ControlError.badAnswer("it does not know \(uri); is it an older program?")
                case .body(let buffer): answer += buffer.readableBytesView
                case .end: return
                default: break
                }
            }
        }
        return answer
    }

    private func exchange(
        _ method: HTTPMethod, _ uri: String, body: [UInt8],
        _ read: (NIOAsyncChannelInboundStream<HTTPClientResponsePart>) async throws -> Void
    ) async throws {
        let channel: NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>
        do {
            channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw ControlError.unreachable(path)
        }
        try await channel.executeThenClose { inbound, outbound in
            var head = HTTPRequestHead(version: .http1_1, method: method, uri: uri)
            head.headers.add(name: "host", value: "localhost")
            if !body.isEmpty {
                head.headers.add(name: "content-type", value: "application/json")
                head.headers.add(name: "content-length", value: String(body.count))
            }
            try await outbound.write(.head(head))
            if !body.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
            try await outbound.write(.end(nil))
            try await read(inbound)
        }
    }
}
