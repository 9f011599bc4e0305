// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A system call on a file that failed.
struct FileError: Error, CustomStringConvertible {
    var path: String
    var action: String
    var code: Int32

    var isMissing: Bool { code == ENOENT }

    var description: String { "cannot \(action) \(path): \(String(cString: strerror(code)))" }
}

/// The few file operations whose order on disk matters, as bare calls.
enum Files {
    static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        // Not to wait for the other end of what may be a pipe.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileError(path: path, action: "read", code: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(path: path, action: "read", code: errno) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        throw FileError(path: path, action: "read", code: EFBIG)
    }

    static func write(_ bytes: [UInt8], to file: CInt, path: String) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, action: "write", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The same at a place of the file, whatever was written before.
    static func write(_ bytes: UnsafeRawBufferPointer, to file: CInt, at offset: Int, path: String) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(file, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, action: "write", code: errno) }
            done += count
        }
    }

    static func write(zeros count: Int, to file: CInt, at offset: Int, path: String) throws(FileError) {
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        try write(UnsafeRawBufferPointer(zeros), to: file, at: offset, path: path)
    }

    /// Makes a directory and its parents for this user alone; one that is there keeps its mode.
    static func makeDirectory(_ path: String) throws(FileError) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST {
                throw FileError(path: made, action: "make directory", code: errno)
            }
        }
    }

    static func mode(of path: String) throws(FileError) -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(path: path, action: "read", code: errno) }
        return status.st_mode & 0o7777
    }
}

/// Directories that hold what is nobody else's business.
public enum PrivateDirectory {
    /// Makes a directory and its parents, of mode 0700 where they are missing.
    /// - Throws: ``BadValue`` with the reason.
    public static func make(_ path: String) throws(BadValue) {
        do throws(FileError) {
            try Files.makeDirectory(path)
        } catch {
            throw BadValue(error.description)
        }
    }
}
