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

    public init(_ reason: Discard, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    public var description: String { "\(reason.rawValue): \(path.isEmpty ? "" : path + ": ")\(detail)" }

    init(missing type: String) { self.init(.malformed, "missing: write a value of type \(type)") }
    init(_ text: String, isNo type: String) { self.init(.outOfBounds, "“\(text.prefix(80))” is no \(type)") }
    init(_ number: String, isNotWithin bounds: String) { self.init(.outOfBounds, "\(number) is not within \(bounds)") }

    /// Returns the same error within a field. An element of a list has no key.
    func within(_ key: StaticString) -> Rejection {
        guard key.utf8CodeUnitCount > 0 else { return self }
        var outer = self
        outer.path = path.isEmpty ? "\(key)" : "\(key).\(path)"
        return outer
    }
}
