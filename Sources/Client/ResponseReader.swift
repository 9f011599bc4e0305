// SPDX-License-Identifier: Apache-2.0

import API

/// A reader of one HTTP/1.1 response that arrives in pieces.
///
/// The body ends by its length, with its last chunk, or with the connection.
struct ResponseReader {
    /// The part of a response that is read next.
    private enum Part { case statusLine, fields, body, chunkSize, chunkEnd, trailers, complete }

    private var part = Part.statusLine
    private var pending: [UInt8] = []
    private var isChunked = false
    /// The bytes that the body or its chunk still lacks; `nil` where the body ends with the connection.
    private var left: Int?

    /// The status code; `nil` before the first line.
    private(set) var status: Int?
    var isComplete: Bool { part == .complete }

    /// Adds bytes of the connection, and returns those of the body.
    mutating func read(_ bytes: some Sequence<UInt8>) throws(ControlError) -> [UInt8] {
        pending += bytes
        var body: [UInt8] = []
        while true {
            if part == .body {
                let count = min(left ?? .max, pending.count)
                body += pending[..<count]
                pending.removeFirst(count)
                left = left.map { $0 - count }
                guard left == 0 else { return body }
                part = isChunked ? .chunkEnd : .complete
            } else {
                guard part != .complete, let line = nextLine() else { return body }
                try handle(line)
            }
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
            part = isChunked ? .chunkSize : .body
        case .chunkSize:
            guard let size = Int(line.prefix { $0 != ";" && $0 != " " }, radix: 16), size >= 0 else {
                throw .badAnswer("a chunk has no size")
            }
            left = size
            part = size == 0 ? .trailers : .body
        case .chunkEnd: part = .chunkSize
        case .trailers: if line.isEmpty { part = .complete }
        case .body, .complete: break
        }
    }

    private mutating func readField(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return }
        let value = parts[1].filter { $0 != " " }
        switch parts[0].lowercased() {
        case "content-length": left = Int(value).flatMap { $0 >= 0 ? $0 : nil }
        case "transfer-encoding": isChunked = value.lowercased() == "chunked"
        default: break
        }
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
