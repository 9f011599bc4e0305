// SPDX-License-Identifier: Apache-2.0

package import Wire

/// Something about a node that a person should know, with what can be done.
package struct ProblemReport: Hashable, Sendable, Described {
    /// The kind of a problem.
    package enum Kind: String, CaseIterable, Sendable {
        /// The state directory cannot be written: a crash loses the last changes, and other nodes do not receive them.
        case unsaved
        /// Another machine takes part in the space under the same id.
        case sameID
        /// The broker refuses messages of the session's size: other nodes do not receive it.
        case tooLarge
        /// The broker does not let the node publish a session: other nodes do not receive it.
        case notGranted
        /// The node cannot listen at an address of its pages.
        case noPage
        /// No lock delays a suspend, so other nodes learn of the suspend late.
        case noSuspendLock
        /// Notifications or sounds are on, and the node's machine cannot show or play them.
        case noAlert
        /// Another node serves the plain topics, and this one would take over.
        case standsBy

        /// Whether the session is kept, and shown and pressed everywhere, as usual.
        package var isMinor: Bool { self == .noSuspendLock || self == .noAlert || self == .standsBy }
    }

    package var kind: Kind
    package var text: String
    package var fix: String

    package init(_ kind: Kind, _ text: String, fix: String) {
        self.kind = kind
        self.text = text
        self.fix = fix
    }

    package static let blank = ProblemReport(.unsaved, "", fix: "")

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("kind", &kind, .word())
        try coder.field("text", &text, .string, "The problem as a sentence.")
        try coder.field("fix", &fix, .string, "How to repair it.")
    }
}
