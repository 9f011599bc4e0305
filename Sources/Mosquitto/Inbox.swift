// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// The results of one handle's callbacks, queued for the client.
///
/// The callbacks only copy: they run under a non-recursive mutex of the library and must not call it.
final class Inbox {
    /// A report of libmosquitto's callbacks.
    enum Item {
        case accepted
        case refused(Int32)
        case message(MQTTMessage)
        /// The server acknowledged a message, or refused it with a reason of 128 or more.
        case published(Int32, reason: Int32)
        case subscribed(Int32, [Int32])
        case unsubscribed(Int32)
        case disconnected(Int32)
    }

    var items: [Item] = []
    /// The library's error log, at most 8 lines. Return codes do not say why TLS failed.
    var complaints: [String] = []

    /// Whether the only item is an acknowledgement.
    var hasOnlyAcknowledgement: Bool {
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

    /// The reasons in the log why TLS failed; `nil` without any. Of a line of OpenSSL it is the last part, such as
    /// `certificate verify failed`; the others are lines of libmosquitto.
    var tlsReasons: String? {
        let words = complaints.compactMap { line -> Substring? in
            if line.hasPrefix("OpenSSL Error") { return line.split(separator: ":").last }
            if line.hasPrefix("Error: ") { return line.dropFirst(7) }
            return nil
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
