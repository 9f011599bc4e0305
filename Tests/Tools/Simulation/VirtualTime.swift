// SPDX-License-Identifier: Apache-2.0

import Session

/// The true time: microseconds since the world began.
package struct VirtualTime: Hashable, Comparable, Sendable {
    package var microseconds: Int64

    static let start = VirtualTime(microseconds: 0)

    var sinceStart: Milliseconds { Milliseconds(microseconds / 1_000) }
    /// The time by a clock that is right.
    var date: GroupTime { Clock.epoch + sinceStart }

    package static func < (one: VirtualTime, other: VirtualTime) -> Bool { one.microseconds < other.microseconds }

    static func + (time: VirtualTime, duration: Microseconds) -> VirtualTime {
        VirtualTime(microseconds: time.microseconds + duration.count)
    }

    static func + (time: VirtualTime, duration: Milliseconds) -> VirtualTime { time + Microseconds(duration) }

    static func - (one: VirtualTime, other: VirtualTime) -> Microseconds {
        Microseconds(one.microseconds - other.microseconds)
    }
}

extension Microseconds {
    init(_ count: Int) { self.init(Int64(count)) }
}

extension Milliseconds {
    init(_ count: Int) { self.init(Int64(count)) }
}
