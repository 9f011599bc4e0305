// SPDX-License-Identifier: Apache-2.0

public import Session

/// Why bytes could not be read as a value of the protocol.
public struct Rejection: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sort of fault, as a node counts it.
    public var reason: Discard
    /// What is wrong and where, for the log.
    public var detail: String

    /// Makes a rejection.
    public init(_ reason: Discard, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// Names the reason, then the detail.
    public var description: String { "\(reason.rawValue): \(detail)" }
}
