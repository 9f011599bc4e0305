// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import API
@testable import Client

/// Responses in one piece, byte by byte, and cut anywhere.
@Suite(.timeLimit(.minutes(15))) struct ResponseReaderTests {
    private static let responses = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nx-trailer: 1\r\n\r\n",
        "HTTP/1.1 200 OK\ncontent-length:5\n\nhello",
    ]

    private func read(_ pieces: [some Sequence<UInt8>]) throws -> (body: String, reader: ResponseReader) {
        var (reader, body) = (ResponseReader(), [UInt8]())
        for piece in pieces { body += try reader.read(piece) }
        return (String(decoding: body, as: UTF8.self), reader)
    }

    @Test(arguments: responses) func responseIsReadInPiecesOfAnySize(response: String) throws {
        let bytes = Array(response.utf8)
        for size in 1...bytes.count {
            let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            let (body, reader) = try read(pieces)
            #expect(body == "hello", "in pieces of \(size)")
            #expect(reader.status == 200)
            #expect(reader.isComplete, "in pieces of \(size)")
        }
    }

    @Test func bodyWithoutALengthEndsWithTheConnection() throws {
        let (body, reader) = try read([Array("HTTP/1.1 404 Not Found\r\n\r\nnot".utf8), Array(" here".utf8)])
        #expect(body == "not here")
        #expect(reader.status == 404)
        #expect(!reader.isComplete)
    }

    @Test func emptyBodyIsCompleteWithTheHead() throws {
        let (body, reader) = try read([Array("HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n".utf8)])
        #expect(body.isEmpty)
        #expect(reader.isComplete)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 fine\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-5\r\n",
    ])
    func malformedResponseIsRefused(text: String) {
        #expect(throws: ControlError.self) { try read([Array(text.utf8)]) }
    }

    @Test func eventsAreFoundInPieces() {
        var reader = EventReader()
        let text = "event: view\ndata: {\"a\":1}\n\n: beat\n\nevent: view\ndata: two\n\nevent: view\nda"
        var found: [String] = []
        for byte in text.utf8 { found += reader.read([byte]).map { String(decoding: $0, as: UTF8.self) } }
        #expect(found == ["{\"a\":1}", "two"])
    }
}
