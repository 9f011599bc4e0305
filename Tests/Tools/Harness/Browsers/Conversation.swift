// SPDX-License-Identifier: Apache-2.0

/// The calls to a browser with their answers, and its events: JSON over a WebSocket (RFC 6455). The DevTools protocol
/// and WebDriver BiDi are alike in this.
actor Conversation {
    private let process: BrowserProcess
    private let socket: Socket
    private var nextID = 0
    private var unread: [UInt8] = []
    private var answers: [Int: JSON] = [:]
    private var events: [JSON] = []

    /// Waits for the address that the browser writes to its log, and connects to it with `suffix` added.
    init(with process: BrowserProcess, suffix: String = "") async throws {
        var address: (port: Int, path: String)?
        try await eventually("an address in the browser's log") {
            try process.check()
            guard let found = process.log.firstMatch(of: /listening on ws:\/\/127\.0\.0\.1:(\d+)(\S*)\n/) else {
                return false
            }
            address = Int(found.1).map { ($0, String(found.2) + suffix) }
            return true
        }
        guard let address else { throw Failed("no port in \(process.log)") }
        self.process = process
        socket = try Socket(to: address.port)
        try socket.send(
            "GET", address.path, port: address.port,
            [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: bG9ja3N0ZXAgYnJvd3Nlcg==",
            ])
        try await eventually("a WebSocket") { try self.isUpgraded() }
    }

    private func isUpgraded() throws -> Bool {
        _ = socket.receive(into: &unread)
        guard let head = Socket.takeHead(of: &unread) else { return false }
        guard head.hasPrefix("HTTP/1.1 101 ") else { throw Failed("no WebSocket: \(head)") }
        return true
    }

    @discardableResult
    func call(_ method: String, _ parameters: JSON = [:], session: String? = nil) async throws -> JSON {
        nextID += 1
        let id = nextID
        var message: JSON = ["method": .string(method), "params": parameters]
        message.id = .number(Int64(id))
        if let session { message.sessionId = .string(session) }
        try socket.send(Self.frame(message.bytes))
        try await eventually("\(method) is answered") {
            try self.read()
            return self.answers[id] != nil
        }
        let answer = answers.removeValue(forKey: id) ?? .null
        guard answer.error == .null else {
            // DevTools has an object there, BiDi a word beside its message.
            throw Failed("\(method): \(answer.error.message.text ?? answer.message.text ?? "\(answer.error)")")
        }
        return answer.result
    }

    /// Returns the events of a method, oldest first.
    func events(_ method: String) throws -> [JSON] {
        try read()
        return events.filter { $0.method.text == method }
    }

    private func read() throws {
        let isAtEnd = socket.receive(into: &unread)
        while let bytes = takeFrame() {
            let message = try JSON(bytes)
            if let id = message.id.int {
                answers[Int(id)] = message
            } else {
                events.append(message)
            }
        }
        try process.check()
        if isAtEnd { throw Failed("the browser has closed its connection: \(process.log)") }
    }

    /// Returns a text as one frame. A client has to mask it; Firefox takes no mask of zeros.
    private static func frame(_ text: [UInt8]) -> [UInt8] {
        let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: text.count >> (8 * $0)) }
        let length: [UInt8] =
            switch text.count {
            case ..<126: Array(bytes.suffix(1))
            case ...0xFFFF: [126] + bytes.suffix(2)
            default: [127] + bytes
            }
        return [0x81, length[0] | 0x80] + length.dropFirst() + [1, 1, 1, 1] + text.map { $0 ^ 1 }
    }

    /// Removes a frame from the bytes that came, and returns its text; `nil` until it is whole. Both browsers send each
    /// message as one frame, without a mask.
    private func takeFrame() -> [UInt8]? {
        guard unread.count >= 2 else { return nil }
        let extra = [126: 2, 127: 8][unread[1]] ?? 0
        let start = 2 + extra
        guard unread.count >= start else { return nil }
        let length = extra == 0 ? Int(unread[1]) : unread[2..<start].reduce(0) { $0 << 8 | Int($1) }
        guard unread.count >= start + length else { return nil }
        defer { unread.removeSubrange(..<(start + length)) }
        return Array(unread[start..<(start + length)])
    }
}
