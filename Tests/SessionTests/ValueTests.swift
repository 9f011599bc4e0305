// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// IDs, text, colours, stamps and the bounds of a register.
@Suite(.timeLimit(.minutes(15))) struct ValueTests {
    @Test func nodeIDAcceptsOnlyItsGrammar() {
        for good in ["a", "0", "desk", "kitchen-pi", "a-", "x--y", String(repeating: "z", count: 32)] {
            #expect(NodeID(good)?.rawValue == good)
            #expect(SpaceID(good)?.description == good)
        }
        for bad in [
            "", "-a", "A", "ä", "a_b", "a b", "a/b", "a+", "a#", "a.b", "a\u{0}", String(repeating: "z", count: 33),
        ] {
            #expect(NodeID(bad) == nil, "\(bad)")
            #expect(SpaceID(bad) == nil, "\(bad)")
        }
        #expect(id("a-") < id("a0"))
        #expect(id("9") < id("a"))
        #expect(id("a") < id("aa"))
    }

    @Test func tokenAcceptsOnlyItsGrammar() {
        for good in ["a", "press-7", "01J8ZP5Q8V6Z9Y3X2W1V0T9S8R", "A_b-9", String(repeating: "x", count: 36)] {
            #expect(SessionID(good)?.rawValue == good)
        }
        for bad in ["", "a b", "a/b", "é", "a\n", "{}", String(repeating: "x", count: 37)] {
            #expect(IntentID(bad) == nil, "\(bad)")
        }
    }

    @Test func lettersAndDigitsAreThoseOfASCII() {
        let expected = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        #expect((UInt8.min...UInt8.max).filter(\.isASCIILetterOrDigit) == Array(expected.utf8))
    }

    @Test func tokenKeepsAndOrdersItsBytes() throws {
        let alphabet = Array("ABCXYZabcxyz0189-_".utf8)
        var random = SystemRandomNumberGenerator()
        var seen: [(SessionID, String)] = []
        for length in 1...36 {
            for _ in 0..<5 {
                let bytes = (0..<length).map { _ in alphabet.randomElement(using: &random) ?? 0 }
                let text = String(decoding: bytes, as: UTF8.self)
                let token = try #require(SessionID(text))
                #expect(token.rawValue == text)
                #expect(IntentID(text)?.description == text)
                for (other, otherText) in seen {
                    #expect((token == other) == (text == otherText))
                    #expect((token < other) == text.utf8.lexicographicallyPrecedes(otherText.utf8))
                }
                seen.append((token, text))
            }
        }
    }

    @Test func textWithControlCharactersIsRejected() {
        for good in ["Reading", "Häkeln", "👩‍💻", "☕️", "a b", "\"", "日本語", "e\u{301}"] {
            #expect(CleanText.accepts(good, bytes: 48), "\(good)")
        }
        for bad in [
            "", "\u{1B}[2J", "a\u{0}b", "a\nb", "tab\t", "\u{7F}", "\u{9B}31m", "\u{202E}abc", "\u{2028}", "\u{2066}",
            "\u{FEFF}", "\u{FFF9}", "\r\n", String(repeating: "a", count: 49), String(repeating: "é", count: 25),
        ] {
            #expect(!CleanText.accepts(bad, bytes: 48), "\(bad.unicodeScalars.map(\.value))")
        }
    }

    @Test func colourIsReadFromHex() {
        let table: [(String, String?)] = [
            ("#fff", "#ffffff"), ("abc", "#aabbcc"), ("#0a0a0a", "#0a0a0a"), ("FF8800", "#ff8800"),
            ("#11223344", "#11223344"), ("112233ff", "#112233"), ("", nil), ("#", nil), ("##fff", nil), ("#ff", nil),
            ("#ffff", nil), ("#fffff", nil), ("#fffffff", nil), ("#fffffffff", nil), ("#ggg", nil), ("#ｆｆｆ", nil),
            (" #fff", nil), ("#ff\u{301}f", nil), ("red", nil), ("#-12345", nil), ("+12345", nil),
        ]
        for (text, expected) in table { #expect(Colour(hex: text)?.description == expected, "\(text)") }
        #expect(Colour(hex: "#010203") == Colour(red: 1, green: 2, blue: 3))
    }

    @Test func hybridClockStampsAboveTheMark() {
        var clock = HybridClock()
        let desk = id("desk")
        var last = clock.stamp(at: 100, node: desk)
        #expect(last == Stamp(time: 100, counter: 0, node: desk))
        for (now, time, counter) in [(100, 100, 1), (50, 100, 2), (101, 101, 0), (101, 101, 1)]
            as [(GroupTime, GroupTime, Int)]
        {
            let next = clock.stamp(at: now, node: desk)
            #expect(next == Stamp(time: time, counter: counter, node: desk))
            #expect(next > last)
            last = next
        }
        var rises = [last, Stamp(time: 101, counter: 0, node: id("z"))].map { clock.see($0) }
        rises.append(clock.see(Stamp(time: 500, counter: 7, node: id("a"))))
        #expect(rises == [false, false, true])
        #expect(clock.stamp(at: 200, node: desk) == Stamp(time: 500, counter: 8, node: desk))
        _ = clock.see(Stamp(time: 500, counter: Limits.counter.upperBound, node: id("a")))
        let over = clock.stamp(at: 200, node: desk)
        #expect(over == Stamp(time: 501, counter: 0, node: desk))
    }

    @Test func stampsAndVersionsAreOrdered() {
        func stamp(_ time: GroupTime, _ counter: Int, _ node: String) -> Stamp {
            Stamp(time: time, counter: counter, node: id(node))
        }
        let ordered = [stamp(1, 9, "z"), stamp(2, 0, "a"), stamp(2, 0, "b"), stamp(2, 1, "a"), stamp(3, 0, "a")]
        #expect(ordered.shuffled().sorted() == ordered)
        #expect(Version(epoch: 1, rev: 9) < Version(epoch: 2, rev: 0))
        let top = Limits.counter.upperBound
        #expect(Version(epoch: 1, rev: top).next == Version(epoch: 2, rev: 0))
        #expect(Version(epoch: top, rev: top).next == Version(epoch: top, rev: top))
    }

    typealias Spoil = @Sendable (inout Register) -> Void

    /// The vectors of registers have others.
    static let flaws: [(String?, Spoil)] = [
        (nil, { _ in }), (nil, { $0.title = "Reading" }), (nil, { $0.icon = "☕️" }), (nil, { $0.runs = [] }),
        ("icon", { $0.icon = "" }), ("icon", { $0.icon = String(repeating: "a", count: 33) }),
        ("label", { $0.label = Label(name: "\u{202E}") }), ("plan", { $0.plan[0].seconds = 0 }),
        ("plan", { $0.plan[0].seconds = .max }), ("plan", { $0.plan[0].name = "" }),
        ("plan", { $0.plan[0].name = "a\"" }), ("plan", { $0.plan[0].name = "\u{1B}" }),
        ("phase", { $0.phase = 1 }), ("phase", { $0.phase = -1 }), ("phase", { $0.phase = .max }),
        ("epoch", { $0.epoch = -1 }), ("epoch", { $0.epoch = .max }), ("rev", { $0.rev = -1 }),
        ("rev", { $0.rev = 1_000_000_000_001 }), ("stamp", { $0.stamp.counter = -1 }),
        ("stamp", { $0.stamp.time = .distantFuture }), ("stamp", { $0.stamp.time = -1 }),
        ("startedAt", { $0.startedAt = .distantPast }), ("anchor", { $0.anchor.at = .distantFuture }),
        ("anchor", { $0.anchor.at = -1 }),
        ("anchor", { $0.anchor.boot = .distantFuture }), ("anchor", { $0.anchor.boot = -1 }),
        ("anchor", { $0.anchor.elapsed = -1 }), ("anchor", { $0.anchor.elapsed = 1_500_001 }),
        (nil, { $0.anchor.elapsed = 1_500_000 }),
        ("runs", { $0.runs = Array(repeating: Run(phase: 0, from: 0, to: 1), count: 121) }),
        ("runs", { $0.runs = [Run(phase: 1, from: 0, to: 1)] }),
        ("runs", { $0.runs = [Run(phase: 0, from: 2, to: 1)] }),
        ("runs", { $0.runs = [Run(phase: 0, from: -1, to: 1)] }),
        ("runs", { $0.runs = [Run(phase: 0, from: 0, to: .distantFuture)] }),
        ("runs", { $0.runs = [Run(phase: 0, from: 0), Run(phase: 0, from: 0)] }),
        ("applied", { $0.applied = Array(repeating: token("a"), count: 65) }),
        ("continues", { $0.continues = Continuation(node: id("b"), epoch: -1, rev: 0, at: 0) }),
        ("continues", { $0.continues = Continuation(node: id("b"), epoch: 1, rev: 0, at: .distantFuture) }),
        ("last", { $0.last = LastIntent(intent: token("a"), op: .stop, from: id("b"), at: -1) }),
        ("supersededBy", { $0.supersededBy = Superseder(session: token("a"), node: id("b"), at: .distantPast) }),
    ]

    @Test func registerOutOfBoundsIsInvalid() {
        for (index, (expected, spoil)) in Self.flaws.enumerated() {
            var register = peerRegister()
            spoil(&register)
            #expect(register.invalidField == expected, "row \(index)")
        }
    }

    // MARK: Whole minutes on screens

    @Test(arguments: [
        ([], []), ([59_999], [0]), ([90_000, 30_000], [2, 0]), ([90_000, 90_000], [2, 1]),
        ([59_000, 59_000, 2_000], [1, 1, 0]),
        ([30_000, 59_000, 31_000], [0, 1, 1]), ([0, 120_000], [0, 2]),
    ])
    func partsAddUpToTheSum(parts: [Milliseconds], minutes: [Int]) {
        #expect(WholeMinutes.of(parts) == minutes)
        #expect(minutes.reduce(0, +) == Int(parts.reduce(.zero, +).count / 60_000))
    }

    @Test func outerBlanksAreTrimmed() {
        #expect(CleanText.trimmed(" \u{3000}Deep  Work\t") == "Deep  Work")
        #expect(CleanText.trimmed(" \u{A0} ") == "")
        #expect(CleanText.trimmed("") == "")
    }

    // MARK: Text that may become a line of settings, a header, a command line or a log line

    @Test(arguments: ["a\nb", "a\r\nb", "\u{0}", "a\u{7F}", "\u{9B}31m", "\u{2028}", "\u{202E}x", "\u{FEFF}", "\t"])
    func otherTextIsRefusedAndShownWithReplacements(text: String) {
        #expect(LineText(line: text) == nil)
        let shown = LineText(showing: text)
        #expect(LineText(line: shown.description) == shown)
        #expect(shown.description.contains("\u{FFFD}"))
        #expect(shown.description.unicodeScalars.count == text.unicodeScalars.count)
    }

    @Test(arguments: ["", "a b", "é=\"'\\", "👩‍👩‍👧", "-x"]) func aLineIsKept(text: String) {
        #expect(LineText(line: text)?.description == text)
        #expect(LineText(showing: text).description == text)
    }

    @Test func anInterpolationTakesLinesIdsAndNumbers() throws {
        let (node, host) = (try #require(NodeID("desk")), LineText(showing: "a\nb"))
        let line: LineText = "\(node) at \(host):\(1_883)"
        #expect(line.description == "desk at a\u{FFFD}b:1883")
    }

    @Test func textOfSeveralLinesKeepsItsLines() {
        #expect(LineText.lines(showing: "a\u{1B}[2J\nb\n") == "a\u{FFFD}[2J\nb\n")
    }
}
