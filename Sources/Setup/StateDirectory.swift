// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform

/// The one directory in which a node keeps what must survive it, held by one process at a time.
package final class StateDirectory: Sendable {
    package let path: String
    private let lock: CInt
    package let descriptor: CInt

    /// Makes the directory if it is missing (mode 0700), and locks it until the object is released.
    /// - Throws: ``StateDirectoryError`` when it cannot be used or another process holds it.
    package init(_ path: String) throws(StateDirectoryError) {
        self.path = path
        do throws(FileError) {
            try Files.makeDirectory(path)
        } catch {
            throw .unusable(error.description)
        }
        let lockPath = path + "/lock"
        lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .unusable("cannot open \(lockPath): \(String(cString: strerror(errno)))") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let holder = (try? Files.read(lockPath, limit: 32)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            close(lock)
            throw .taken(path: path, process: Int(holder.prefix { $0.isNumber }))
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            close(lock)
            throw .unusable("cannot open \(path): \(String(cString: strerror(errno)))")
        }
        ftruncate(lock, 0)
        try? Files.write(Array("\(getpid())\n".utf8), to: lock, path: lockPath)
    }

    deinit {
        close(descriptor)
        close(lock)
    }
}

/// An error that makes a state directory unusable.
package enum StateDirectoryError: Error, Sendable, CustomStringConvertible {
    /// A file operation failed; in words.
    case unusable(String)
    /// Another process holds it.
    case taken(path: String, process: Int?)

    /// Names the directory and the way out.
    package var description: String {
        switch self {
        case .unusable(let reason): "the state directory cannot be used: \(reason)"
        case .taken(let path, let process):
            "another program\(process.map { " (process \($0))" } ?? "") already uses the state directory \(path): "
                + "end it, or choose another directory with --state-dir"
        }
    }
}
