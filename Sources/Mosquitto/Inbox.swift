// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// What one handle's callbacks have told, until the client has time for it.
///
/// The callbacks run inside the library, under a mutex of its own that is not recursive: they only copy.
final class Inbox {
    enum Item {
        case accepted(sessionPresent: Bool)
        case refused(Int32)
        case message(Message)
        /// A message is with the server, or refused by it with a reason of 128 or more.
        case published(Int32, reason: Int32)
        case subscribed(Int32, [Int32])
        case unsubscribed(Int32)
        case disconnected(Int32)
    }

    var items: [Item] = []
    /// What the library said about errors, for what return codes do not tell (TLS).
    var complaints: [String] = []

    /// Whether a message was acknowledged, and nothing else has happened.
    var isAcknowledgement: Bool {
        guard items.count == 1, case .published = items[0] else { return false }
        return true
    }

    func take() -> [Item] {
        defer { items = [] }
        return items
    }

    func complain(_ line: String) {
        guard complaints.count < 8 else { return }
        complaints.append(line)
    }

    /// OpenSSL's words in what was said, the last part of `error:0A000086:SSL routines::certificate verify failed`.
    var tlsWords: String? {
        let words = complaints.compactMap { line -> Substring? in
            if line.hasPrefix("OpenSSL Error") { return line.split(separator: ":").last }
            if line.hasPrefix("Error: ") { return line.dropFirst(7) }
            return nil
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
