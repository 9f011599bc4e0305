// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Platform
import Session

/// The memory of a node for the plain topics, in its state directory. It holds the space in which the node has left
/// messages, and the ids of the latest commands.
final class PlainMemory {
    private static let idLimit = 128

    /// The content of the file.
    private struct Content: Codable {
        var space: String?
        var ids: [String] = []
    }

    private let path: String
    private var content = Content()

    init(in directory: String) {
        path = directory + "/plain.json"
        guard let bytes = try? Files.read(path, limit: 1 << 16) else { return }
        content = (try? ReportJSON.decode(Content.self, from: bytes)) ?? Content()
    }

    /// The space whose topics may hold messages of this node.
    var space: SpaceID? { content.space.flatMap(SpaceID.init) }

    func begin(in space: SpaceID) {
        guard content.space != space.rawValue else { return }
        content.space = space.rawValue
        save()
    }

    func end() {
        content.space = nil
        save()
    }

    func isNew(_ id: String) -> Bool { !content.ids.contains(id) }

    func note(_ id: String) {
        guard isNew(id) else { return }
        content.ids = content.ids.suffix(Self.idLimit - 1) + [id]
        save()
    }

    /// Forgets a command that had no effect, so that it can be sent again.
    func forget(_ id: String) {
        content.ids.removeAll { $0 == id }
        save()
    }

    func note(answer payload: [UInt8]) {
        if let answer = try? PlainAnswer(encoded: payload), answer.outcome != .refused, let id = answer.id { note(id) }
    }

    /// Saves the memory. If that fails, it lasts as long as the node, which itself reports that the disk is full.
    private func save() { try? Files.replace(path, isFlushed: false, with: ReportJSON.encode(content)) }
}
