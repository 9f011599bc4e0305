// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc

/// An error that makes a ledger unusable. A text is the reason.
package enum LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    case damaged(path: String, String)
    /// The file is another database, or not a database.
    case foreign(path: String)
    case newer(path: String)
    case empty(path: String)
    case full(path: String)
    case readOnly(path: String)
    case unusable(path: String, String)
    /// The connection to the database cannot be made, or has ended.
    case lost(path: String, String)
    /// A ledger into which another one would be copied.
    case notEmpty(path: String)
    /// A function of a file is asked of a database.
    case shared(path: String)
    /// The ledger holds a value of an unknown form, which the text names.
    case unreadable(String)

    package var description: String {
        switch self {
        case .damaged(let path, let reason):
            "the ledger \(path) is damaged (\(reason)): put a backup in its place with lockstep debt restore"
        case .foreign(let path):
            "\(path) is not a ledger of Lockstep: name a file that lockstep debt backup has written"
        case .newer(let path):
            "the ledger \(path) was written by a later version of Lockstep: install that version here, or a later one"
        case .empty(let path): "\(path) is a ledger without any session: name another backup"
        case .full(let path): "the ledger \(path) cannot be written, since its disk is full: free some space there"
        case .readOnly(let path):
            "the ledger \(path) cannot be written: its disk is read-only, or the file or its directory belongs to another "
                + "user"
        case .unusable(let path, let reason): "the ledger \(path) cannot be used: \(reason)"
        case .lost(let path, let reason):
            "the database of the ledger \(path) cannot be reached (\(reason)): start it, or correct LOCKSTEP_LEDGER"
        case .notEmpty(let path): "the ledger \(path) is not empty: name a new file, or a new database"
        case .shared(let path):
            "the ledger is in the database \(path): back it up with pg_dump and restore it with psql or pg_restore; "
                + "lockstep debt move copies it from or to a file"
        case .unreadable(let what): "the ledger holds an unreadable \(what)"
        }
    }

    /// Whether the same call can succeed later, without a change of the settings.
    var isPassing: Bool {
        switch self {
        case .lost, .full, .unusable: true
        default: false
        }
    }

    static func translating<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw LedgerError(error, path: path)
        }
    }

    private init(_ error: DatabaseError, path: String) {
        switch error.resultCode {
        case .SQLITE_FULL: self = .full(path: path)
        case .SQLITE_NOTADB: self = .foreign(path: path)
        case .SQLITE_CORRUPT: self = .damaged(path: path, error.message ?? "corrupt")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR, .SQLITE_CANTOPEN:
            var disk = statvfs()
            let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            let isFound = statvfs(directory, &disk) == 0
            if isFound, disk.f_bavail == 0 {
                self = .full(path: path)
            } else if isFound, disk.f_flag & UInt(ST_RDONLY) != 0 || access(path, R_OK) == 0 {
                self = .readOnly(path: path)
            } else if access(directory, W_OK | X_OK) != 0 {
                self = .unusable(path: path, String(cString: strerror(errno)))
            } else {
                self = .unusable(path: path, error.message ?? "\(error.resultCode)")
            }
        case .SQLITE_BUSY: self = .unusable(path: path, "another process holds a lock on it; try again")
        default: self = .unusable(path: path, error.message ?? "\(error.resultCode)")
        }
    }
}

/// A problem that keeps the service from storing records.
package struct LedgerProblem: Hashable, Sendable {
    /// The cause.
    package enum Kind: String, CaseIterable, Sendable {
        /// Records arrive faster than the service can write them.
        case behind
        /// A node has exceeded its ``RecordQuota``.
        case quota
    }

    package var kind: Kind
    package var text: String
}
