// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A system call on a file that failed.
package struct FileError: Error, CustomStringConvertible {
    package var path: String
    package var action: String
    package var code: Int32

    package init(path: String, action: String, code: Int32 = errno) {
        self.path = path
        self.action = action
        self.code = code
    }

    package var isMissing: Bool { code == ENOENT }
    package var description: String { "cannot \(action) \(path): \(String(cString: strerror(code)))" }
}

/// The steps of ``Files/replace(_:in:path:isFlushed:before:_:)`` that can fail, for tests.
package enum ReplaceStep: Hashable, CaseIterable, Sendable {
    case create, flush, rename, flushDirectory
}

/// File operations as bare system calls, for files whose order on disk matters.
package enum Files {
    /// Reads a whole file; one that is longer than `limit` bytes is an error.
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        // Non-blocking, since the path may be a pipe without a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileError(path: path, action: "read") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(path: path, action: "read") }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        throw FileError(path: path, action: "read", code: EFBIG)
    }

    package static func write(_ bytes: [UInt8], to file: CInt, path: String) throws(FileError) {
        try bytes.withUnsafeBufferPointer { bytes throws(FileError) in
            try write(UnsafeRawBufferPointer(bytes), to: file, path: path)
        }
    }

    /// Writes all bytes at `offset`; without an offset, where the last write has ended.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to file: CInt, at offset: Int? = nil, path: String
    ) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count =
                offset.map { pwrite(file, rest.baseAddress, rest.count, off_t($0 + done)) }
                ?? Glibc.write(file, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, action: "write") }
            done += count
        }
    }

    package static func write(zeros count: Int, to file: CInt, at offset: Int, path: String) throws(FileError) {
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        try write(UnsafeRawBufferPointer(zeros), to: file, at: offset, path: path)
    }

    /// Creates the missing directories of a path, and calls `onMade` for each; existing ones keep their mode.
    package static func makeDirectory(
        _ path: String, mode: mode_t = 0o700, onMade: (String) -> Void = { _ in }
    ) throws(FileError) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/" + part
            if mkdir(made, mode) == 0 {
                // The umask may have narrowed it.
                chmod(made, mode)
                onMade(made)
            } else if errno != EEXIST {
                throw FileError(path: made, action: "make directory")
            }
        }
    }

    /// Replaces a file atomically: after a crash either the old or the new one exists. The new one is written beside it
    /// as `<name>.new`, flushed and renamed; then the directory is flushed.
    /// - Parameters:
    ///   - directory: The descriptor of the directory; `path` is for errors.
    ///   - isFlushed: Whether it must survive a power cut.
    ///   - before: Called before each step, so that tests can fail it.
    /// - Returns: The descriptor of the new file, which the caller closes.
    package static func replace(
        _ name: String, in directory: CInt, path: String, isFlushed: Bool = true,
        before: (ReplaceStep) throws(FileError) -> Void = { _ in },
        _ body: (CInt) throws(FileError) -> Void
    ) throws(FileError) -> CInt {
        let temporary = name + ".new"
        try before(.create)
        // Only this process writes this name. A link or a pipe there is not followed.
        unlinkat(directory, temporary, 0)
        let file = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError(path: path, action: "write") }
        do throws(FileError) {
            try body(file)
            if isFlushed {
                try before(.flush)
                guard fsync(file) == 0 else { throw FileError(path: path, action: "write") }
            }
            try before(.rename)
            try move(temporary, in: directory, to: name, path: path)
            if isFlushed {
                try before(.flushDirectory)
                guard fsync(directory) == 0 else { throw FileError(path: path, action: "replace") }
            }
        } catch {
            close(file)
            throw error
        }
        return file
    }

    package static func replace(
        _ name: String, in directory: CInt, path: String, isFlushed: Bool = true, with bytes: [UInt8]
    ) throws(FileError) {
        close(
            try replace(name, in: directory, path: path, isFlushed: isFlushed) { file throws(FileError) in
                try write(bytes, to: file, path: path)
            })
    }

    /// Replaces or creates a file, which has its mode and owner from the first moment.
    /// - Parameters:
    ///   - mode: `nil` for 0600.
    ///   - owner: `nil` for the user and the group of this process.
    package static func replace(
        _ path: String, isFlushed: Bool = true, mode: mode_t? = nil, owner: (user: uid_t, group: gid_t)? = nil,
        with bytes: [UInt8]
    ) throws(FileError) {
        let (folder, name) = split(path)
        let directory = try openDirectory(folder)
        defer { close(directory) }
        close(
            try replace(name, in: directory, path: path, isFlushed: isFlushed) { file throws(FileError) in
                try write(bytes, to: file, path: path)
                if let mode, fchmod(file, mode) != 0 { throw FileError(path: path, action: "set the mode of") }
                if let owner, fchown(file, owner.user, owner.group) != 0 {
                    throw FileError(path: path, action: "hand over")
                }
            })
    }

    /// Renames or moves a file, and replaces what has the new name.
    package static func move(
        _ name: String, in directory: CInt = AT_FDCWD, to new: String, in newDirectory: CInt? = nil, path: String
    ) throws(FileError) {
        guard renameat(directory, name, newDirectory ?? directory, new) == 0 else {
            throw FileError(path: path, action: "replace")
        }
    }

    package static func flushDirectory(of path: String) throws(FileError) {
        let directory = try openDirectory(split(path).folder)
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw FileError(path: path, action: "flush") }
    }

    private static func openDirectory(_ path: String) throws(FileError) -> CInt {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, action: "open") }
        return descriptor
    }

    package static func folder(of path: String) -> String { split(path).folder }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (String(path[...slash]), String(path[path.index(after: slash)...]))
    }

    /// Creates a directory of mode 0700 with a path that begins with `prefix` and that no other has.
    package static func makeTemporaryDirectory(_ prefix: String) throws(FileError) -> String {
        var template = Array((prefix + "XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw FileError(path: prefix, action: "make directory") }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    package static func mode(of path: String) throws(FileError) -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(path: path, action: "read") }
        return status.st_mode & 0o7777
    }

    /// Returns why a file cannot hold a secret: others than its owner and group may use it. `nil` if they may not.
    package static func exposure(of path: String) throws(FileError) -> String? {
        try mode(of: path) & 0o007 == 0 ? nil : "\(path) is readable by other users; run chmod 600 \(path)"
    }
}
