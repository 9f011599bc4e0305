// SPDX-License-Identifier: Apache-2.0

import Calm
import Glibc
import Logging
import Session
import Shell
import Wire

/// What was heard of one space and is not on disk yet.
struct RoomFile {
    fileprivate let path: String
    fileprivate var pending: [UInt8] = []
    /// Bytes of the file, and of what stood in it when it was made.
    fileprivate var size = 0
    fileprivate var snapshot = 0
    fileprivate var isFailing = false

    /// Whether there is so much that it should not wait any longer.
    var isLong: Bool { pending.count > 4_096 }

    /// Another sample: a line that says it as it was placed.
    mutating func note(_ sample: Sample, at now: Int64) {
        pending += "s \(sample.from) \(sample.period) \(sample.level) \(now) \(sample.source)\n".utf8
    }

    /// The running time of the session has changed.
    mutating func note(_ lineage: Lineage) {
        pending += Array("l ".utf8) + ReportJSON.encode(lineage) + [10]
    }
}

/// A file for each space, `<space>.room` in the state directory: what was heard as JSON, and behind it a line for each
/// thing that has happened since, so that a restart goes on as if nothing had been. It holds levels; sound is nowhere.
///
/// Lines are written each second and not flushed: they survive the process, and of a power cut the last seconds are lost,
/// which then are a gap.
struct RoomFiles {
    private static let limit = 64 << 20
    /// A file that has grown by this, and by twice what it began with, is made anew.
    private static let growth = 64 << 10

    let directory: StateDirectory
    let bootID: BootID
    let log: Logger

    private struct Snapshot: Codable {
        var v = 1
        var boot: String
        /// By how much the wall clock was ahead of the boot clock.
        var lead: Int64
        var room: Room
    }

    private var lead: Int64 {
        let now = Clocks.now()
        return now.wall - now.boot
    }

    /// Reads what an earlier process has heard of a space.
    func open(_ space: SpaceID, threshold: Threshold) -> (RoomFile, Room) {
        var file = RoomFile(path: "\(directory.path)/\(space).room")
        let known = load(file.path)
        var room = known ?? Room(threshold: threshold)
        // From here on; what was heard before was judged by what held then.
        room.meter.threshold = threshold
        rewrite(&file, room, isSynced: known != nil)
        return (file, room)
    }

    /// Writes what is pending; given the room, makes a long file anew.
    func flush(_ file: inout RoomFile, room: Room? = nil) {
        guard !file.pending.isEmpty else { return }
        if let room, file.isFailing || file.size > 2 * file.snapshot + Self.growth { return rewrite(&file, room) }
        do throws(Failure) {
            try write(file.pending, to: file.path, O_WRONLY | O_APPEND | O_CLOEXEC)
            file.size += file.pending.count
        } catch {
            complain(error, &file)
        }
        file.pending = []
    }

    private func rewrite(_ file: inout RoomFile, _ room: Room, isSynced: Bool = true) {
        let bytes = ReportJSON.encode(Snapshot(boot: bootID.rawValue, lead: lead, room: room)) + [10]
        let temporary = file.path + ".new"
        unlink(temporary)
        file.pending = []
        do throws(Failure) {
            try write(bytes, to: temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isSynced: isSynced)
            guard rename(temporary, file.path) == 0 else { throw Failure(path: file.path) }
            file.size = bytes.count
            file.snapshot = bytes.count
            file.isFailing = false
        } catch {
            complain(error, &file)
        }
    }

    private struct Failure: Error {
        var path: String
        var code = errno
    }

    private func write(
        _ bytes: [UInt8], to path: String, _ flags: Int32, isSynced: Bool = false
    ) throws(Failure) {
        let descriptor = Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(path: path) }
            rest = rest.dropFirst(count)
        }
        if isSynced, fsync(descriptor) != 0 { throw Failure(path: path) }
    }

    /// Said once. Calm goes on from memory, and the file is made anew as soon as that works.
    private func complain(_ failure: Failure, _ file: inout RoomFile) {
        if !file.isFailing { log.error("cannot write \(failure.path): \(String(cString: strerror(failure.code)))") }
        file.isFailing = true
    }

    // MARK: Reading

    private func load(_ path: String) -> Room? {
        guard let bytes = read(path) else { return nil }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        // What a crash cut short has no line's end.
        lines.removeLast()
        guard let first = lines.first, let snapshot: Snapshot = try? ReportJSON.decode(from: Array(first)),
            snapshot.v == 1
        else {
            log.error("what was heard cannot be read back from \(path); it begins anew")
            return nil
        }
        var room = snapshot.room
        for line in lines.dropFirst() { Self.take(line, &room) }
        if snapshot.boot != bootID.rawValue { room.move(by: snapshot.lead - lead) }
        return room
    }

    private static func take(_ line: ArraySlice<UInt8>, _ room: inout Room) {
        if line.starts(with: "l ".utf8) {
            if let lineage: Lineage = try? ReportJSON.decode(from: Array(line.dropFirst(2))) { room.sessions = lineage }
            return
        }
        let parts = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 5)
        guard parts.count == 6, parts[0] == "s", let from = Int64(parts[1]), let period = Int64(parts[2]),
            let level = Int(parts[3]), let now = Int64(parts[4])
        else { return }
        room.meter.hear(Sample(source: String(parts[5]), from: from, period: period, level: level), at: now)
    }

    private func read(_ path: String) -> [UInt8]? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < Self.limit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return bytes.isEmpty ? nil : bytes }
            bytes += chunk[..<count]
        }
        return nil
    }
}
