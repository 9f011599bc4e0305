// SPDX-License-Identifier: Apache-2.0

import API

/// Reads one HTTP/1.1 response that arrives in pieces.
///
/// The body ends by its length, with its last chunk, or with the connection.
struct ResponseReader {
    private enum Part: Equatable {
        case statusLine, fields
        case body(left: Int)
        case bodyUntilEnd
        case chunkSize
        case chunk(left: Int)
        case chunkEnd, trailers, complete
    }

    private var part = Part.statusLine
    private var pending: [UInt8] = []
    private var length: Int?
    private var isChunked = false

    /// The status code; `nil` before the first line.
    private(set) var status: Int?
    var isComplete: Bool { part == .complete }

    /// Adds bytes of the connection, and returns those of the body.
    mutating func read(_ bytes: some Sequence<UInt8>) throws(ControlError) -> [UInt8] {
        pending += bytes
        var body: [UInt8] = []
        while try step(&body) {}
        return body
    }

    /// - Returns: Whether there may be more to read in the pending bytes.
    private mutating func step(_ body: inout [UInt8]) throws(ControlError) -> Bool {
        switch part {
        case .complete: return false
        case .bodyUntilEnd: return move(pending.count, into: &body) > 0
        case .body(let left):
            part = .body(left: left - move(left, into: &body))
            if part == .body(left: 0) { part = .complete }
            return part == .complete
        case .chunk(let left):
            part = .chunk(left: left - move(left, into: &body))
            guard part == .chunk(left: 0) else { return false }
            part = .chunkEnd
            return true
        case .statusLine, .fields, .chunkSize, .chunkEnd, .trailers:
            guard let line = nextLine() else { return false }
            try handle(line)
            return true
        }
    }

    private mutating func handle(_ line: String) throws(ControlError) {
        switch part {
        case .statusLine:
            let words = line.split(separator: " ")
            guard words.count > 1, words[0].hasPrefix("HTTP/1."), let code = Int(words[1]) else {
                throw .badAnswer("it does not speak HTTP")
            }
            status = code
            part = .fields
        case .fields:
            guard line.isEmpty else { return readField(line) }
            part = isChunked ? .chunkSize : length.map { $0 == 0 ? .complete : .body(left: $0) } ?? .bodyUntilEnd
        case .chunkSize:
            guard let size = Int(line.prefix { $0 != ";" && $0 != " " }, radix: 16), size >= 0 else {
                throw .badAnswer("a chunk has no size")
            }
            part = size == 0 ? .trailers : .chunk(left: size)
        case .chunkEnd: part = .chunkSize
        case .trailers: if line.isEmpty { part = .complete }
        case .body, .bodyUntilEnd, .chunk, .complete: break
        }
    }

    private mutating func readField(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return }
        let value = parts[1].filter { $0 != " " }
        switch parts[0].lowercased() {
        case "content-length": length = Int(value).flatMap { $0 >= 0 ? $0 : nil }
        case "transfer-encoding": isChunked = value.lowercased() == "chunked"
        default: break
        }
    }

    private mutating func move(_ count: Int, into body: inout [UInt8]) -> Int {
        let count = min(count, pending.count)
        body += pending[..<count]
        pending.removeFirst(count)
        return count
    }

    /// Removes a line; `nil` while its end is missing.
    private mutating func nextLine() -> String? {
        guard let end = pending.firstIndex(of: 10) else { return nil }
        var line = pending[..<end]
        if line.last == 13 { line.removeLast() }
        defer { pending.removeFirst(end + 1) }
        return String(decoding: line, as: UTF8.self)
    }
}
