// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Glibc
import Ledger
import Runtime
import Session
import Settings
import Wire

/// `lockstep debt import`: reads sessions from a file into the ledger.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import sessions from a CSV file in the form of lockstep history --csv.",
        discussion: """
            The example import.py turns an export of Goodtime or Toggl Track into such a file. A file can be imported \
            again: nothing counts twice. If a row cannot be read, nothing is imported, unless you give --skip-bad.
            """)

    @OptionGroup var access: LedgerAccessOptions

    @Argument(help: "The file; - is standard input.", completion: .file(extensions: ["csv"]))
    var file: String

    @Flag(help: "Only print what would be imported.")
    var dryRun = false

    @Flag(help: "Skip rows that cannot be read, and name them.")
    var skipBad = false

    @Flag(help: "As JSON.")
    var json = false

    /// The number of records in one transaction. The service can write between two transactions.
    private static let batch = 2_048
    /// The maximum number of bad rows that are named: they fit on a screen.
    private static let shownProblemsLimit = 20
    /// The maximum size of a file, in bytes: decades of sessions. Reading takes several times as much memory.
    private static let sizeLimit = 1 << 27

    func run() throws {
        let content = try read()
        let settings = try access.withLedger(createsMissing: !dryRun, writes: !dryRun) { opened in
            let found: Import
            do throws(ValueError) {
                found = try Import(csv: content) { show(progress: $0 / 2) }
            } catch {
                throw UsageError("\(file): \(error)")
            }
            var report = ImportReport(file: file, found: found, isDry: dryRun)
            let isRefused = !found.problems.isEmpty && !skipBad
            if !isRefused { try file(found, into: opened, &report) }
            ProgressLine.show("")
            for problem in found.problems.prefix(json ? 0 : skipBad ? .max : Self.shownProblemsLimit) {
                CommandLineRunner.say("\(file): \(problem)")
            }
            if json { print(report.json) } else if !isRefused { print(report.text) }
            if isRefused {
                let unlistedCount = max(0, found.problems.count - Self.shownProblemsLimit)
                throw UsageError(
                    "\(file): \(ImportReport.counted(found.problems.count, "row")) cannot be read"
                        + (unlistedCount > 0 && !json ? ", \(unlistedCount) more than listed here" : "")
                        + "; nothing was imported. --skip-bad skips \(found.problems.count == 1 ? "it" : "them")")
            }
            return opened.settings
        }
        if !dryRun { LedgerAccessOptions.notifyService(of: settings) }
    }

    private func read() throws -> [UInt8] {
        // Not `Files.read`: a pipe has no length and cannot be opened a second time.
        let descriptor = file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable }
        defer { close(descriptor) }
        var (content, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            guard count > 0 || errno == EINTR else { throw unreadable }
            content += buffer.prefix(max(0, count))
            guard content.count <= Self.sizeLimit else {
                throw UsageError(
                    "\(file) is larger than \(Self.sizeLimit >> 20) MB: split it, and repeat the first line in each part"
                )
            }
        }
    }

    private var unreadable: UsageError {
        UsageError("\(file == "-" ? "standard input" : file) cannot be read: \(String(cString: strerror(errno)))")
    }

    /// Files the records in batches, so that other writers do not wait long; then corrections and calm. After a failure
    /// the file can be imported again: nothing is filed twice.
    private func file(_ found: Import, into opened: LedgerAccessOptions.Opened, _ report: inout ImportReport) throws {
        let now = Clocks.now().told
        for start in stride(from: 0, to: found.records.count, by: Self.batch) {
            let arrivals = found.records[start..<min(start + Self.batch, found.records.count)].map {
                LedgerStore.Arrival(space: opened.space, digested: DigestedRecord($0), at: now)
            }
            let filings =
                dryRun ? try opened.ledger.filings(of: arrivals) : try opened.ledger.file(arrivals).map(\.filing)
            for (arrival, filing) in zip(arrivals, filings) { report.count(filing, of: arrival.digested.record) }
            show(progress: 0.5 + Double(start) / Double(found.records.count) / 2)
        }
        let knownIDs = dryRun ? try corrections(of: found, in: opened) : []
        for correction in found.corrections {
            let isNew =
                dryRun ? !knownIDs.contains(correction.id) : try opened.ledger.correct(correction, in: opened.space)
            if isNew { report.corrections += 1 }
        }
        guard !dryRun else { return }
        for calm in found.calm { try opened.ledger.store(calm, in: opened.space) }
    }

    private func corrections(of found: Import, in opened: LedgerAccessOptions.Opened) throws -> Set<CorrectionID> {
        let sessions = Set(found.corrections.map(\.key))
        return Set(try sessions.flatMap { try opened.ledger.corrections(of: $0, in: opened.space).map(\.id) })
    }

    private func show(progress: Double) { ProgressLine.show("\(file): \(Int(progress * 100))%") }
}
