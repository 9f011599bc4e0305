// SPDX-License-Identifier: Apache-2.0

import Core
import FoundationEssentials
import Glibc
import Ledger
import Logging
import Platform
import Session
import Settings
import Wire

/// The files of ledger records: `outbox/<session>.json` for waiting, `recorded/<session>.json` for acknowledged ones.
struct OutboxFiles {
    private static let waiting = "outbox"
    private static let acknowledged = "recorded"

    let directory: StateDirectory
    let log: Logger

    func load() -> (waiting: [DigestedRecord], acknowledged: [DigestedRecord]) {
        func records(in folder: String) -> [DigestedRecord] {
            names(in: folder).compactMap { name in
                let digested = read(name, in: folder)
                if let digested, Self.name(digested.record.id) == name { return digested }
                log.error("a ledger record cannot be read", metadata: ["file": "\(directory.path)/\(folder)/\(name)"])
                return nil
            }
        }
        return (records(in: Self.waiting), records(in: Self.acknowledged))
    }

    private func read(_ name: String, in folder: String) -> DigestedRecord? {
        let path = "\(directory.path)/\(folder)/\(name)"
        // The file ends with a line feed, which is not sent.
        guard var json = try? Files.read(path, limit: Limits.payloadBytes + 1) else { return nil }
        if json.last == UInt8(ascii: "\n") { json.removeLast() }
        return try? DigestedRecord(json: json)
    }

    private func names(in folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/\(folder)")
        return (names ?? []).filter { $0.hasSuffix(".json") }
    }

    /// Writes a record to disk; it replaces an earlier one of its session.
    func write(waiting digested: DigestedRecord) throws(FileError) {
        let folder = try open(Self.waiting)
        defer { close(folder) }
        let name = Self.name(digested.record.id)
        try Files.replace(
            name, in: folder, path: "\(directory.path)/\(Self.waiting)/\(name)",
            with: digested.json + [UInt8(ascii: "\n")])
    }

    func write(_ write: NodeCore.Write) throws(FileError) {
        for digested in write.waiting { try self.write(waiting: digested) }
        for digested in write.acknowledged {
            try self.write(waiting: digested)
            try move(digested.record.id, from: Self.waiting, to: Self.acknowledged)
        }
    }

    /// Applies a change. A failed one is detected after the next start.
    func apply(_ change: RecordChange) {
        switch change {
        case .keep(let id):
            do throws(FileError) {
                try move(id, from: Self.waiting, to: Self.acknowledged)
            } catch {
                log.error("a ledger record cannot be moved", metadata: ["reason": "\(error)"])
            }
        case .requeue(let id): try? move(id, from: Self.acknowledged, to: Self.waiting)
        case .removeWaiting(let id): unlink("\(directory.path)/\(Self.waiting)/\(Self.name(id))")
        case .removeAcknowledged(let id): unlink("\(directory.path)/\(Self.acknowledged)/\(Self.name(id))")
        }
    }

    func readAcknowledged(_ id: SessionID) -> DigestedRecord? { read(Self.name(id), in: Self.acknowledged) }

    private func move(_ id: SessionID, from: String, to: String) throws(FileError) {
        let source = try open(from)
        defer { close(source) }
        let target = try open(to)
        defer { close(target) }
        try Files.move(
            Self.name(id), in: source, to: Self.name(id), in: target, path: "\(directory.path)/\(from)/\(Self.name(id))"
        )
    }

    private static func name(_ id: SessionID) -> String { "\(id).json" }

    /// Opens a folder, which is created if it is missing.
    private func open(_ folder: String) throws(FileError) -> CInt {
        mkdirat(directory.descriptor, folder, 0o700)
        let descriptor = openat(directory.descriptor, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: "\(directory.path)/\(folder)", action: "open") }
        return descriptor
    }
}
