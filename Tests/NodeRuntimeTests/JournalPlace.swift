// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Session
import Settings
import Support
import Wire

@testable import NodeRuntime

final class JournalPlace {
    let home: TemporaryDirectory
    private(set) var directory: StateDirectory
    private(set) var file: JournalFile
    private let capacity: Int

    init(capacity: Int = 4_096) throws {
        home = try TemporaryDirectory()
        self.capacity = capacity
        directory = try StateDirectory(home.file("state"))
        file = JournalFile(directory: directory, capacity: capacity)
    }

    /// Opens the journal as a new process does.
    func reopen() { file = JournalFile(directory: directory, capacity: capacity) }
    func write(_ epoch: Int) throws { try file.write(Self.journal(epoch).json()) }

    /// The epoch of the journal that a new process finds.
    func readBack() -> Int? {
        reopen()
        switch file.load(at: 7) {
        case .journal(let journal, _): return journal.epoch
        case .damaged(_, _, let last): return last?.epoch
        case .nothing: return nil
        }
    }

    /// The damage that a new process finds; fails if there is none.
    func damage(at time: WallTime = 5) throws -> (aside: String?, reason: String, last: Journal?) {
        guard case .damaged(let aside, let reason, let last) = file.load(at: time) else { throw Failed("not damaged") }
        return (aside, reason, last)
    }

    var isMissing: Bool { if case .nothing = file.load(at: 0) { true } else { false } }

    static func journal(_ epoch: Int) -> Journal { Journal(epoch: epoch) }
    static func line(_ epoch: Int) -> [UInt8] { JournalLines.line(of: journal(epoch).json()) }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).filter { $0 != "lock" }.sorted()
    }

    func path(_ name: String) -> String { directory.path + "/" + name }

    func bytes(_ name: String = "journal") throws -> [UInt8] {
        Array(try Data(contentsOf: .init(filePath: path(name))))
    }

    func put(_ bytes: [UInt8], as name: String = "journal") throws {
        try Data(bytes).write(to: .init(filePath: path(name)))
    }
}
