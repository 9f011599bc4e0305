// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Logging
import Platform
import Runtime
import Session
import Settings

/// The file of one space, and its lines that are not written yet.
struct CalmStateFile {
    fileprivate let path: String
    fileprivate var pending: [UInt8] = []
    /// The size of the file, and of the snapshot at its beginning, in bytes.
    fileprivate var size = 0
    fileprivate var snapshot = 0
    fileprivate var isFailing = false

    /// Whether the pending lines should be written now.
    var hasManyPending: Bool { pending.count > 4_096 }

    mutating func append(_ sample: TimedLevel, at now: BootTime) {
        pending += "s \(sample.from) \(sample.period) \(sample.level) \(now) \(sample.source)\n".utf8
    }

    mutating func append(_ lineage: LineageRuns) {
        pending += Array("l ".utf8) + ReportJSON.encode(lineage) + [10]
    }
}

/// The files that keep calm across a restart: for each space `<space>.calm` in the state directory.
///
/// A file begins with a snapshot of the state as JSON, followed by a line for each later sample or change. It holds
/// levels, never sound. Lines are written without a flush: each second while a session runs, else when they exceed
/// 4 KiB. So a power cut leaves a gap.
struct CalmStateFiles {
    /// The largest file that is read, in bytes.
    private static let limit = 64 << 20
    /// A file is rewritten when it exceeds twice its snapshot plus this many bytes.
    private static let growth = 64 << 10

    let directory: StateDirectory
    let bootID: BootID
    let log: Logger

    /// The first line of a file: the whole state, and the clocks of the time when it was written.
    private struct Snapshot: Codable {
        var v = 1
        var boot: String
        /// The wall clock minus the boot clock, in milliseconds.
        var lead: Int64
        var state: CalmState
    }

    private var lead: Lead {
        let now = Clocks.now()
        return Lead(of: now.told, over: now.boot)
    }

    /// Reads the state of a space, and rewrites its file as one snapshot.
    func open(_ space: SpaceID, threshold: Threshold) -> (CalmStateFile, CalmState) {
        var file = CalmStateFile(path: "\(directory.path)/\(space).calm")
        let known = load(file.path)
        var state = known ?? CalmState(threshold: threshold)
        // Earlier samples stay quiet or loud by the threshold of their time.
        state.meter.threshold = threshold
        // A file that was read is replaced, so the new one must be on disk first.
        rewrite(&file, state, isFlushed: known != nil)
        return (file, state)
    }

    /// Writes the pending lines. With a state, it rewrites a file that is long, or whose last write failed, instead.
    func writePending(_ file: inout CalmStateFile, state: CalmState? = nil) {
        guard !file.pending.isEmpty else { return }
        if let state, file.isFailing || file.size > 2 * file.snapshot + Self.growth { return rewrite(&file, state) }
        do throws(FileError) {
            let descriptor = Glibc.open(file.path, O_WRONLY | O_APPEND | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileError(path: file.path, action: "write") }
            defer { close(descriptor) }
            try Files.write(file.pending, to: descriptor, path: file.path)
            file.size += file.pending.count
        } catch {
            report(error, &file)
        }
        file.pending = []
    }

    private func rewrite(_ file: inout CalmStateFile, _ state: CalmState, isFlushed: Bool = true) {
        let bytes = ReportJSON.encode(Snapshot(boot: bootID.rawValue, lead: lead.milliseconds, state: state)) + [10]
        file.pending = []
        do throws(FileError) {
            try Files.replace(file.path, isFlushed: isFlushed, with: bytes)
            file.size = bytes.count
            file.snapshot = bytes.count
            file.isFailing = false
        } catch {
            report(error, &file)
        }
    }

    /// Logs the first of several failures. The state stays in memory, and the file is rewritten when that works.
    private func report(_ failure: FileError, _ file: inout CalmStateFile) {
        if !file.isFailing { log.error("\(failure)") }
        file.isFailing = true
    }

    // MARK: Reading

    private func load(_ path: String) -> CalmState? {
        guard let bytes = try? Files.read(path, limit: Self.limit), !bytes.isEmpty else { return nil }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        // A line that a crash cut short has no line feed.
        lines.removeLast()
        guard let first = lines.first, let snapshot: Snapshot = try? ReportJSON.decode(from: Array(first)),
            snapshot.v == 1
        else {
            log.error("the levels in \(path) cannot be read; starting without them")
            return nil
        }
        var state = snapshot.state
        for line in lines.dropFirst() { Self.apply(line, to: &state) }
        if snapshot.boot != bootID.rawValue {
            state.meter.move(by: Lead(snapshot.lead) - lead, at: Clocks.boot())
        }
        return state
    }

    private static func apply(_ line: ArraySlice<UInt8>, to state: inout CalmState) {
        if line.starts(with: "l ".utf8) {
            if let lineage: LineageRuns = try? ReportJSON.decode(from: Array(line.dropFirst(2))) {
                state.lineage = lineage
            }
            return
        }
        let parts = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 5)
        guard parts.count == 6, parts[0] == "s", let from = Int64(parts[1]), let period = Int64(parts[2]),
            let level = Int(parts[3]), let now = Int64(parts[4])
        else { return }
        let sample = TimedLevel(
            source: String(parts[5]), from: BootTime(from), period: Milliseconds(period), level: level)
        state.meter.add(sample, at: BootTime(now))
    }
}
