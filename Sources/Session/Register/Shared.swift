// SPDX-License-Identifier: Apache-2.0

/// A large value that copies share: copying it counts one reference instead of copying each field.
///
/// An engine holds several registers, each of twenty fields, and copies and compares them with every input. Sharing them
/// makes an input twice as fast (`lockstep-bench engine`).
struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage

    init(_ value: Value) { storage = Storage(value) }

    var value: Value { _read { yield storage.value } }

    /// Compares the values only where two are not one.
    static func == (a: Shared, b: Shared) -> Bool { a.storage === b.storage || a.value == b.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
