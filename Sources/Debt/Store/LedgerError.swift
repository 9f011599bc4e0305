// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc

/// Why a ledger cannot be used.
public enum LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's content is not whole.
    case damaged(path: String, String)
    /// The file is a database of something else, or no database.
    case foreign(path: String)
    /// A later version of Lockstep has made the file.
    case newer(path: String)
    /// The file is a ledger without any session.
    case empty(path: String)
    /// The disk that holds the file is full.
    case full(path: String)
    /// The file, or its directory, cannot be written.
    case readOnly(path: String)
    /// The file cannot be opened, read or written for another reason.
    case unusable(path: String, String)
    /// A value in it is not one that this program writes.
    case unreadable(String)

    /// Names the file, the reason and the fix.
    public var description: String {
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
        case .unreadable(let what): "the ledger holds a \(what) that cannot be read"
        }
    }

    /// Runs `body`; an error of SQLite becomes one that names the file and the cause.
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
            let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
            let isFound = statvfs(directory.isEmpty ? "/" : directory, &disk) == 0
            if isFound, disk.f_bavail == 0 {
                self = .full(path: path)
            } else if isFound, disk.f_flag & UInt(ST_RDONLY) != 0 || access(path, R_OK) == 0 {
                self = .readOnly(path: path)
            } else {
                self = .unusable(path: path, error.message ?? "\(error.resultCode)")
            }
        case .SQLITE_BUSY: self = .unusable(path: path, "another process has been writing it for seconds; try again")
        default: self = .unusable(path: path, error.message ?? "\(error.resultCode)")
        }
    }
}

/// What hinders the service in taking down records.
public struct LedgerProblem: Hashable, Sendable {
    /// The sorts of problems, of each of which there is one at most.
    public enum Kind: String, CaseIterable, Sendable {
        /// More records arrive than the service can put on disk.
        case behind
        /// A node has recorded more sessions than the ledger takes.
        case quota
    }

    /// The sort.
    public var kind: Kind
    /// Since when, in milliseconds of group time.
    public var since: Int64
    /// The problem in words.
    public var text: String
}
