// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Session
import Wire

/// The file that remembers what was told of sessions, beside the journal.
///
/// It is written before the hooks of what it tells are started. A crash between the two costs a hook; the other way
/// round it would run a hook twice, and a person forgives a missing notification sooner than a doubled entry.
struct EventMemory: Sendable {
    static let name = "hooks.json"
    private static let limit = 1 << 18

    let directory: StateDirectory

    /// What `load` found.
    enum Found: Hashable {
        case nothing
        case events(SessionEvents)
        /// It cannot be used; in words.
        case damaged(String)
    }

    private var path: String { directory.path + "/" + Self.name }

    /// Reads it back.
    /// - Parameter groupTime: Now, in milliseconds since 1970.
    func load(at groupTime: Int64) -> Found {
        do {
            let bytes = try Files.read(path, limit: Self.limit)
            return .events(try SessionEvents(json: bytes, beginningAt: groupTime))
        } catch let error as FileError where error.isMissing {
            return .nothing
        } catch {
            return .damaged("\(error)")
        }
    }

    /// Replaces it; what was there before stays until the new one is on disk.
    func write(_ events: SessionEvents) throws(FileError) {
        let temporary = Self.name + ".new"
        // Whatever stands there is no other's: a link or a pipe is not followed.
        unlinkat(directory.descriptor, temporary, 0)
        let file = openat(directory.descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("write") }
        defer { close(file) }
        try Files.write(events.json, to: file, path: path)
        guard fsync(file) == 0 else { throw failure("write") }
        guard renameat(directory.descriptor, temporary, directory.descriptor, Self.name) == 0 else {
            throw failure("replace")
        }
        guard fsync(directory.descriptor) == 0 else { throw failure("replace") }
    }

    /// Forgets everything: who asks for hooks again later is not told of the time between.
    func remove() { unlinkat(directory.descriptor, Self.name, 0) }

    private func failure(_ action: String) -> FileError { FileError(path: path, action: action, code: errno) }
}

extension SessionEvents {
    private struct Stored: Codable {
        var v = 1
        var since: Int64
        var known: [KnownSession]
        /// A view, as programs of one machine hand it to each other.
        var shown: String?
    }

    var json: [UInt8] {
        let shown = shown.map { String(decoding: View(register: $0, anchorBoot: 0).json(), as: UTF8.self) }
        return ReportJSON.encode(Stored(since: since, known: known, shown: shown))
    }

    init(json: [UInt8], beginningAt groupTime: Int64) throws {
        let stored = try ReportJSON.decode(Stored.self, from: json)
        guard stored.v == 1 else { throw BadValue("a version that this program does not know: \(stored.v)") }
        let shown = try stored.shown.map { try View(json: Array($0.utf8)) }
        self.init(since: stored.since, known: stored.known, shown: shown?.register, beginningAt: groupTime)
    }
}
