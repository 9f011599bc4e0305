// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Session

/// What a restored ledger holds, and where the one before it is.
public struct LedgerRestore: Hashable, Sendable {
    /// The spaces of the restored ledger.
    public var spaces: [SpaceID]
    /// Where the ledger lies that was replaced; `nil` where there was none.
    public var before: String?

    /// Puts a backup in the place of a ledger that nobody has open.
    ///
    /// Only a copy of the backup is opened, checked and brought up to date; the backup itself is only read. The ledger
    /// before stays beside the new one, under a name that was free.
    /// - Throws: ``LedgerError`` when the backup is not a whole ledger of a known version with a session. Nothing has
    ///   changed then.
    public init(from backup: String, to path: String) throws {
        guard access(backup, R_OK) == 0 else {
            throw LedgerError.unusable(path: backup, String(cString: strerror(errno)))
        }
        guard try LedgerCopy.size(of: backup) > 0 else { throw LedgerError.foreign(path: backup) }
        let fresh = path + ".new"
        do {
            _ = try LedgerCopy(of: backup, to: fresh)
            spaces = try Self.check(fresh, named: backup)
        } catch {
            LedgerCopy.remove(fresh)
            throw error
        }
        // Closed, its log is empty.
        for suffix in ["-wal", "-shm"] { unlink(fresh + suffix) }
        before = Self.moveAside(path)
        guard rename(fresh, path) == 0 else {
            throw LedgerError.unusable(path: path, String(cString: strerror(errno)))
        }
        let directory = open(
            path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }

    private static func check(_ copy: String, named backup: String) throws -> [SpaceID] {
        let ledger = try Ledger(copy: copy, named: backup)
        let spaces = try ledger.spaces()
        try ledger.close()
        guard !spaces.isEmpty else { throw LedgerError.empty(path: backup) }
        return spaces
    }

    /// Moves the present ledger with its log to a name that nothing has, and returns that name.
    private static func moveAside(_ path: String) -> String? {
        let suffixes = ["-wal", "-shm", ""]
        guard suffixes.contains(where: { access(path + $0, F_OK) == 0 }) else { return nil }
        let before = (1...).lazy.map { "\(path).before-\($0)" }.first { name in
            suffixes.allSatisfy { access(name + $0, F_OK) != 0 }
        }
        guard let before else { return nil }
        for suffix in suffixes where access(path + suffix, F_OK) == 0 { rename(path + suffix, before + suffix) }
        return before
    }
}
