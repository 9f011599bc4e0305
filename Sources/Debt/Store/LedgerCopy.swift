// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform

/// A byte-for-byte copy of a ledger's file and its write-ahead log. The original is only read.
final class LedgerCopy: Sendable {
    let path: String
    /// The private directory that `deinit` removes; `nil` if the copy stays.
    private let directory: String?

    /// Copies into memory (`/dev/shm`), or into `$TMPDIR` if there is no room.
    convenience init(of source: String) throws {
        var reason: any Error = LedgerError.unusable(path: source, "no room for a copy in /dev/shm or $TMPDIR")
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        for place in ["/dev/shm", temporary] {
            guard let directory = try? Files.makeTemporaryDirectory("\(place)/lockstep-ledger-") else { continue }
            do {
                try self.init(of: source, to: directory + "/ledger.sqlite", in: directory)
                return
            } catch {
                Self.remove(directory + "/ledger.sqlite")
                rmdir(directory)
                reason = error
            }
        }
        throw reason
    }

    /// Copies to a path. An existing file there is removed first, with its log.
    convenience init(of source: String, to path: String) throws { try self.init(of: source, to: path, in: nil) }

    private init(of source: String, to path: String, in directory: String?) throws {
        self.path = path
        self.directory = directory
        Self.remove(path)
        try Self.copy(source, to: path)
        if try Self.size(of: source + "-wal") > 0 { try Self.copy(source + "-wal", to: path + "-wal") }
    }

    deinit {
        guard let directory else { return }
        Self.remove(path)
        rmdir(directory)
    }

    static func remove(_ path: String) { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) } }

    /// Returns the size of a regular file in bytes, 0 if there is none. Throws if it is not regular.
    static func size(of path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        guard status.st_mode & S_IFMT == S_IFREG else { throw LedgerError.foreign(path: path) }
        return Int(status.st_size)
    }

    /// Gives a file to the owner of its directory, so that the service can open what root has written.
    static func giveToService(_ path: String) {
        var folder = stat()
        if geteuid() == 0, stat(Files.folder(of: path), &folder) == 0 { chown(path, folder.st_uid, folder.st_gid) }
    }

    private static func copy(_ source: String, to path: String) throws {
        func failure(_ path: String, _ code: Int32 = errno) -> LedgerError {
            code == ENOSPC ? .full(path: path) : .unusable(path: path, String(cString: strerror(code)))
        }
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw failure(source) }
        defer { close(input) }
        let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure(path) }
        defer { close(output) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(input, &buffer, buffer.count)
            if count == 0 { break }
            guard count > 0 else { throw failure(source) }
            do throws(FileError) {
                try Files.write(Array(buffer[..<count]), to: output, path: path)
            } catch {
                throw failure(path, error.code)
            }
        }
        giveToService(path)
        guard fsync(output) == 0 else { throw failure(path) }
    }
}
