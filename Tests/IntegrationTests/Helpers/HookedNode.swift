// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Support

/// A node with a hook for every event, which saves its input and environment in a folder.
struct HookedNode {
    static let events = [
        "started", "paused", "resumed", "phase", "completed", "stopped", "superseded", "stale", "alarm",
    ]

    let node: NodeProcess
    private let folder: String

    init(_ id: String, broker: String? = nil, environment: [String: String] = [:]) throws {
        let directory = try TemporaryDirectory()
        folder = directory.file("hooked")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let hook = """
            f="$HOOKED/$LOCKSTEP_EVENT_AT-$LOCKSTEP_EVENT-$$"; env > "$f.env"; cat > "$f.new"; mv "$f.new" "$f.json"
            """
        var variables = ["HOOKED": folder]
        for event in Self.events { variables["LOCKSTEP_HOOK_" + event.uppercased()] = hook }
        node = try NodeProcess(
            id, broker: broker, environment: variables.merging(environment) { $1 }, directory: directory)
    }

    private struct Run {
        var read: JSON
        /// The start of the hook, in milliseconds since 1970.
        var began: Int64

        var at: Int64 { read.at.int ?? 0 }

        /// The names that a test may expect for this event, with or without `late`.
        ///
        /// A node that stood still for five seconds reports the events of that time as late.
        var names: [String] {
            let name = read.event.text ?? ""
            guard read.late == true else { return [name] }
            return began - at > 5_000 ? [name + " late", name] : [name + " late"]
        }
    }

    private var runs: [Run] {
        names.compactMap { name -> Run? in
            guard let read = try? JSON(node.directory.read("hooked/\(name).json")) else { return nil }
            let file = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name).env")
            let began = (file?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return Run(read: read, began: Int64(began * 1_000))
        }.sorted { $0.at < $1.at }
    }

    /// The inputs of the hooks, in the order of their times.
    var inputs: [JSON] { runs.map(\.read) }

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
    func waitForEvents(
        _ expected: [String], file: String = #fileID, line: Int = #line
    ) async throws {
        do {
            try await eventually("\(node.id) tells \(expected)", file: file, line: line) {
                names.count >= expected.count
            }
        } catch let error as TimedOut {
            if node.log.contains("hook hung") { throw Failed("a hook did not end within ten seconds") }
            throw Failed("\(error); the hooks were \(runs.map(\.names))\n\(node.log)")
        }
        // The files do not show the order of two events in one millisecond.
        let runs = runs
        var missing = expected
        let others = runs.filter { run in
            guard let index = run.names.lazy.compactMap({ missing.firstIndex(of: $0) }).first else { return true }
            missing.remove(at: index)
            return false
        }
        guard missing.isEmpty, others.isEmpty else {
            throw Failed("\(file):\(line): \(node.id) tells \(runs), not \(expected)\n\(node.log)")
        }
    }
}
