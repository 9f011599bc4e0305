// SPDX-License-Identifier: Apache-2.0

import Session

/// Writes the fields of an object.
extension JSONWriter: Form {
    package typealias Failure = Never

    // MARK: Objects

    /// Writes an object.
    mutating func object<Object: Described>(_ value: Object, isPayload: Bool) {
        let outer = hasKeys
        hasKeys = true
        object { writer in
            if isPayload {
                writer.key(ProtocolVersion.key)
                writer.value(ProtocolVersion.current)
            }
            var value = value
            value.describe(to: &writer)
        }
        hasKeys = outer
    }

    /// Writes an array of an object's values.
    mutating func values<Object: Described>(_ value: Object) {
        let outer = hasKeys
        hasKeys = false
        array { writer in
            var value = value
            value.describe(to: &writer)
        }
        hasKeys = outer
    }

    // MARK: Fields

    package mutating func field<F: Format>(_ key: StaticString, _ value: inout F.Value, _ format: F) {
        if hasKeys { self.key(key) }
        format.write(value, to: &self)
    }

    package mutating func field<F: Format>(_ key: StaticString, optional value: inout F.Value?, _ format: F) {
        if var value {
            field(key, &value, format)
        } else if !hasKeys {
            null()
        }
    }

    package mutating func field<F: Format>(
        _ key: StaticString, written value: @autoclosure () -> F.Value?, _ format: F
    ) {
        if var value = value() { field(key, &value, format) }
    }

    package mutating func field(_ key: StaticString, kind: String) {
        if hasKeys { self.key(key) }
        value(kind)
    }

    package mutating func fields<Part: Described>(of part: inout Part?, decidedBy first: StaticString) {
        part?.describe(to: &self)
    }
}
