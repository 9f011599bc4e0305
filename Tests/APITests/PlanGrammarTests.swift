// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Testing

@Suite(.timeLimit(.minutes(15))) struct PlanGrammarTests {
    static func phase(_ kind: PhaseKind, _ seconds: Int, _ name: String? = nil) -> Phase {
        Phase(kind: kind, name: name, seconds: seconds)
    }

    @Test func validPlanIsParsed() throws {
        let table: [(String, [Phase])] = [
            ("25m", [Self.phase(.focus, 1_500)]),
            ("focus 25m", [Self.phase(.focus, 1_500)]),
            ("FOCUS25m,shortbreak5m", [Self.phase(.focus, 1_500), Self.phase(.shortBreak, 300)]),
            (" focus 1h30m , longBreak 90s ", [Self.phase(.focus, 5_400), Self.phase(.longBreak, 90)]),
            ("work 40s x2 / rest 20s", [40, 20, 40, 20].map { Self.phase($0 == 40 ? .work : .rest, $0) }),
            ("work 40s / rest 20s ×2", [40, 20, 40, 20].map { Self.phase($0 == 40 ? .work : .rest, $0) }),
            ("\"Breathe\" 10s", [Self.phase(.phase, 10, "Breathe")]),
            ("focus \"Deep work\" 1s", [Self.phase(.focus, 1, "Deep work")]),
            ("\"a,b/c(x2)\" 1s", [Self.phase(.phase, 1, "a,b/c(x2)")]),
            ("(1s, 2s) x2", [1, 2, 1, 2].map { Self.phase(.focus, $0) }),
            ("((1s X2)) x2, 24h", [1, 1, 1, 1, 86_400].map { Self.phase(.focus, $0) }),
            ("((((1s))))", [Self.phase(.focus, 1)]),
            ("(1s, 2s) / 3s x2", [1, 2, 3, 1, 2, 3].map { Self.phase(.focus, $0) }),
            ("1s x80", Array(repeating: Self.phase(.focus, 1), count: 80)),
        ]
        for (text, expected) in table { #expect(try PlanParser.phases(of: text) == expected, "\(text)") }
    }

    static let bad: [(String, Int, String)] = [
        ("", 1, "duration"), ("   ", 4, "duration"), ("focus", 6, "duration"), ("focus ", 7, "duration"),
        ("focus 25", 9, "unit"), ("focus 25x", 9, "unit"), ("focus 25 m", 9, "unit"), ("focus x4", 7, "duration"),
        ("lunch 25m", 1, "“lunch” is not a kind"), ("focus 25m, lunch 5m", 12, "not a kind"),
        ("foc us 25m", 1, "not a kind"),
        ("focus 25m,", 11, "duration"), ("focus 25m shortBreak 5m", 11, "expected “,”"), (",5m", 1, "duration"),
        ("focus 25m,, 5m", 11, "duration"), ("25m / ", 7, "duration"), ("5m x", 5, "number after “x”"),
        ("5m x0", 5, "1 to 80"), ("5m x81", 5, "1 to 80"), ("5m x-1", 5, "number after"),
        ("5m x9999999", 5, "too large"), ("5m x2 x2", 7, "expected “,”"), ("1s x2 / 2s x2", 12, "already"),
        ("0s", 1, "1s to 24h"), ("25h", 1, "1s to 24h"), ("focus 24h1s", 7, "1s to 24h"), ("9999999s", 1, "too large"),
        ("99999999999999999999999s", 1, "too large"), ("-5m", 1, "duration"), ("5m\n", 3, "expected “,”"),
        ("٣m", 1, "duration"), ("5½m", 2, "unit"), ("5m\u{301}", 2, "unit"),
        ("(5m", 1, "never closed"), ("5m)", 3, "expected “,”"), ("(5m, 5m", 1, "never closed"), ("()", 2, "duration"),
        ("(5m 5m)", 5, "“,” or “)”"), ("(((((1s)))))", 5, "four deep"),
        ("\"a 5m", 1, "never closed"), ("focus \"\" 5m", 7, "1 to 48 bytes"), ("\"a\\b\" 5m", 1, "no “\\”"),
        ("\"\u{1B}[2J\" 5m", 1, "control"), ("\"" + String(repeating: "a", count: 49) + "\" 5m", 1, "1 to 48 bytes"),
        ("\"ok\" focus 5m", 6, "duration"), ("(1s,1s) x41", 9, "at most 80"), ("1m, 1s x80", 5, "at most 80"),
        (Array(repeating: "1s", count: 81).joined(separator: "/"), 1, "at most 80"),
        ("1s x80 x80", 8, "expected “,”"), ("((1s x80) x80) x80", 11, "at most 80"), ("🍅 25m", 1, "duration"),
    ]

    @Test func invalidPlanPointsAtItsColumn() {
        #expect(Self.bad.count >= 25)
        for (text, column, message) in Self.bad {
            do {
                let phases = try PlanParser.phases(of: text)
                Issue.record("\(text) was read as \(phases)")
            } catch {
                #expect(error.column == column, "\(text): \(error)")
                #expect(error.message.contains(message), "\(text): \(error)")
            }
        }
    }

    @Test func durationIsParsed() throws {
        for (text, seconds) in [("1m", 60), (" 1h30m ", 5_400), ("90s", 90), ("24h", 86_400), ("1s", 1)] {
            #expect(try PlanParser.seconds(of: text) == seconds)
        }
        for (text, column) in [("", 1), ("1m 30s", 4), ("m", 1), ("1", 2), ("0m", 1), ("1d", 2), ("24h1s", 1)] {
            do {
                _ = try PlanParser.seconds(of: text)
                Issue.record("\(text) was read")
            } catch { #expect(error.column == column, "\(text): \(error)") }
        }
    }
}
