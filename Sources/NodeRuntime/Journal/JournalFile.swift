// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Session
import Settings
import Wire

/// The journal file: a write-ahead file of lines. The last line applies.
///
/// A line is on disk before ``write(_:)`` returns. It is appended into zeros that fill the file up to its capacity,
/// so that a write changes no metadata and costs one flush. When the file is full, and after any failure, it is
/// replaced as a whole. A process appends only to a file that it has created, never to the remains of another write.
final class JournalFile {
    /// The capacity of a new file in bytes: some 500 lines. The write that replaces it also writes the zeros.
    static let standardCapacity = 1 << 20
    private static let name = "journal"
    /// The largest file that is read, in bytes.
    private static let fileLimit = 2 << 20

    /// The steps that can fail, for tests.
    enum Step: Hashable, CaseIterable {
        case append, flush, fill
        case replace(ReplaceStep)

        static let allCases = [append, flush, fill] + ReplaceStep.allCases.map(replace)
    }

    /// The content of a journal's file at the start.
    enum Found {
        case nothing
        case journal(Journal, tornBytes: Int)
        /// The damaged file was renamed to this path, if possible; `last` is its last valid line.
        case damaged(keptAs: String?, reason: String, last: Journal?)
    }

    /// The open file, and where the next line goes.
    private struct Opened {
        var descriptor: CInt
        var end: Int
        var capacity: Int
    }

    private let directory: StateDirectory
    private let path: String
    private let capacity: Int
    private var opened: Opened?
    /// Called before each step, so that tests can fail it.
    var before: (Step) throws(FileError) -> Void = { _ in }

    init(directory: StateDirectory, capacity: Int = standardCapacity) {
        self.directory = directory
        path = directory.path + "/" + Self.name
        self.capacity = capacity
    }

    deinit { closeFile() }

    // MARK: Writing

    /// Writes a journal, as JSON, to disk. After a failure the next write replaces the file.
    func write(_ json: [UInt8]) throws(FileError) {
        let line = JournalLines.line(of: json)
        try line.withUnsafeBufferPointer { line throws(FileError) in try append(UnsafeRawBufferPointer(line)) }
    }

    private func append(_ line: UnsafeRawBufferPointer) throws(FileError) {
        guard let opened, line.count <= opened.capacity - opened.end else { return try replace(with: line) }
        do throws(FileError) {
            try before(.append)
            try Files.write(line, to: opened.descriptor, at: opened.end, path: path)
            try before(.flush)
            guard fdatasync(opened.descriptor) == 0 else { throw FileError(path: path, action: "write") }
        } catch {
            // After a failed flush the file's state is unknown, and a later flush would not fail. A new file may work.
            return try replace(with: line)
        }
        self.opened?.end += line.count
    }

    private func replace(with line: UnsafeRawBufferPointer) throws(FileError) {
        closeFile()
        var capacity = 0
        let file = try Files.replace(
            Self.name, in: directory.descriptor, path: path,
            before: { step throws(FileError) in try before(.replace(step)) },
            { file throws(FileError) in
                try Files.write(line, to: file, at: 0, path: path)
                capacity = reserve(in: file, after: line.count)
            })
        opened = Opened(descriptor: file, end: line.count, capacity: capacity)
    }

    /// Fills the file with zeros for further lines. On a full disk each write replaces a small file.
    private func reserve(in file: CInt, after end: Int) -> Int {
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

    private func closeFile() {
        if let opened { close(opened.descriptor) }
        opened = nil
    }

    // MARK: Reading

    /// Reads the journal. A damaged file is renamed, so that the node can start.
    func load(at wall: WallTime) -> Found {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(path, limit: Self.fileLimit)
        } catch {
            return error.isMissing ? .nothing : giveUp(at: wall, error.description)
        }
        let lines = JournalLines(in: bytes)
        var reason = lines.damagedAt.map { "the bytes at \($0) are damaged" }
        for line in lines.whole.reversed() {
            do throws(PayloadError) {
                let journal = try Journal(json: Array(bytes[line]))
                guard let reason else { return .journal(journal, tornBytes: lines.torn) }
                return .damaged(keptAs: repair(with: journal, at: wall), reason: reason, last: journal)
            } catch {
                reason = reason ?? error.description
            }
        }
        return giveUp(at: wall, reason ?? "it holds no valid line")
    }

    /// Gives up on a file that yields no valid line, and moves it aside.
    private func giveUp(at wall: WallTime, _ reason: String) -> Found {
        .damaged(keptAs: moveAside(at: wall), reason: reason, last: nil)
    }

    /// Renames the damaged file, and returns its new path; `nil` if that fails.
    private func moveAside(at wall: WallTime) -> String? {
        let aside = "\(Self.name).damaged-\(wall)"
        do throws(FileError) {
            try Files.move(Self.name, in: directory.descriptor, to: aside, path: path)
            return directory.path + "/" + aside
        } catch {
            return nil
        }
    }

    /// Keeps a damaged file under another name, and replaces it by its last valid line. It uses a link, so that after
    /// a crash in between the damaged file is still in place.
    private func repair(with journal: Journal, at wall: WallTime) -> String? {
        let aside = "\(Self.name).damaged-\(wall)"
        let isLinked = linkat(directory.descriptor, Self.name, directory.descriptor, aside, 0) == 0
        let damaged = isLinked ? directory.path + "/" + aside : moveAside(at: wall)
        // If this write fails, the next change of the session tries again and reports the failure.
        try? write(journal.json())
        return damaged
    }
}
