// SPDX-License-Identifier: Apache-2.0

package import API
import Platform
import Session
import Wire

/// The client of a node's control socket, for command lines and displays on the node's machine.
///
/// It uses HTTP on a Unix socket, with a connection and a blocking thread for each call.
package struct ControlClient: Sendable {
    /// Milliseconds until an answer counts as missing. A node answers a press after 10 s at the latest, or 11.5 s if it
    /// first asks the others for the session.
    private static let timeout: Int64 = 12_000
    /// The most views that wait for a slow reader.
    private static let waitingViewsLimit = 64

    package let path: String

    package init(path: String) { self.path = path }

    package static func isServed(_ path: String) -> Bool { UnixSocket.isServed(path) }

    package func status() async throws(ControlError) -> StatusReport {
        try await request("GET", "/v1/session", as: .object())
    }

    package func nodes() async throws(ControlError) -> NodesReport {
        NodesReport(try await request("GET", "/v1/nodes", as: NodesReport.format))
    }

    package func kiosk() async throws(ControlError) -> KioskReport {
        try await request("GET", "/v1/kiosk", as: .object())
    }

    package func phones() async throws(ControlError) -> PhonesReport {
        try await request("GET", "/v1/phones", as: .object())
    }

    /// Asks for a link that pairs one phone.
    package func addPhone(_ phone: PhoneRequest) async throws(ControlError) -> PairingCode {
        try await request("POST", "/v1/phones", body: phone.encoded, as: .object())
    }

    package func removePhone(_ phone: PhoneRequest) async throws(ControlError) -> PhonesReport {
        try await request("DELETE", "/v1/phones", body: phone.encoded, as: .object())
    }

    package func start(_ start: StartRequest) async throws(ControlError) -> ReplyReport {
        try await request("POST", "/v1/start", body: start.encoded, as: .object())
    }

    package func press(_ intent: IntentRequest) async throws(ControlError) -> ReplyReport {
        try await request("POST", "/v1/intents", body: intent.encoded, as: .object())
    }

    package func take() async throws(ControlError) -> ReplyReport {
        try await request("POST", "/v1/take", body: EmptyRequest().encoded, as: .object())
    }

    /// Ends the alarm on every device.
    package func acknowledge() async throws(ControlError) -> ReplyReport {
        try await request("POST", "/v1/ok", body: EmptyRequest().encoded, as: .object())
    }

    package func say(_ message: MessageRequest) async throws(ControlError) -> ReplyReport {
        try await request("POST", "/v1/message", body: message.encoded, as: .object())
    }

    package func view() async throws(ControlError) -> NodeView {
        let connection = ControlConnection(path: path)
        return try await Self.blocking(on: connection) { () throws(ControlError) in
            var events = EventReader()
            var view: NodeView?
            try connection.exchange(Self.viewsRequest, timeout: Self.timeout) { status, body throws(ControlError) in
                try Self.checkViews(status)
                if let event = events.read(body).first { view = try Self.view(of: event) }
                return view == nil
            }
            guard let view else { throw .noAnswer(path) }
            return view
        }
    }

    /// Passes the view and each later one to `body`, until the node ends or the task is cancelled.
    ///
    /// If `body` is slow, older views are dropped.
    package func views(_ body: (NodeView) async throws -> Void) async throws {
        let connection = ControlConnection(path: path)
        let (views, feeder) = AsyncThrowingStream.makeStream(
            of: NodeView.self, bufferingPolicy: .bufferingNewest(Self.waitingViewsLimit))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await Thread.run(name: "control") {
                    var events = EventReader()
                    do {
                        try connection.exchange(Self.viewsRequest, timeout: nil) { status, body throws(ControlError) in
                            try Self.checkViews(status)
                            for event in events.read(body) { feeder.yield(try Self.view(of: event)) }
                            return true
                        }
                        feeder.finish()
                    } catch {
                        feeder.finish(throwing: error)
                    }
                }
            }
            defer { connection.end() }
            for try await view in views { try await body(view) }
        }
    }

    private static var viewsRequest: [UInt8] { request("GET", "/v1/events") }

    private static func checkViews(_ status: Int) throws(ControlError) {
        guard status == 200 else { throw .badAnswer("/v1/events: status \(status)") }
    }

    private static func view(of event: [UInt8]) throws(ControlError) -> NodeView {
        do throws(PayloadError) {
            return try NodeView(json: event)
        } catch {
            throw .badAnswer("/v1/events: \(error)")
        }
    }

    /// Runs `body`, which blocks on the connection, on a thread of its own.
    private static func blocking<Value: Sendable>(
        on connection: ControlConnection, _ body: @escaping @Sendable () throws(ControlError) -> Value
    ) async throws(ControlError) -> Value {
        try await withTaskCancellationHandler {
            await Thread.run(name: "control") { Result { () throws(ControlError) in try body() } }
        } onCancel: {
            connection.end()
        }.get()
    }

    private func request<Report: Format>(
        _ method: LineText, _ uri: LineText, body: [UInt8] = [], as report: Report
    ) async throws(ControlError) -> Report.Value {
        let connection = ControlConnection(path: path)
        let request = Self.request(method, uri, body: body)
        let answer = try await Self.blocking(on: connection) { () throws(ControlError) in
            var answer: (status: Int, body: [UInt8]) = (0, [])
            try connection.exchange(request, timeout: Self.timeout) { status, piece throws(ControlError) in
                if status == 404, method == "GET" {
                    throw .badAnswer("it does not know \(uri); is it an older program?")
                }
                answer.status = status
                answer.body += piece
                return true
            }
            return answer
        }
        // The node ended before it answered.
        guard !answer.body.isEmpty else { throw .noAnswer(path) }
        let refusal: ReplyReport
        do throws(PayloadError) {
            if answer.status < 400 || Report.Value.self == ReplyReport.self {
                return try report.value(of: answer.body)
            }
            refusal = try ReplyReport(encoded: answer.body)
        } catch {
            throw .badAnswer("\(uri): \(error)")
        }
        let reason = "\(RequestError(refusal.field ?? "", refusal.reason ?? "status \(answer.status)"))"
        throw answer.status == 404 ? .unknown(reason) : .refused(reason)
    }

    private static func request(_ method: LineText, _ uri: LineText, body: [UInt8] = []) -> [UInt8] {
        var head = "\(method) \(uri) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        if !body.isEmpty { head += "content-type: application/json\r\ncontent-length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}

/// A reader of server-sent events from a body that arrives in pieces.
struct EventReader {
    private var pending: [UInt8] = []

    /// Adds a piece of the body.
    /// - Returns: The data of each event that the piece completes.
    mutating func read(_ piece: [UInt8]) -> [[UInt8]] {
        pending += piece
        var found: [[UInt8]] = []
        while let end = pending.firstRange(of: [10, 10]) {
            let event = pending[..<end.lowerBound]
            if let data = event.firstRange(of: Array("data: ".utf8)) { found.append(Array(event[data.upperBound...])) }
            pending.removeSubrange(..<end.upperBound)
        }
        return found
    }
}
