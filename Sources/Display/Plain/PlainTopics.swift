// SPDX-License-Identifier: Apache-2.0

package import Session
import Wire

/// A plain topic: its name below `lockstep/1/<space>/plain/`. Each is retained, and absent where there is no value.
package enum PlainTopic: String, CaseIterable, Sendable {
    case state, title, label, phase, owner
    case endsAt = "ends_at"
    case remaining, progress, calm, debt, streak, nodes, draft, json
}

/// The names of a space's plain topics at the broker.
package struct PlainTopics: Hashable, Sendable {
    let root: String

    package init(_ space: SpaceID) { root = "\(Topics.prefix)\(space)/plain/" }

    package subscript(_ topic: PlainTopic) -> String { root + topic.rawValue }
    /// `online` or `offline`, retained: whether a node serves the other topics.
    package var available: String { root + "available" }
    package var command: String { root + "command" }
    package var answer: String { root + "answer" }
    package var event: String { root + "event" }
    /// The id of the serving node, which it publishes when it begins and when asked.
    package var server: String { root + "server" }
    /// The id of a node that asks who serves.
    package var question: String { root + "question" }
    /// The filter of all these topics.
    package var all: String { root + "#" }
}
