// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Session
import Settings

/// Changes of files that can be undone.
struct FileChanges {
    /// The possible contents of a file. Nothing else is written, so that text from outside cannot become another line.
    enum Content {
        case settings(SettingLines)
        case line(LineText)
        /// Certificates as PEM, which have been read.
        case certificates([UInt8])

        fileprivate var bytes: [UInt8] {
            switch self {
            case .settings(let lines): Array(lines.text.utf8)
            case .line(let line): Array("\(line)\n".utf8)
            case .certificates(let bytes): bytes
            }
        }
    }

    /// A file as it was before the first change, to be restored after an error.
    private struct Before {
        var path: String
        var bytes: [UInt8]?
        var status = stat()
    }

    private var files: [Before] = []
    private var directories: [String] = []

    mutating func makeDirectory(_ path: String) throws(FileError) {
        try Files.makeDirectory(path, mode: 0o755) { directories.append($0) }
    }

    /// Replaces or creates a file.
    /// - Parameter owner: The user and the group; `nil` for those of this process.
    mutating func write(
        _ content: Content, to path: String, mode: mode_t, owner: (user: uid_t, group: gid_t)? = nil
    ) throws(FileError) {
        try note(path)
        try Files.replace(path, mode: mode, owner: owner, with: content.bytes)
    }

    /// Removes a file, if it is there.
    /// - Returns: Whether it was.
    @discardableResult
    mutating func remove(_ path: String) throws(FileError) -> Bool {
        try note(path)
        if unlink(path) == 0 { return true }
        guard errno == ENOENT else { throw FileError(path: path, action: "remove") }
        return false
    }

    private mutating func note(_ path: String) throws(FileError) {
        var before = Before(path: path)
        if stat(path, &before.status) == 0 { before.bytes = try Files.read(path, limit: 1 << 20) }
        files.append(before)
    }

    /// Restores every file to its state before the first change.
    mutating func undo() {
        for before in files.reversed() {
            if let bytes = before.bytes {
                try? Files.replace(before.path, with: bytes)
                chmod(before.path, before.status.st_mode & 0o7777)
                chown(before.path, before.status.st_uid, before.status.st_gid)
            } else {
                unlink(before.path)
            }
        }
        for directory in directories.reversed() { rmdir(directory) }
        (files, directories) = ([], [])
    }
}
