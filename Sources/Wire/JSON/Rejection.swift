// SPDX-License-Identifier: Apache-2.0

public import Session

/// The reason why bytes could not be read as a value of the protocol.
public struct Rejection: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason under which a node counts it.
    public var reason: Discard
    /// The wrong field, as `anchor.at`; empty for the whole value.
    public var path = ""
    /// The error and the accepted values, for the log.
    public var detail: String

    /// Creates a rejection.
    public init(_ reason: Discard, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// Names the reason, then the field, then the detail.
    public var description: String { "\(reason.rawValue): \(path.isEmpty ? "" : path + ": ")\(detail)" }

    /// Returns the same error within a field.
    func within(_ key: String) -> Rejection {
        var outer = self
        outer.path = path.isEmpty ? key : "\(key).\(path)"
        return outer
    }
}
