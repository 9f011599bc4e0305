// SPDX-License-Identifier: Apache-2.0

/// Something that is wrong with a node and that a person can mend.
public struct ProblemReport: Codable, Hashable, Sendable {
    /// The kinds of problems.
    public enum Kind: String, Codable, CaseIterable, Sendable {
        /// The state directory cannot be written: a crash loses the last changes, and other nodes do not get them.
        case unsaved
        /// Another machine takes part in the space under the same id.
        case sameID
        /// The broker refuses messages of the size of the session: other nodes do not get it.
        case tooLarge
        /// No lock delays a suspend, so the others learn of it late.
        case noSuspendLock

        /// Whether everything that a person asks for works all the same.
        public var isMinor: Bool { self == .noSuspendLock }
    }

    /// What kind it is.
    public var kind: Kind
    /// A sentence that names the thing.
    public var text: String
    /// How it is mended.
    public var mend: String

    /// Makes a report.
    public init(_ kind: Kind, _ text: String, mend: String) {
        self.kind = kind
        self.text = text
        self.mend = mend
    }
}
