// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
package import Session

/// The result of a restore: the spaces of the ledger, and the path of the former ledger, if any.
package struct LedgerRestore: Hashable, Sendable {
    package var spaces: [SpaceID]
    package var formerPath: String?

    /// Replaces a ledger by a backup. The caller must make sure that no process has the ledger open. A copy of the
    /// backup is checked; the backup is only read. The replaced ledger stays beside it under a free name.
    /// - Throws: ``LedgerError`` if the backup is damaged, foreign, empty or of a later version. Nothing changes then.
    package init(from backup: String, to path: String) throws {
        guard access(backup, R_OK) == 0 else {
            throw LedgerError.unusable(path: backup, String(cString: strerror(errno)))
        }
        guard try LedgerCopy.size(of: backup) > 0 else { throw LedgerError.foreign(path: backup) }
        let fresh = path + ".new"
        guard !Self.isSame(backup, fresh) else {
            throw LedgerError.unusable(path: backup, "it is where the copy is made; rename it first")
        }
        do {
            _ = try LedgerCopy(of: backup, to: fresh)
            spaces = try Self.check(fresh, named: backup)
        } catch {
            LedgerCopy.remove(fresh)
            throw error
        }
        // The ledger is closed, so its log is empty.
        for suffix in ["-wal", "-shm"] { unlink(fresh + suffix) }
        do throws(FileError) {
            formerPath = try Self.moveAside(path)
            try Files.move(fresh, to: path, path: path)
        } catch {
            LedgerCopy.remove(fresh)
            throw LedgerError.unusable(path: path, String(cString: strerror(error.code)))
        }
        try? Files.flushDirectory(of: path)
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (a, b) = (stat(), stat())
        return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino
    }

    private static func check(_ copy: String, named backup: String) throws -> [SpaceID] {
        let ledger = try LedgerStore(copy: copy, named: backup)
        let spaces: [SpaceID]
        do {
            guard try ledger.sqlite?.hasOwnSchema() == true else { throw LedgerError.foreign(path: backup) }
            try ledger.readAll()
            spaces = try ledger.spaces()
        } catch LedgerError.unreadable(let what) {
            throw LedgerError.damaged(path: backup, "it holds an unreadable \(what)")
        }
        try ledger.close()
        guard !spaces.isEmpty else { throw LedgerError.empty(path: backup) }
        return spaces
    }

    /// Renames the present ledger and its log to a free name, and returns that name.
    private static func moveAside(_ path: String) throws(FileError) -> String? {
        let suffixes = ["-wal", "-shm", ""]
        guard suffixes.contains(where: { access(path + $0, F_OK) == 0 }) else { return nil }
        let before = (1...).lazy.map { "\(path).before-\($0)" }.first { name in
            suffixes.allSatisfy { access(name + $0, F_OK) != 0 }
        }
        guard let before else { return nil }
        for suffix in suffixes where access(path + suffix, F_OK) == 0 {
            try Files.move(path + suffix, to: before + suffix, path: path)
        }
        return before
    }
}
