// SPDX-License-Identifier: Apache-2.0

/// A duration in whole microseconds, where milliseconds are too coarse.
package struct Microseconds: Hashable, Comparable, Sendable {
    package var count: Int64

    package init(_ count: Int64) { self.count = count }
    package init(_ time: Milliseconds) { count = time.count * 1_000 }

    package var roundedUp: Milliseconds { Milliseconds((count + 999) / 1_000) }

    package static func < (one: Microseconds, other: Microseconds) -> Bool { one.count < other.count }
    package static func + (one: Microseconds, other: Microseconds) -> Microseconds {
        Microseconds(one.count + other.count)
    }
    package static func - (one: Microseconds, other: Microseconds) -> Microseconds {
        Microseconds(one.count - other.count)
    }
}
