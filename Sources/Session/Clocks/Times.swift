// SPDX-License-Identifier: Apache-2.0

/// A duration in whole milliseconds. A literal is a number of them.
package struct Milliseconds: Hashable, Comparable, Sendable, AdditiveArithmetic, ExpressibleByIntegerLiteral {
    /// The number of milliseconds.
    package var count: Int64

    /// A duration of `count` milliseconds.
    @inlinable package init(_ count: Int64) { self.count = count }
    /// The duration that a literal states in milliseconds.
    @inlinable package init(integerLiteral count: Int64) { self.count = count }

    /// A duration of some seconds.
    @inlinable package static func seconds(_ count: Int64) -> Milliseconds { Milliseconds(count * 1_000) }
    /// A duration of some minutes.
    @inlinable package static func minutes(_ count: Int64) -> Milliseconds { Milliseconds(count * 60_000) }
    /// A duration of some days of 24 hours.
    @inlinable package static func days(_ count: Int64) -> Milliseconds { Milliseconds(count * 86_400_000) }

    /// The duration without its sign.
    @inlinable package var magnitude: Milliseconds { Milliseconds(abs(count)) }

    /// The duration after this number of doublings, which must not overflow.
    package func doubled(_ times: Int) -> Milliseconds { Milliseconds(count << Int64(times)) }

    /// Compares the durations.
    @inlinable package static func == (one: Milliseconds, other: Milliseconds) -> Bool { one.count == other.count }
    /// Orders the shorter duration first.
    @inlinable package static func < (one: Milliseconds, other: Milliseconds) -> Bool { one.count < other.count }
    /// The sum.
    @inlinable package static func + (one: Milliseconds, other: Milliseconds) -> Milliseconds {
        Milliseconds(one.count + other.count)
    }
    /// The difference.
    @inlinable package static func - (one: Milliseconds, other: Milliseconds) -> Milliseconds {
        Milliseconds(one.count - other.count)
    }
    /// The opposite duration.
    @inlinable package static prefix func - (one: Milliseconds) -> Milliseconds { Milliseconds(-one.count) }
    /// A multiple.
    @inlinable package static func * (factor: Int64, one: Milliseconds) -> Milliseconds {
        Milliseconds(factor * one.count)
    }
    /// A part, rounded towards zero.
    @inlinable package static func / (one: Milliseconds, divisor: Int64) -> Milliseconds {
        Milliseconds(one.count / divisor)
    }
}

/// A clock, whose readings do not compare with those of another.
package protocol TimeScale {}

/// The boot clock of one machine, which cannot be set and counts on in a suspend.
package enum BootScale: TimeScale {}
/// The one clock of a space, by the rules of the protocol page under *Group time*.
package enum GroupScale: TimeScale {}
/// The wall clock of one machine, which a person or NTP sets.
package enum WallScale: TimeScale {}

/// Milliseconds since the boot of the machine. Readings of two machines do not compare.
package typealias BootTime = Time<BootScale>
/// Milliseconds since 1970 by group time.
package typealias GroupTime = Time<GroupScale>
/// Milliseconds since 1970 by a wall clock, right or wrong.
package typealias WallTime = Time<WallScale>

/// A reading of a clock, in milliseconds since its zero.
///
/// Times of different clocks do not compare; ``Lead`` leads from the boot clock to group time and back.
package struct Time<Scale: TimeScale>: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    /// Milliseconds since the zero of the clock.
    package var milliseconds: Int64

    /// The time of a reading.
    @inlinable package init(_ milliseconds: Int64) { self.milliseconds = milliseconds }
    /// The time that a literal states in milliseconds.
    @inlinable package init(integerLiteral milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Before every other time.
    @inlinable package static var distantPast: Time { Time(.min) }
    /// After every other time.
    @inlinable package static var distantFuture: Time { Time(.max) }

    /// Compares the readings.
    @inlinable package static func == (one: Time, other: Time) -> Bool { one.milliseconds == other.milliseconds }
    /// Orders the earlier time first.
    @inlinable package static func < (one: Time, other: Time) -> Bool { one.milliseconds < other.milliseconds }
    /// A later time.
    @inlinable package static func + (time: Time, duration: Milliseconds) -> Time {
        Time(time.milliseconds + duration.count)
    }
    /// An earlier time.
    @inlinable package static func - (time: Time, duration: Milliseconds) -> Time {
        Time(time.milliseconds - duration.count)
    }
    /// Moves the time later.
    @inlinable package static func += (time: inout Time, duration: Milliseconds) { time = time + duration }
    /// The duration from one time to the other.
    @inlinable package static func - (one: Time, other: Time) -> Milliseconds {
        Milliseconds(one.milliseconds - other.milliseconds)
    }
}

/// Group time minus the boot clock of this machine: the only way from one to the other.
package struct Lead: Hashable, Comparable, Sendable {
    /// The lead in milliseconds.
    package var milliseconds: Int64

    /// A lead of some milliseconds.
    @inlinable package init(_ milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The lead at an instant that both clocks show.
    @inlinable package init(of time: GroupTime, over boot: BootTime) {
        self.init(time.milliseconds - boot.milliseconds)
    }

    /// Orders the smaller lead first.
    @inlinable package static func < (one: Lead, other: Lead) -> Bool { one.milliseconds < other.milliseconds }
    /// The difference of two leads.
    @inlinable package static func - (one: Lead, other: Lead) -> Milliseconds {
        Milliseconds(one.milliseconds - other.milliseconds)
    }
    /// A larger lead.
    @inlinable package static func + (lead: Lead, change: Milliseconds) -> Lead {
        Lead(lead.milliseconds + change.count)
    }
    /// A smaller lead.
    @inlinable package static func - (lead: Lead, change: Milliseconds) -> Lead {
        Lead(lead.milliseconds - change.count)
    }
    /// The group time at a reading of the boot clock.
    @inlinable package static func + (boot: BootTime, lead: Lead) -> GroupTime {
        GroupTime(boot.milliseconds + lead.milliseconds)
    }
    /// The reading of the boot clock at a group time.
    @inlinable package static func - (time: GroupTime, lead: Lead) -> BootTime {
        BootTime(time.milliseconds - lead.milliseconds)
    }
}

extension Milliseconds: CustomStringConvertible {
    /// The number of milliseconds.
    package var description: String { "\(count)" }
}

extension Time: CustomStringConvertible, Codable {
    /// The reading in milliseconds.
    package var description: String { "\(milliseconds)" }

    /// Reads a number of milliseconds.
    package init(from decoder: any Decoder) throws { self.init(try Int64(from: decoder)) }

    /// Writes the number of milliseconds.
    package func encode(to encoder: any Encoder) throws { try milliseconds.encode(to: encoder) }
}
