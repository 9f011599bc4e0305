// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Platform
import Session
import Settings
import Wire

/// The file of the reported session events, beside the journal. It is written before the hooks of new events run. So a
/// crash between the two loses a hook; the other order would run one twice, which does more harm.
struct EventMemory: Sendable {
    static let name = "hooks.json"
    /// The largest file that is read, in bytes; this program writes no larger one.
    private static let fileLimit = 1 << 18

    let directory: StateDirectory

    private var path: String { directory.path + "/" + Self.name }

    /// Returns `nil` if there is no file.
    func load(at groupTime: GroupTime) throws -> SessionEvents? {
        do {
            return try SessionEvents(json: try Files.read(path, limit: Self.fileLimit), beginningAt: groupTime)
        } catch let error as FileError where error.isMissing {
            return nil
        }
    }

    func write(_ events: SessionEvents) throws(FileError) {
        try Files.replace(Self.name, in: directory.descriptor, path: path, with: events.json)
    }

    /// Removes the file, so that hooks that are enabled later do not report the time between.
    func remove() { unlinkat(directory.descriptor, Self.name, 0) }
}

extension SessionEvents {
    /// The content of the file.
    private struct Stored: Codable {
        var v = 1
        var since: GroupTime
        var known: [KnownSession]
        /// The session last shown, as its node publishes it.
        var shown: String?
    }

    var json: [UInt8] {
        let shown = shown.map { String(decoding: $0.json(), as: UTF8.self) }
        return ReportJSON.encode(Stored(since: since, known: known, shown: shown))
    }

    init(json: [UInt8], beginningAt groupTime: GroupTime) throws {
        let stored = try ReportJSON.decode(Stored.self, from: json)
        guard stored.v == 1 else { throw ValueError("unknown version \(stored.v)") }
        let shown = try stored.shown.map { try Register(payload: Array($0.utf8)) }
        self.init(since: stored.since, known: stored.known, shown: shown, beginningAt: groupTime)
    }
}
