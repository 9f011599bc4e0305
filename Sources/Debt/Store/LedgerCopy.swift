// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A byte-for-byte copy of a ledger's file and of its write-ahead log. The original is only read.
final class LedgerCopy: Sendable {
    /// The copy's file.
    let path: String
    /// The private directory to remove at the end; `nil` where the copy stays.
    private let directory: String?

    /// Copies into memory (`/dev/shm`), or into the directory for temporary files where there is no room.
    convenience init(of source: String) throws {
        var reason: any Error = LedgerError.unusable(path: source, "there is no room for a copy")
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        for place in ["/dev/shm", temporary] {
            var template = Array("\(place)/lockstep-ledger-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { continue }
            let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
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

    /// Copies to a path. What was there, with its log, is removed first.
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

    /// Removes a database with what SQLite keeps beside it.
    static func remove(_ path: String) { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) } }

    /// Bytes of a regular file; 0 where there is none.
    /// - Throws: ``LedgerError`` for what is not a regular file.
    static func size(of path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        guard status.st_mode & S_IFMT == S_IFREG else { throw LedgerError.foreign(path: path) }
        return Int(status.st_size)
    }

    private static func copy(_ source: String, to path: String) throws {
        func fail(_ path: String) -> LedgerError {
            errno == ENOSPC ? .full(path: path) : .unusable(path: path, String(cString: strerror(errno)))
        }
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw fail(source) }
        defer { close(input) }
        let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw fail(path) }
        defer { close(output) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(input, &buffer, buffer.count)
            if count == 0 { break }
            guard count > 0 else { throw fail(source) }
            var written = 0
            while written < count {
                let part = buffer[written..<count].withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
                guard part > 0 else { throw fail(path) }
                written += part
            }
        }
        guard fsync(output) == 0 else { throw fail(path) }
    }
}
