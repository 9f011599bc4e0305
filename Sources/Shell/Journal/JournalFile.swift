// SPDX-License-Identifier: Apache-2.0

import Glibc
import Session
import Wire

/// The journal on disk: a file of records, of which the last holds; it is on disk before `write` returns.
///
/// A record is put behind the one before, into room that is already there: the file is made with zeros up to its
/// capacity, so that neither its length nor its place on the disk changes and one flush is all that a write costs. When
/// it is full, and after any failure, it is replaced as a whole. What was read at the start is replaced too: a process
/// appends only to a file that it has made, and so never to the remains of another write.
final class JournalFile {
    /// What a file made anew holds room for: some 500 records. The one that finds it full waits for as many zeros.
    static let standardCapacity = 1 << 20
    private static let name = "journal"
    private static let limit = 2 << 20
    /// As it was named while each change replaced the whole file by one JSON object.
    private static let formerName = "journal.json"

    /// What comes before each call that can fail, for tests to fail it.
    enum Step: CaseIterable {
        case append, flush, create, fill, sync, rename, syncDirectory
    }

    /// What `load` found.
    enum Found {
        case nothing
        case journal(Journal, tornBytes: Int)
        /// It was kept aside under this path, if that could be done; `last` is the last whole record, if there is one.
        case damaged(keptAs: String?, reason: String, last: Journal?)
    }

    private struct Opened {
        var descriptor: CInt
        var end: Int
        var capacity: Int
    }

    private let directory: StateDirectory
    private let path: String
    private let capacity: Int
    private var opened: Opened?
    private var line = JournalLine()
    var before: (Step) throws(FileError) -> Void = { _ in }

    init(directory: StateDirectory, capacity: Int = standardCapacity) {
        self.directory = directory
        path = directory.path + "/" + Self.name
        self.capacity = capacity
    }

    deinit { letGo() }

    // MARK: Writing

    /// Puts a journal on disk. After a failure the next one begins a new file.
    /// - Parameter encoded: The payload of the journal's own register, where it was made already.
    func write(_ journal: Journal, own encoded: [UInt8]? = nil) throws(FileError) {
        line.write(journal, own: encoded, behind: JournalRecords.headerBytes)
        try line.withMutableBytes { line throws(FileError) in
            JournalRecords.complete(line)
            try append(UnsafeRawBufferPointer(line))
        }
    }

    private func append(_ line: UnsafeRawBufferPointer) throws(FileError) {
        guard let opened, line.count <= opened.capacity - opened.end else { return try replace(with: line) }
        do throws(FileError) {
            try before(.append)
            try Files.write(line, to: opened.descriptor, at: opened.end, path: path)
            try before(.flush)
            guard fdatasync(opened.descriptor) == 0 else { throw failure("write") }
        } catch {
            // What a failed flush has left is not known, and a later one would not say. Another file may still do.
            return try replace(with: line)
        }
        self.opened?.end += line.count
    }

    private func replace(with line: UnsafeRawBufferPointer) throws(FileError) {
        letGo()
        let temporary = Self.name + ".new"
        try before(.create)
        // Whatever stands there is no other's: a link or a pipe is not followed.
        unlinkat(directory.descriptor, temporary, 0)
        let file = openat(directory.descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("write") }
        do throws(FileError) {
            try Files.write(line, to: file, at: 0, path: path)
            let capacity = reserve(in: file, behind: line.count)
            try before(.sync)
            guard fsync(file) == 0 else { throw failure("write") }
            try before(.rename)
            guard renameat(directory.descriptor, temporary, directory.descriptor, Self.name) == 0 else {
                throw failure("replace")
            }
            try before(.syncDirectory)
            guard fsync(directory.descriptor) == 0 else { throw failure("replace") }
            opened = Opened(descriptor: file, end: line.count, capacity: capacity)
        } catch {
            close(file)
            throw error
        }
        unlinkat(directory.descriptor, Self.formerName, 0)
    }

    /// Makes room for further records. Where there is none left on the disk each write replaces a small file.
    private func reserve(in file: CInt, behind end: Int) -> Int {
        guard end < capacity else { return end }
        do throws(FileError) {
            try before(.fill)
            try Files.write(zeros: capacity - end, to: file, at: end, path: path)
            return capacity
        } catch {
            ftruncate(file, off_t(end))
            return end
        }
    }

    private func letGo() {
        if let opened { close(opened.descriptor) }
        opened = nil
    }

    private func failure(_ action: String) -> FileError { FileError(path: path, action: action, code: errno) }

    // MARK: Reading

    /// Reads the journal back. Whatever stands in its place, a node can begin.
    func load(at wall: Int64) -> Found {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(path, limit: Self.limit)
        } catch {
            return error.isMissing ? loadFormer(at: wall) : setAside(Self.name, at: wall, error.description)
        }
        let records = JournalRecords(in: bytes)
        var reason = records.damagedAt.map { "the bytes at \($0) have changed" }
        for record in records.whole.reversed() {
            do throws(Rejection) {
                let journal = try Journal(json: Array(bytes[record]))
                guard let reason else { return .journal(journal, tornBytes: records.torn) }
                return .damaged(keptAs: mend(with: journal, at: wall), reason: reason, last: journal)
            } catch {
                reason = reason ?? error.description
            }
        }
        return setAside(Self.name, at: wall, reason ?? "it holds no whole record")
    }

    private func loadFormer(at wall: Int64) -> Found {
        let reason: String
        do {
            let json = try Files.read(directory.path + "/" + Self.formerName, limit: Self.limit)
            return .journal(try Journal(json: json), tornBytes: 0)
        } catch let error as FileError where error.isMissing {
            return .nothing
        } catch {
            reason = String(describing: error)
        }
        return setAside(Self.formerName, at: wall, reason)
    }

    private func setAside(_ name: String, at wall: Int64, _ reason: String) -> Found {
        let aside = "\(name).damaged-\(wall)"
        let isKept = renameat(directory.descriptor, name, directory.descriptor, aside) == 0
        return .damaged(keptAs: isKept ? directory.path + "/" + aside : nil, reason: reason, last: nil)
    }

    /// Keeps a damaged file under another name and puts its last whole record in its place. By a link, so that a crash
    /// on the way finds the damaged one again, and not nothing.
    private func mend(with journal: Journal, at wall: Int64) -> String? {
        let aside = "\(Self.name).damaged-\(wall)"
        let isKept =
            linkat(directory.descriptor, Self.name, directory.descriptor, aside, 0) == 0
            || renameat(directory.descriptor, Self.name, directory.descriptor, aside) == 0
        // Should that fail, the next change of the session tries again and says so.
        try? write(journal)
        return isKept ? directory.path + "/" + aside : nil
    }
}
