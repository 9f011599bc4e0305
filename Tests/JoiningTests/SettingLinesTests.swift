// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

@testable import Joining
@testable import Settings

/// Settings that programs write, read by this project and by systemd.
@Suite(.timeLimit(.minutes(15))) struct SettingLinesTests {
    /// Texts that a reader could take for something else than one value.
    static let hostile = [
        "x\nLOCKSTEP_HOOK_STARTED=id", "x\rLOCKSTEP_HOOK_STARTED=id", "x\r\nLOCKSTEP_HOOK_STARTED=id", "\u{0}",
        "x\u{1B}[2J",
        "x\u{85}y", "x\u{2028}y", "\u{202E}x", "\"x", "x\"", "'x'", "a'b", "x\\", "\\nx", " x", "x ", "x\u{A0}", "\tx",
    ]

    @Test(arguments: hostile) func aValueThatAReaderWouldChangeIsRefused(text: String) throws {
        var lines = SettingLines(comment: "Of a test.")
        let before = lines.text
        if let line = LineText(line: text) {
            #expect(throws: ValueError.self) { try lines.add(.name, line) }
        }
        #expect(lines.text == before)
    }

    @Test func bothReadersReadTheSameValues() throws {
        var random = Random(seed: 34)
        let parts =
            Self.hostile.flatMap { [$0, String($0.unicodeScalars.first ?? "x")] } + [
                "a", "é", "#", ";", "=", "$", "b c", "👍",
            ]
        var accepted = 0
        let directory = try TemporaryDirectory()
        for _ in 0..<2_000 {
            let text = (0..<random.next() % 4).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined()
            var lines = SettingLines(comment: "Of a test.")
            guard let line = LineText(line: text), (try? lines.add(.name, line)) != nil else { continue }
            accepted += 1
            try lines.add(.node, "desk")
            #expect(EnvironmentFile(lines.text).values == ["LOCKSTEP_NAME": text, "LOCKSTEP_NODE": "desk"])
            var values = SettingValues()
            try values.fill(file: try directory.write(lines.text, to: "node.env"))
            #expect(values[.name]?.text ?? "" == text)
            #expect(values[.node]?.text == "desk")
            #expect(!values.isGiven(.hookStarted))
        }
        #expect(accepted > 100)
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func linesEndAsForSystemd(end: String) throws {
        let text = ["LOCKSTEP_NAME=a", "LOCKSTEP_NODE=desk", ""].joined(separator: end)
        var values = SettingValues()
        let directory = try TemporaryDirectory()
        let file = try directory.write(text, to: "node.env")
        try withExtendedLifetime(directory) { try values.fill(file: file) }
        #expect(values[.name]?.text == "a")
        #expect(values[.node]?.text == "desk")
        #expect(EnvironmentFile(text).values == ["LOCKSTEP_NAME": "a", "LOCKSTEP_NODE": "desk"])
    }

    @Test func aPathWithAQuoteIsNamed() throws {
        let request = try JoinRequest(JoinTokenTests.invitation())
        #expect(throws: ValueError.self) { try request.settings(password: "/home/o'neil/password", authority: nil) }
        let text = try request.settings(password: "/home/a b/password", authority: "/home/a b/ca").text
        #expect(EnvironmentFile(text).values["LOCKSTEP_PASSWORD_FILE"] == "/home/a b/password")
        #expect(
            EnvironmentFile(text).values["LOCKSTEP_BROKER"]
                == "mqtts://pi.lan:8883,pi.local:8883,192.168.1.5:8883,[fd77::11]:8883")
    }
}

/// The parser of `EnvironmentFile=` in systemd 252 (`parse_env_file_internal`).
private struct EnvironmentFile {
    private(set) var values: [String: String] = [:]

    private enum State {
        case beforeKey, key, beforeValue, value, escape, single, double, doubleEscape, comment, commentEscape
    }

    init(_ text: String) {
        var (state, key, value, kept) = (State.beforeKey, [UInt8](), [UInt8](), 0)
        func isEnd(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }
        func isBlank(_ byte: UInt8) -> Bool { isEnd(byte) || byte == 32 || byte == 9 }
        func string(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
        func add(_ byte: UInt8, isKept: Bool) {
            value.append(byte)
            if isKept { kept = value.count }
        }
        for byte in Array(text.utf8) + [10] {
            switch state {
            case .beforeKey:
                if byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";") {
                    state = .comment
                } else if !isBlank(byte) {
                    (state, key) = (.key, [byte])
                }
            case .key where isEnd(byte): state = .beforeKey
            case .key where byte == UInt8(ascii: "="): (state, value, kept) = (.beforeValue, [], 0)
            case .key: key.append(byte)
            case .beforeValue where isEnd(byte), .value where isEnd(byte):
                values[string(key)] = string(value.prefix(kept))
                state = .beforeKey
            case .beforeValue where byte == UInt8(ascii: "'"): state = .single
            case .beforeValue where byte == UInt8(ascii: "\""): state = .double
            case .beforeValue where byte == UInt8(ascii: "\\"), .value where byte == UInt8(ascii: "\\"): state = .escape
            case .beforeValue where isBlank(byte): break
            case .beforeValue, .value:
                state = .value
                add(byte, isKept: !isBlank(byte))
            case .escape:
                state = .value
                if !isEnd(byte) { add(byte, isKept: true) }
            case .single: if byte == UInt8(ascii: "'") { state = .beforeValue } else { add(byte, isKept: true) }
            case .double where byte == UInt8(ascii: "\\"): state = .doubleEscape
            case .double: if byte == UInt8(ascii: "\"") { state = .beforeValue } else { add(byte, isKept: true) }
            case .doubleEscape:
                state = .double
                if byte != 10 { add(byte, isKept: true) }
            case .comment where byte == UInt8(ascii: "\\"): state = .commentEscape
            case .comment: if isEnd(byte) { state = .beforeKey }
            case .commentEscape: state = .comment
            }
        }
    }
}
