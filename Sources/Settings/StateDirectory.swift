// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform

/// The directory in which a program keeps what must survive it, held by one process at a time.
package final class StateDirectory: Sendable {
    package let path: String
    private let lock: CInt
    package let descriptor: CInt

    /// A warning, with its fix, that other users can write the directory; `nil` if they cannot.
    package let warning: String?

    /// Makes the directory if it is missing (mode 0700), and locks it until the object is released.
    ///
    /// A directory that cannot be written is no error: a node works, and reports each change that is not saved.
    /// - Throws: ``StateDirectoryError`` when it cannot be used or another process holds it.
    package init(_ path: String) throws(StateDirectoryError) {
        self.path = path
        do throws(FileError) {
            try Files.makeDirectory(path)
        } catch {
            throw .unusable("\(error.description); choose another directory with --state-dir")
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("cannot open \(path): \(String(cString: strerror(errno)))") }
        var about = stat()
        fstat(descriptor, &about)
        warning = Self.warning(about, path)
        do throws(StateDirectoryError) {
            lock = try Self.openLock(of: path, isOwn: about.st_uid == geteuid())
        } catch {
            close(descriptor)
            throw error
        }
        let lockPath = path + "/lock"
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let holder = (try? Files.read(lockPath, limit: 32)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            // All properties have values, so `deinit` runs and closes both descriptors.
            throw .taken(path: path, process: Int(holder.prefix { $0.isNumber }))
        }
        ftruncate(lock, 0)
        try? Files.write(Array("\(getpid())\n".utf8), to: lock, path: lockPath)
    }

    /// Opens the file to lock: `lock`, or the directory itself where that file is missing and cannot be made.
    private static func openLock(of path: String, isOwn: Bool) throws(StateDirectoryError) -> CInt {
        let lockPath = path + "/lock"
        var file = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        var code = errno
        if file < 0, [EROFS, ENOSPC, EDQUOT].contains(code) || code == EACCES && isOwn {
            file = open(lockPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            code = errno
            if file < 0, code == ENOENT { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        }
        guard file >= 0 else {
            let reason =
                code == ELOOP ? "it is a link, which Lockstep did not make; remove it" : String(cString: strerror(code))
            throw .unusable("cannot open \(lockPath): \(reason)")
        }
        var about = stat()
        // A file with a second name (a hard link) may belong to another program, and must not be written.
        guard fstat(file, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_nlink == 1 else {
            close(file)
            throw .unusable("\(lockPath) is not a file that Lockstep made; remove it")
        }
        return file
    }

    private static func warning(_ about: stat, _ path: String) -> String? {
        guard about.st_mode & 0o022 != 0 || ![0, geteuid()].contains(about.st_uid) else { return nil }
        return about.st_mode & 0o022 != 0
            ? "other users can replace the node's keys and sessions in \(path): chmod go-w \(path)"
            : "the user \(about.st_uid) can replace the node's keys and sessions in \(path): chown \(geteuid()) \(path)"
    }

    deinit {
        // A child of another thread holds the lock, too, between its fork and exec.
        flock(lock, LOCK_UN)
        close(descriptor)
        close(lock)
    }
}

/// An error that makes a state directory unusable.
package enum StateDirectoryError: Error, Sendable, CustomStringConvertible {
    /// A file operation failed; the text says why.
    case unusable(String)
    /// Another process holds it.
    case taken(path: String, process: Int?)

    package var description: String {
        switch self {
        case .unusable(let reason): "the state directory cannot be used: \(reason)"
        case .taken(let path, let process):
            "another program\(process.map { " (process \($0))" } ?? "") already uses the state directory \(path): "
                + "end it, or choose another directory with --state-dir"
        }
    }
}
