// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Support

/// A node with a hook for every event, each of which leaves what it read and its environment in a folder.
struct HookedNode {
    static let events = ["started", "paused", "resumed", "phase", "completed", "stopped", "superseded", "stale"]

    let node: NodeProcess
    private let folder: String

    init(
        _ id: String, broker: String? = nil, environment: [String: String] = [:], directory: TemporaryDirectory? = nil
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        folder = directory.file("hooked")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let hook = """
            f="$HOOKED/$LOCKSTEP_EVENT_AT-$LOCKSTEP_EVENT-$$"; env > "$f.env"; cat > "$f.new"; mv "$f.new" "$f.json"
            """
        var all = ["HOOKED": folder]
        for event in Self.events { all["LOCKSTEP_HOOK_" + event.uppercased()] = hook }
        node = try NodeProcess(
            id, broker: broker, environment: all.merging(environment) { $1 }, directory: directory)
    }

    /// What hooks have read, in the order of its time.
    var told: [JSON] {
        names.compactMap { try? JSON(node.directory.read("hooked/\($0).json")) }
            .sorted { ($0.at.int ?? 0) < ($1.at.int ?? 0) }
    }

    /// Which hooks have run, with `late` behind those that were.
    var events: [String] { told.map { ($0.event.text ?? "") + ($0.late == true ? " late" : "") } }

    /// The environment of the last hook of an event.
    func environment(of event: String) -> [String: String] {
        let name = names.last { $0.contains("-\(event)-") } ?? ""
        let lines = node.directory.read("hooked/\(name).env").split(separator: "\n")
        return Dictionary(
            lines.compactMap { line in
                line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            }, uniquingKeysWith: { $1 })
    }

    private var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// Waits until these hooks have run, and no other.
    func tells(_ expected: [String], file: String = #fileID, line: Int = #line) async throws {
        do {
            try await eventually("\(node.id) tells \(expected)", file: file, line: line) {
                events.count >= expected.count
            }
        } catch let error as TimedOut {
            throw Failed("\(error); it tells \(events)\n\(node.log)")
        }
        // Of two events in one millisecond the files do not know the order.
        guard events.sorted() == expected.sorted() else {
            throw Failed("\(file):\(line): \(node.id) tells \(events), not \(expected)\n\(node.log)")
        }
    }
}
