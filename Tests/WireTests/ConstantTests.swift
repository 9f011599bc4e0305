// SPDX-License-Identifier: Apache-2.0

import RegexBuilder
import Support
import Testing

/// The constants in the documents equal those in the code.
@Suite(.timeLimit(.minutes(5))) struct ConstantTests {
    /// A phrase of a page, and the declaration that it quotes.
    struct Quote: CustomTestStringConvertible {
        var page: String
        var phrase: String
        var folder: String
        var code: String

        init(_ page: String, _ phrase: String, _ folder: String, _ code: String) {
            self.page = page
            self.phrase = phrase
            self.folder = folder
            self.code = code
        }

        var testDescription: String { "\(page): \(phrase)" }
    }

    private static let proto = "Sources/Wire/Wire.docc/Protocol.md"
    private static let trust = "Sources/Wire/Wire.docc/Trust.md"
    private static let words = "Sources/Session/Session.docc/Vocabulary.md"
    private static let commands = "Sources/Commands/README.md"
    private static let core = "Sources/Core/Core.docc/Core.md"

    static let quotes = [
        Quote(proto, "has 1 to 32 characters of", "Sources/Session", "(level, limit: 32)"),
        Quote(proto, "of at most 16,384 bytes. It nests", "Sources/Session", "payloadBytes = 16_384"),
        Quote(proto, "It nests at most 16 deep", "Sources/Wire", "depthLimit = 16"),
        Quote(
            "Deploy/README.md", "does not appear within 120 s", "Sources/Commands/lockstep",
            "patience = Duration.seconds(120)"),
        Quote(proto, "once in five seconds at most", "Sources/Session", "helloInterval: Milliseconds = .seconds(5)"),
        Quote(proto, "the whole number 1", "Sources/Wire", "current: Int64 = 1\n"),
        Quote(proto, "It looks again after 2 s", "Sources/Core", "shortestWait: Milliseconds = .seconds(2)"),
        Quote(proto, "twice as long each time, up to 60 s", "Sources/Core", "longestWait: Milliseconds = .seconds(60)"),
        Quote(proto, "until three minutes after the last one", "Sources/Core", "memory = 3 * longestWait"),
        Quote(proto, "The barrier counts only 1.5 s after", "Sources/Core", "patience: Milliseconds = 1_500"),
        Quote(
            proto, "but at most 2 s after the connection", "Sources/Session",
            "barrierPatience: Milliseconds = .seconds(2)"),
        Quote(
            proto, "`state`, for half a second at most", "Sources/NodeRuntime",
            "wait(timeout: .now() + .milliseconds(500))"),
        Quote(
            proto, "acknowledged within two seconds, the", "Sources/NodeRuntime",
            "wakeTimeout: Milliseconds = .seconds(2)"),
        Quote(proto, "At most 4 phases have `added`", "Sources/Session", "extended = 4"),
        Quote(proto, "of the 16,384 bytes", "Sources/Session", "payloadBytes = 16_384"),
        Quote(
            proto, "connection that asked, within 10 s of its ping", "Sources/Session",
            "pongAge: Milliseconds = .seconds(10)"),
        Quote(proto, "20 intents a second", "Sources/Session", "rate: Int64 = 20"),
        Quote(proto, "and 100 in a row", "Sources/Session", "burst: Int64 = 100"),
        Quote(proto, "answers the next 100", "Sources/Session", "level - 1_000 >= -Self.burst * 1_000"),
        Quote(proto, "remembers the last 700 intents", "Sources/Session", "effects = Memory(kept: 700)"),
        Quote(proto, "raises the revision by 1,000,000", "Sources/Session", "claimedRevisions = 1_000_000"),
        Quote(proto, "epoch is at most 1,000,000 plus", "Sources/Session", "epochs = 1_000_000"),
        Quote(proto, "Of several microphones, 64 at most", "Sources/Calm", "sources = 64"),
        Quote(proto, "begins more than two minutes ago", "Sources/Calm", "lateness: Int64 = 120_000"),
        Quote(proto, "runs and for 3 s after it changes", "Sources/CalmService", "lateness: Int64 = 3_000"),
        Quote(proto, "covers the 52 weeks before", "Sources/Wire", "weeks = 52"),
        Quote(proto, "one of the latest 14 of which", "Sources/Wire", "weeksLimit = 14"),
        Quote(proto, "sent again after 10 s, then", "Sources/Core", "firstPatience: Milliseconds = .seconds(10)"),
        Quote(proto, "each time, up to ten minutes", "Sources/Core", "longestPatience: Milliseconds = .seconds(600)"),
        Quote(proto, "up to 5 s later at random", "Sources/Core", "upTo: Self.firstPatience / 2"),
        Quote(proto, "at most 32 records at a time", "Sources/Core", "window = 32"),
        Quote(proto, "recorded 30,000 new ones in a day", "Sources/Debt", "sessionsPerDay = 30_000"),
        Quote(proto, "or 300,000 in all", "Sources/Debt", "sessions = 300_000"),
        Quote(proto, "one transaction, up to 2,048", "Sources/Core", "batch = 2_048"),
        Quote(proto, "At most 65,536 wait", "Sources/Core", "waitingLimit = 65_536"),
        Quote(proto, "a record waited for more than 5 s", "Sources/Core", "lagLimit: Milliseconds = .seconds(5)"),
        Quote(
            proto, "lies at most 10 s before the session's beginning", "Sources/Session",
            "stampLead: Milliseconds = .seconds(10)"),
        Quote(proto, "days shorter than twelve hours", "Sources/Debt", "shortestDay: Int64 = 43_200_000"),
        Quote(proto, "a mark up to 1 s above", "Sources/Session", "reserve: Milliseconds = .seconds(1)"),
        Quote(
            proto, "while it is at most 10 s ahead of group time", "Sources/Session",
            "stampLead: Milliseconds = .seconds(10)"),
        Quote(proto, "not before 2026", "Sources/Session", "earliestStamp: GroupTime = 1_767_225_600_000"),
        Quote(proto, "again every second, together", "Sources/Session", "resendInterval: Milliseconds = .seconds(1)"),
        Quote(proto, "- after 2 s in which", "Sources/Session", "silenceLimit: Milliseconds = .seconds(2)"),
        Quote(proto, "has died. 2 s is twice", "Sources/Session", "silenceLimit: Milliseconds = .seconds(2)"),
        Quote(proto, "- after 4 s when the owner", "Sources/Session", "unresponsiveLimit: Milliseconds = .seconds(4)"),
        Quote(proto, "alive gets 4 s", "Sources/Session", "unresponsiveLimit: Milliseconds = .seconds(4)"),
        Quote(proto, "was lost, if that is 30 s or more", "Sources/Session", "staleAfter: Milliseconds = .seconds(30)"),
        Quote(
            proto, "takeover that lies more than 10 s before", "Sources/Session",
            "stampLead: Milliseconds = .seconds(10)"),
        Quote(proto, "of its last 16 applied intents", "Sources/Session", "carriedIntents = 16"),
        Quote(proto, "to the head, for 30 s at most", "Sources/Session", "intentLife: Milliseconds = .seconds(30)"),
        Quote(proto, "widens it by 200 millionths", "Sources/Session", "driftInterval: Milliseconds = 5\n"),
        Quote(proto, "asked eight times within", "Sources/Session", "burst = 8"),
        Quote(proto, "eight times within 280 ms", "Sources/Session", "burstInterval: Milliseconds = 40"),
        Quote(proto, "five times a second until", "Sources/Session", "pollInterval: Milliseconds = 200"),
        Quote(proto, "until the bound is 4 ms", "Sources/Session", "goodBound: Milliseconds = 4\n"),
        Quote(proto, "or 64 pings were sent", "Sources/Session", "maxPings = 64"),
        Quote(proto, "then every two minutes", "Sources/Session", "longestIdleInterval: Milliseconds = .seconds(120)"),
        Quote(proto, "raises the bound to 250 ms", "Sources/Session", "exactEnough: Milliseconds = 250"),
        Quote(proto, "Above 250 ms the time is shown", "Sources/Session", "exactEnough: Milliseconds = 250"),
        Quote(
            proto, "at most every five seconds", "Sources/Session", "shortestIdleInterval: Milliseconds = .seconds(5)"),
        Quote(proto, "is right within 10 s", "Sources/Session", "agreement = Limits.stampLead"),
        Quote(proto, "After seven the node is", "Sources/Session", "silence = 7\n"),
        Quote(
            proto, "stamps up to 20 years ahead", "Sources/Session",
            "plausibleSpan: Milliseconds = .days(7_305)"),
        Quote(
            proto, "after 2045 is not used", "Sources/Session", "plausibleSpan: Milliseconds = .days(7_305)"),
        Quote(proto, "asks up to seven online nodes", "Sources/Session", "timeReferences = 7"),
        Quote(
            proto, "three seconds after the next barrier", "Sources/Session",
            "clockPatience: Milliseconds = .seconds(3)"),
        Quote(proto, "three seconds later if", "Sources/Session", "clockPatience: Milliseconds = .seconds(3)"),
        Quote(
            proto, "group time changes by more than 2 s", "Sources/Session", "tolerance: Milliseconds = .seconds(2)"),
        Quote(proto, "lie more than 10 s after", "Sources/Session", "move(taken.at) + Limits.stampLead"),
        Quote(proto, "comes or moves by more than 2 s", "Sources/Session", "tolerance: Milliseconds = .seconds(2)"),
        Quote(proto, "a jump of its time by more than 2 s", "Sources/Session", "tolerance: Milliseconds = .seconds(2)"),
        Quote(
            proto, "after 2 s it counts as returned", "Sources/Session", "barrierPatience: Milliseconds = .seconds(2)"),
        Quote(proto, "live register, 1.5 s at most", "Sources/Core", "helloPatience: Milliseconds = 1_500"),
        Quote(proto, "until 0.3 s after the first", "Sources/Core", "helloSpread: Milliseconds = 300"),
        Quote(proto, "up to 512 seconds", "Sources/Session", "longestWait: Milliseconds = .seconds(512)"),
        Quote(proto, "| up to 200 ms later", "Sources/Session", "helloSpread: Milliseconds = 200"),
        Quote(
            proto, "after the register, for 30 s at most", "Sources/Session", "intentLife: Milliseconds = .seconds(30)"),
        Quote(proto, "with zeros up to 1 MiB", "Sources/NodeRuntime", "standardCapacity = 1 << 20"),
        Quote(proto, "remote that was silent for 30 s", "Sources/Session", "intentLife: Milliseconds = .seconds(30)"),
        Quote(
            proto, "was silent for 30 s and does not own", "Sources/Session", "intentLife: Milliseconds = .seconds(30)"),
        Quote(proto, "`tooLarge` | more than 16,384 bytes", "Sources/Session", "payloadBytes = 16_384"),
        Quote(proto, "is more than 10 s from group time", "Sources/Session", "agreement = Limits.stampLead"),
        Quote(proto, "more than 512 senders", "Sources/Session", "nodes = 512"),
        Quote(proto, "room for 512 names", "Sources/Session", "nodes = 512"),
        Quote(proto, "0 to 7,258,118,400,000 (the year", "Sources/Session", "0...7_258_118_400_000"),
        Quote(proto, "milliseconds: 0 to 3,155,760,000,000", "Sources/Session", "0...3_155_760_000_000"),
        Quote(
            proto, "| counter | 0 to 1,000,000,000,000", "Sources/Session",
            "counter: ClosedRange<Int> = 0...1_000_000_000_000"),
        Quote(proto, "| 1 to 36 characters of", "Sources/Session", "(token, limit: 36)"),
        Quote(proto, "less up to a quarter at random", "Sources/Core", "upTo: wait / 4"),
        Quote(proto, "absent, `at` and 30 seconds", "Sources/Wire", "absent: intent.at + Limits.intentLife"),
        Quote(proto, "absent, `at` and 30 seconds", "Sources/Session", "intentLife: Milliseconds = .seconds(30)"),
        Quote(proto, "what `extend` adds; absent, 60", "Sources/Wire", "extensionSeconds = 60"),
        Quote(proto, "two levels; absent, 1,000", "Sources/Wire", "absent: 1_000"),
        Quote(proto, "its last 64 other answers", "Sources/Session", "refusals = Memory(kept: 64)"),
        Quote(proto, "steady within five points", "Sources/Calm", "steady: Int64 = 5\n"),
        Quote(proto, "below 80 displays show", "Sources/Wire", "enoughCoverage = 80"),
        Quote(proto, "and 80 percent of each was heard", "Sources/Wire", "enoughCoverage = 80"),
        Quote(proto, "connection until ten minutes later", "Sources/Calm", "grace: Milliseconds = .minutes(10)"),
        Quote(proto, "that is 90 days at least", "Sources/Wire", "weeksLimit = 14"),
        Quote(proto, "`endsAt` more than two days ahead", "Sources/Session", "past.upperBound + .days(1)"),
        Quote(proto, "If 14 weeks are listed", "Sources/Wire", "weeksLimit = 14"),
        Quote(proto, "Such a week has seven days", "Sources/Wire", "length: Milliseconds = .days(7)"),
        Quote(proto, "nearest to seven days later", "Sources/Debt", "opened.to + 7 * Zone.day / 2"),
        Quote(proto, "cap, 15 hours by default", "Sources/Session", "countUpCap: Int = 54_000"),
        Quote(proto, "more than 30 minutes late", "Sources/Session", "lateness: Milliseconds = .minutes(30)"),
        Quote(proto, "notAllowed` if 80 phases leave", "Sources/Session", "phases = 80"),
        Quote(proto, "that it is for, 0 to 79; startBreak", "Sources/Session", "phases = 80"),
        Quote(proto, "and `phase` is not 0 to 79", "Sources/Session", "(0..<Limits.phases).contains(asked)"),
        Quote(proto, "nor one of its last 16 before", "Sources/Session", "pastSessions = 16"),
        Quote(proto, "A 121st run makes", "Sources/Session", "runs = 120"),
        Quote(proto, "is a multiple of 4, else", "Sources/Session", "longBreakEvery: Int = 4,"),
        Quote(proto, "15 and 5 minutes", "Sources/Session", "shortBreak: Int = 300, longBreak: Int = 900"),
        Quote(proto, "a focus of 25 minutes", "Sources/Session", "focus: Int = 1_500"),
        Quote(proto, "not 1 to 86,400, or the phase becomes", "Sources/Session", "phaseSeconds = 1...86_400"),
        Quote(
            proto, "countdown, for 5 s after the end", "Sources/Session", "completionShown: Milliseconds = .seconds(5)"),
        Quote(proto, "with the owner for 30 s", "Sources/Session", "staleAfter: Milliseconds = .seconds(30)"),
        Quote(proto, "at most once in 5 s", "Sources/DebtService", "interval: Int64 = 5_000"),
        Quote(trust, "at most once in 5 s", "Sources/DebtService", "interval: Int64 = 5_000"),
        Quote(proto, "keep-alive 10 s", "Sources/Shell", "keepAliveSeconds = 10\n"),
        Quote(proto, "**Repeat** it every 1 s", "Sources/Session", "resendInterval: Milliseconds = .seconds(1)"),
        Quote(
            proto, "to the one that serves, every five seconds", "Sources/Services",
            "interval: Milliseconds = .seconds(5)"),
        Quote(proto, "publishes only after ten seconds", "Sources/DebtService", "completion: Int64 = 10_000"),
        Quote(proto, "Give up 5 s after", "Sources/Session", "giveUpAfter: Milliseconds = .seconds(5)"),
        Quote(proto, "count the 5 s again", "Sources/Session", "giveUpAfter: Milliseconds = .seconds(5)"),

        Quote(trust, "works once, within ten minutes", "Sources/Web", "linkLife: Int64 = 600_000"),
        Quote(trust, "with a reserve of 1 s", "Sources/Session", "reserve: Milliseconds = .seconds(1)"),
        Quote(trust, "packets of 64 KiB", "Config", "max_packet_size 65536"),
        Quote(trust, "800 connections", "Config", "max_connections 800"),
        Quote(trust, "256 MiB of memory", "Config", "memory_limit 268435456"),
        Quote(trust, "1,000 queued messages", "Config", "max_queued_messages 1000"),
        Quote(trust, "at most 16,384 bytes", "Sources/Session", "payloadBytes = 16_384"),
        Quote(trust, "nests at most 16 deep", "Sources/Wire", "depthLimit = 16"),
        Quote(trust, "counts up to 10 s ahead", "Sources/Session", "stampLead: Milliseconds = .seconds(10)"),
        Quote(trust, "120 runs", "Sources/Session", "runs = 120"),
        Quote(trust, "80 phases", "Sources/Session", "phases = 80"),
        Quote(trust, "64 applied ids", "Sources/Session", "applied = 64"),
        Quote(trust, "within 10 s, on the connection", "Sources/Session", "pongAge: Milliseconds = .seconds(10)"),
        Quote(trust, "30,000 new sessions a day", "Sources/Debt", "sessionsPerDay = 30_000"),
        Quote(trust, "expires. 20 a second", "Sources/Session", "rate: Int64 = 20"),
        Quote(trust, "name | 20 a second", "Sources/Session", "rate: Int64 = 20"),
        Quote(trust, "at most 20 times a second", "Sources/Session", "rate: Int64 = 20"),
        Quote(trust, "two clocks differ by more than 10 s", "Sources/Session", "agreement = Limits.stampLead"),
        Quote(trust, "at most 512 peers", "Sources/Session", "nodes = 512"),
        Quote(trust, "interrupts for about 10 s", "Sources/Mosquitto", "requestTimeoutMilliseconds = 10_000"),
        Quote(trust, "reconnects after 10 s without", "Sources/Mosquitto", "requestTimeoutMilliseconds = 10_000"),
        Quote(trust, "lies at most 10 s before", "Sources/Session", "stampLead: Milliseconds = .seconds(10)"),
        Quote(
            trust, "Advance the stamps of others by 10 s", "Sources/Session", "stampLead: Milliseconds = .seconds(10)"),
        Quote(
            trust, "at most every five seconds", "Sources/Session", "shortestIdleInterval: Milliseconds = .seconds(5)"),
        Quote(trust, "epoch up to 1,000,000 plus", "Sources/Session", "epochs = 1_000_000"),
        Quote(trust, "revision by 1,000,000 at most", "Sources/Session", "claimedRevisions = 1_000_000"),

        Quote(words, "silent for two seconds", "Sources/Session", "silenceLimit: Milliseconds = .seconds(2)"),
        Quote(words, "not answer for four", "Sources/Session", "unresponsiveLimit: Milliseconds = .seconds(4)"),
        Quote(words, "gives up after five seconds", "Sources/Session", "giveUpAfter: Milliseconds = .seconds(5)"),
        Quote(words, "intents of the last 30 seconds", "Sources/Session", "intentLife: Milliseconds = .seconds(30)"),

        Quote(core, "keeps the answer for 30 s", "Sources/Core", "decidedAt + Limits.intentLife"),
        Quote(core, "engine's two seconds", "Sources/Session", "barrierPatience: Milliseconds = .seconds(2)"),

        Quote("README.md", "silent for two seconds", "Sources/Session", "silenceLimit: Milliseconds = .seconds(2)"),
        Quote(commands, "silent for two seconds", "Sources/Session", "silenceLimit: Milliseconds = .seconds(2)"),
        Quote(commands, "does not answer for four", "Sources/Session", "unresponsiveLimit: Milliseconds = .seconds(4)"),
        Quote(commands, "in the last 30 seconds", "Sources/Session", "intentLife: Milliseconds = .seconds(30)"),
        Quote(
            commands, "can still take effect within 30 s", "Sources/Session", "intentLife: Milliseconds = .seconds(30)"),
        Quote(commands, "less than 80 % of the time", "Sources/Wire", "enoughCoverage = 80"),
        Quote(commands, "more than a quarter of a second", "Sources/Session", "exactEnough: Milliseconds = 250"),
        Quote(commands, "a goal of 420 minutes", "Sources/Debt", "goal: Int = 420"),
        Quote(commands, "backup lacks, of 90 days", "Sources/Wire", "weeksLimit = 14"),
        Quote("Sources/Web/README.md", "are 16 to 4096 points", "Sources/Display", "sizes = 16...4_096"),
        Quote("Sources/Web/README.md", "| `scale` | 0.2 to 1,", "Sources/Web", "scales = 0.2...1.0"),
        Quote("Sources/Web/README.md", "works once, within ten minutes", "Sources/Web", "linkLife: Int64 = 600_000"),
        Quote("Sources/Web/README.md", "sessions of seven days", "Sources/Display", "daysLimit = 7\n"),
        Quote("Sources/Web/README.md", "undone for five seconds", "Sources/Web", "undoLasts = 5000"),
        Quote("Sources/Web/README.md", "is valid for 397 days", "Sources/TLS", "certificateDays: Int64 = 397"),
        Quote("Sources/Web/README.md", "in its last 30 days", "Sources/TLS", "renewalDays: Int64 = 30\n"),
        Quote("Sources/Web/README.md", "is valid for ten years", "Sources/TLS", "authorityDays: Int64 = 3_650"),
        Quote("Sources/Web/README.md", "has up to 32 phones", "Sources/Web", "limit = 32\n"),
        Quote("Config/README.md", "at most 32 characters", "Sources/Session", "(level, limit: 32)"),
        Quote("Config/README.md", "A hook has 10 seconds", "Sources/NodeRuntime", "seconds(10)"),
        Quote(
            "Config/README.md", "(30 s without contact", "Sources/Session", "staleAfter: Milliseconds = .seconds(30)"),
        Quote("Config/README.md", "minutes a week, 0 to 10,080", "Sources/Debt", "goals = 0...10_080"),
        Quote("Tests/README.md", "woke half a second late", "Tests/Support", "shortest = Duration.milliseconds(500)"),
        Quote("Tests/README.md", "host stole half a second", "Tests/Support", "shortest = Duration.milliseconds(500)"),
    ]

    /// Times and sizes that are no constants: those of an example, or of people.
    static let examples = [
        // Measured by hand.
        "| 130 MB | 34 MB | 7.5 ms |", "**97 MB** | **26 MB** | **7.5 ms**", "| 102 MB | 25 MB | 9.5 ms |",
        "| 93 MB | 24 MB | 7.5 ms |",
        "A person starts 25 minutes", "a break 600 s into", "connected 20 s later", "a phase of 1,500 seconds",
        "25:00 until 750 ms", "This register has two phases",
        "the calm of each seven days", "everything in about 20 minutes", "an answer within 7 days",
        "from start to exit | 10 ms", "over MQTT | 17,376 a second",
    ]

    /// A number in digits or as a word, with a unit.
    private static var amount: Regex<Substring> {
        Regex {
            Anchor.wordBoundary
            ChoiceOf {
                /[0-9][0-9,.]*/
                /(?:two|three|four|five|six|seven|eight|nine|ten|twelve|half a|a quarter)/
            }
            " "
            ChoiceOf {
                /(?:s|ms|bytes|KiB|MiB|millionths|a second|seconds?|minutes?|hours?|days|weeks|percent|times|points)/
                /(?:characters|phases|deep)/
            }
            Anchor.wordBoundary
        }
    }

    /// All text in a folder; the lines of a page are joined.
    private static func text(of folder: String) throws -> String {
        try Project.files(under: folder) {
            ![".md", ".woff2", ".png", "ConstantTests.swift"].contains(where: $0.hasSuffix)
        }
        .map(Project.read).joined(separator: "\n")
    }

    private static func page(_ path: String) throws -> String {
        try Project.read(path).split(separator: /\s+/).joined(separator: " ")
    }

    @Test(arguments: quotes) func quotedConstantEqualsTheCode(quote: Quote) throws {
        #expect(try Self.page(quote.page).contains(quote.phrase), "\(quote.page) does not say: \(quote.phrase)")
        #expect(try Self.text(of: quote.folder).contains(quote.code), "\(quote.folder) does not say: \(quote.code)")
    }

    static let pages = (try? Project.pages().filter { !$0.hasSuffix("CHANGELOG.md") }) ?? []

    /// The text of a page between its blocks of code.
    private static func prose(_ path: String) throws -> String {
        let parts = try Project.read(path).split(separator: "```", omittingEmptySubsequences: false)
        return parts.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: " ")
            .split(separator: /\s+/).joined(separator: " ")
    }

    @Test(arguments: pages) func eachTimeAndSizeIsQuoted(path: String) throws {
        let prose = try Self.prose(path)
        let quoted = Self.quotes.filter { $0.page == path }.map(\.phrase) + Self.examples
        for match in prose.matches(of: Self.amount) {
            let start = prose.index(match.range.lowerBound, offsetBy: -60, limitedBy: prose.startIndex)
            let end = prose.index(match.range.upperBound, offsetBy: 60, limitedBy: prose.endIndex)
            let place = prose[(start ?? prose.startIndex)..<(end ?? prose.endIndex)]
            let isQuoted = quoted.contains { place.contains($0) && $0.contains(match.output) }
            #expect(isQuoted, "\(path): …\(place)…")
        }
    }

    @Test func eachExampleIsOnAPage() throws {
        let prose = try Self.pages.map(Project.read).joined(separator: " ").split(separator: /\s+/).joined(
            separator: " ")
        for example in Self.examples { #expect(prose.contains(example), "\(example)") }
    }
}
