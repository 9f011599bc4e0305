// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Debt
import FoundationEssentials
import Glibc
import Session
import Shell
import Wire

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes sessions from a CSV file: of lockstep history, of Goodtime or of Toggl Track.",
        discussion: """
            Whose file it is its first line tells. Of Goodtime, notes become the title; of Toggl Track's detailed report, \
            the project becomes the label and the description the title, and clients, tags and amounts are left out. Local \
            times are those of the home zone. A file may be imported again: nothing counts twice. When a row cannot be \
            read, nothing is imported, unless you say --skip-bad.
            """)

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The file; - is standard input.", completion: .file(extensions: ["csv"]))
    var file: String

    @Flag(help: "Only say what would come.")
    var dryRun = false

    @Flag(help: "Leave out rows that cannot be read, and name them.")
    var skipBad = false

    @Flag(help: "As JSON.")
    var json = false

    private static let batch = 2_048
    private static let shownProblems = 20

    func run() throws {
        let content = try read()
        let settings = try access.with(isMade: !dryRun, writes: !dryRun) { opened in
            let colours = try opened.ledger.colours(of: opened.space)
            let found: Import
            do throws(ImportError) {
                let zone = opened.history.latest.zone
                found = try Import(csv: content, zone: zone, colours: colours) { say(progress: $0 / 2) }
            } catch {
                throw UsageError("\(file): \(error)")
            }
            var report = ImportReport(file: file, found: found, isDry: dryRun)
            let isRefused = !found.problems.isEmpty && !skipBad
            if !isRefused { try take(found, into: opened, &report) }
            clearProgress()
            for problem in found.problems.prefix(json ? 0 : skipBad ? .max : Self.shownProblems) {
                CommandLineRunner.say("\(file): \(problem)")
            }
            if json { print(report.json) } else if !isRefused { print(report.text) }
            if isRefused {
                let more = max(0, found.problems.count - Self.shownProblems)
                throw UsageError(
                    "\(file): \(found.problems.count) rows cannot be read"
                        + (more > 0 && !json ? ", \(more) more than are named here" : "")
                        + "; nothing was imported. --skip-bad leaves them out")
            }
            return opened.settings
        }
        if !dryRun { LedgerAccess.tellService(of: settings) }
    }

    private func read() throws -> [UInt8] {
        // A pipe has no length and may not be opened a second time, so it is read to its end as it is.
        let descriptor = file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable }
        defer { close(descriptor) }
        var (content, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            guard count > 0 || errno == EINTR else { throw unreadable }
            content += buffer.prefix(max(0, count))
        }
    }

    private var unreadable: UsageError {
        UsageError("\(file == "-" ? "standard input" : file) cannot be read: \(String(cString: strerror(errno)))")
    }

    /// In batches: whoever writes meanwhile is not kept waiting, and a second try finds what the first has left.
    private func take(_ found: Import, into opened: LedgerAccess.Opened, _ report: inout ImportReport) throws {
        let now = Clocks.now().wall
        for start in stride(from: 0, to: found.records.count, by: Self.batch) {
            let arrivals = found.records[start..<min(start + Self.batch, found.records.count)].map {
                Ledger.Arrival(space: opened.space, filed: FiledRecord($0), at: now)
            }
            let filings =
                dryRun ? try opened.ledger.filings(of: arrivals) : try opened.ledger.file(arrivals).map(\.filing)
            for (arrival, filing) in zip(arrivals, filings) { report.count(filing, of: arrival.filed.record) }
            say(progress: 0.5 + Double(start) / Double(found.records.count) / 2)
        }
        let known = dryRun ? try words(of: found, in: opened) : []
        for correction in found.corrections {
            let isNew =
                dryRun ? !known.contains(correction.id) : try opened.ledger.correct(correction, in: opened.space)
            if isNew { report.corrections += 1 }
        }
        guard !dryRun else { return }
        for calm in found.calm { try opened.ledger.note(calm, in: opened.space) }
    }

    private func words(of found: Import, in opened: LedgerAccess.Opened) throws -> Set<CorrectionID> {
        let sessions = Set(found.corrections.map(\.key))
        return Set(try sessions.flatMap { try opened.ledger.corrections(of: $0, in: opened.space).map(\.id) })
    }

    // MARK: Progress

    private func say(progress: Double) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let text = Array("\r\(file): \(Int(progress * 100))%".utf8)
        _ = write(STDERR_FILENO, text, text.count)
    }

    private func clearProgress() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let text = Array("\r\u{1B}[K".utf8)
        _ = write(STDERR_FILENO, text, text.count)
    }
}

/// What came of an import.
private struct ImportReport: Encodable {
    private struct Skipped: Encodable {
        var line: Int
        var column: String?
        var reason: String
    }

    private var file: String
    private var source: String
    private var dryRun: Bool
    /// Sessions that were not in the ledger, and milliseconds of all their runs.
    private var imported = 0
    private var milliseconds: Int64 = 0
    /// Sessions that were, just so or in a later version.
    private var known = 0
    /// Sessions of which the ledger holds another record of that version.
    private var conflicts = 0
    var corrections = 0
    private var repeated: Int
    private var shortened: Int
    private var skipped: [Skipped]

    init(file: String, found: Import, isDry: Bool) {
        self.file = file
        source = found.source.rawValue
        dryRun = isDry
        repeated = found.repeated
        shortened = found.shortened
        skipped = found.problems.map { Skipped(line: $0.line, column: $0.column, reason: $0.reason) }
    }

    mutating func count(_ filing: Filing, of record: LedgerRecord) {
        switch filing {
        case .kept:
            imported += 1
            milliseconds += record.runs.reduce(0) { $0 + ($1.to ?? $1.from) - $1.from }
        case .known, .older: known += 1
        case .conflict: conflicts += 1
        // An import has no quota.
        case .refused: break
        }
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    var text: String {
        let source = ImportSource(rawValue: source)?.name ?? source
        var parts = [
            "\(dryRun ? "Would import" : "Imported") \(Self.count(imported, "session")) of "
                + "\(Self.count(Int(milliseconds / 60_000), "minute")) from \(source)"
        ]
        if corrections > 0 { parts.append(Self.count(corrections, "correction")) }
        if known > 0 { parts.append("\(known) \(known == 1 ? "was" : "were") there already") }
        if repeated > 0 {
            parts.append("\(Self.count(repeated, "row")) \(repeated == 1 ? "repeats another" : "repeat others")")
        }
        if conflicts > 0 {
            parts.append(
                "\(conflicts) \(conflicts == 1 ? "differs" : "differ") from what the ledger holds: lockstep doctor names "
                    + (conflicts == 1 ? "it" : "them"))
        }
        if shortened > 0 {
            parts.append("\(shortened) \(shortened == 1 ? "title or label was" : "titles or labels were") cut short")
        }
        if !skipped.isEmpty { parts.append("\(Self.count(skipped.count, "row")) left out") }
        return parts.joined(separator: "; ") + "."
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
