// SPDX-License-Identifier: Apache-2.0

import Glibc
import Session
import Wire

/// The files of an ``Outbox``: `outbox/<session>.json` waits, `recorded/<session>.json` was acknowledged.
struct OutboxFiles {
    private static let waiting = "outbox"
    private static let kept = "recorded"

    private let directory: StateDirectory

    init(directory: StateDirectory) { self.directory = directory }

    /// What the folders hold.
    func load() -> (waiting: [FiledRecord], kept: [FiledRecord], damaged: [String]) {
        var damaged: [String] = []
        func records(in folder: String) -> [FiledRecord] {
            names(in: folder).compactMap { name in
                let path = "\(directory.path)/\(folder)/\(name)"
                guard let bytes = try? Files.read(path, limit: Limits.payloadBytes) else { return nil }
                guard let filed = try? FiledRecord(json: bytes), "\(filed.record.id).json" == name else {
                    damaged.append(path)
                    return nil
                }
                return filed
            }
        }
        return (records(in: Self.waiting), records(in: Self.kept), damaged)
    }

    private func names(in folder: String) -> [String] {
        guard let stream = opendir("\(directory.path)/\(folder)") else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".json") { names.append(name) }
        }
        return names
    }

    /// Puts a record on disk, in place of an earlier one of its session.
    func write(waiting filed: FiledRecord) throws(FileError) {
        let folder = try open(Self.waiting)
        defer { close(folder) }
        let name = Self.name(filed.record.id)
        let path = "\(directory.path)/\(Self.waiting)/\(name)"
        let temporary = name + ".new"
        unlinkat(folder, temporary, 0)
        let file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError(path: path, action: "write", code: errno) }
        defer { close(file) }
        try Files.write(filed.json() + [UInt8(ascii: "\n")], to: file, path: path)
        guard fsync(file) == 0, renameat(folder, temporary, folder, name) == 0, fsync(folder) == 0 else {
            throw FileError(path: path, action: "write", code: errno)
        }
    }

    /// A record was acknowledged.
    func keep(_ id: SessionID) throws(FileError) { try move(id, from: Self.waiting, to: Self.kept) }

    /// A record has to be sent again. Should that be forgotten, it is asked for again.
    func unkeep(_ id: SessionID) { try? move(id, from: Self.kept, to: Self.waiting) }

    func readKept(_ id: SessionID) -> FiledRecord? {
        let path = "\(directory.path)/\(Self.kept)/\(Self.name(id))"
        return (try? Files.read(path, limit: Limits.payloadBytes)).flatMap { try? FiledRecord(json: $0) }
    }

    /// A record was never true. Should that be forgotten, it is found out again.
    func remove(waiting id: SessionID) { unlink("\(directory.path)/\(Self.waiting)/\(Self.name(id))") }

    func remove(kept id: SessionID) { unlink("\(directory.path)/\(Self.kept)/\(Self.name(id))") }

    private func move(_ id: SessionID, from: String, to: String) throws(FileError) {
        let (source, target) = (try open(from), try open(to))
        defer {
            close(source)
            close(target)
        }
        guard renameat(source, Self.name(id), target, Self.name(id)) == 0 else {
            throw FileError(path: "\(directory.path)/\(from)/\(Self.name(id))", action: "move", code: errno)
        }
    }

    private static func name(_ id: SessionID) -> String { "\(id).json" }

    /// Opens a folder, which is made where it is missing.
    private func open(_ folder: String) throws(FileError) -> CInt {
        mkdirat(directory.descriptor, folder, 0o700)
        let descriptor = openat(directory.descriptor, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: "\(directory.path)/\(folder)", action: "open", code: errno) }
        return descriptor
    }
}
