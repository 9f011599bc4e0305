// SPDX-License-Identifier: Apache-2.0

public import Session

/// The reason why bytes could not be read as a value of the protocol.
public struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason under which a node counts it.
    public var reason: Discard
    /// The wrong field, as `runs.3.from`; empty for the whole value.
    public var path = ""
    /// The error and the accepted values, for the log.
    public var detail: String

    public init(_ reason: Discard, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    public var description: String { "\(reason.rawValue): \(path.isEmpty ? "" : path + ": ")\(detail)" }

    /// Returns the same error within a field or an element of a list. The outermost value has no key.
    func within(_ key: String) -> PayloadError {
        guard !key.isEmpty else { return self }
        var outer = self
        outer.path = path.isEmpty ? key : "\(key).\(path)"
        return outer
    }
}
