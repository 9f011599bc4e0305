// SPDX-License-Identifier: Apache-2.0

import Glibc
import Session
import Wire

/// The journal on disk: one file, replaced as a whole, on disk before `replace` returns.
struct JournalFile: Sendable {
    private static let name = "journal.json"
    private static let limit = 1 << 20
    let directory: StateDirectory

    /// What `load` found.
    enum Found: Sendable {
        case nothing
        case journal(Journal)
        /// It could not be read; it is kept aside under this path.
        case damaged(keptAs: String, reason: String)
    }

    func load(at wall: Int64) -> Found {
        let path = directory.path + "/" + Self.name
        let reason: String
        do {
            return .journal(try Journal(json: try Files.read(path, limit: Self.limit)))
        } catch let error as FileError where error.isMissing {
            return .nothing
        } catch {
            reason = String(describing: error)
        }
        let aside = path + ".damaged-\(wall)"
        rename(path, aside)
        return .damaged(keptAs: aside, reason: reason)
    }

    func replace(with journal: Journal) throws(FileError) {
        let path = directory.path + "/" + Self.name
        let temporary = Self.name + ".new"
        let file = openat(directory.descriptor, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError(path: path, action: "write", code: errno) }
        do {
            defer { close(file) }
            try Files.write(journal.json(), to: file, path: path)
            guard fsync(file) == 0 else { throw FileError(path: path, action: "write", code: errno) }
        }
        guard renameat(directory.descriptor, temporary, directory.descriptor, Self.name) == 0,
            fsync(directory.descriptor) == 0
        else { throw FileError(path: path, action: "replace", code: errno) }
    }
}
