// SPDX-License-Identifier: Apache-2.0

/// A duration in whole milliseconds. A literal is a number of them.
public struct Milliseconds: Hashable, Comparable, Sendable, AdditiveArithmetic, ExpressibleByIntegerLiteral {
    public var count: Int64

    @inlinable public init(_ count: Int64) { self.count = count }
    @inlinable public init(integerLiteral count: Int64) { self.count = count }

    @inlinable public static func seconds(_ count: Int64) -> Milliseconds { Milliseconds(count * 1_000) }
    @inlinable public static func minutes(_ count: Int64) -> Milliseconds { Milliseconds(count * 60_000) }
    /// A duration of some days of 24 hours.
    @inlinable public static func days(_ count: Int64) -> Milliseconds { Milliseconds(count * 86_400_000) }

    @inlinable public var magnitude: Milliseconds { Milliseconds(abs(count)) }

    /// The duration in seconds, rounded towards zero.
    @inlinable public var wholeSeconds: Int { Int(count / 1_000) }

    /// The duration after this number of doublings, which must not overflow.
    package func doubled(_ times: Int) -> Milliseconds { Milliseconds(count << Int64(times)) }

    @inlinable public static func == (one: Milliseconds, other: Milliseconds) -> Bool { one.count == other.count }
    @inlinable public static func < (one: Milliseconds, other: Milliseconds) -> Bool { one.count < other.count }
    @inlinable public static func + (one: Milliseconds, other: Milliseconds) -> Milliseconds {
        Milliseconds(one.count + other.count)
    }
    @inlinable public static func - (one: Milliseconds, other: Milliseconds) -> Milliseconds {
        Milliseconds(one.count - other.count)
    }
    @inlinable public static prefix func - (one: Milliseconds) -> Milliseconds { Milliseconds(-one.count) }
    @inlinable public static func * (factor: Int64, one: Milliseconds) -> Milliseconds {
        Milliseconds(factor * one.count)
    }
    /// A part, rounded towards zero.
    @inlinable public static func / (one: Milliseconds, divisor: Int64) -> Milliseconds {
        Milliseconds(one.count / divisor)
    }
}

/// A clock, whose readings do not compare with those of another.
public protocol TimeScale {}

/// The boot clock of one machine, which cannot be set and counts on in a suspend.
public enum BootScale: TimeScale {}
/// The one clock of a space, by the rules of the protocol page under *Group time*.
public enum GroupScale: TimeScale {}
/// The wall clock of one machine, which a person or NTP sets.
public enum WallScale: TimeScale {}

/// Milliseconds since the boot of the machine. Readings of two machines do not compare.
public typealias BootTime = Time<BootScale>
/// Milliseconds since 1970 by group time.
public typealias GroupTime = Time<GroupScale>
/// Milliseconds since 1970 by a wall clock, right or wrong.
public typealias WallTime = Time<WallScale>

/// A reading of a clock, in milliseconds since its zero. A ``Lead`` converts the boot clock to group time and back.
public struct Time<Scale: TimeScale>: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    public var milliseconds: Int64

    @inlinable public init(_ milliseconds: Int64) { self.milliseconds = milliseconds }
    @inlinable public init(integerLiteral milliseconds: Int64) { self.milliseconds = milliseconds }

    /// A time in seconds. A larger number could overflow.
    package init(seconds: UInt32) { self.init(Int64(seconds) * 1_000) }
    package var wholeSeconds: Int64 { milliseconds / 1_000 }

    @inlinable public static var distantPast: Time { Time(.min) }
    @inlinable public static var distantFuture: Time { Time(.max) }

    @inlinable public static func == (one: Time, other: Time) -> Bool { one.milliseconds == other.milliseconds }
    @inlinable public static func < (one: Time, other: Time) -> Bool { one.milliseconds < other.milliseconds }
    @inlinable public static func + (time: Time, duration: Milliseconds) -> Time {
        Time(time.milliseconds + duration.count)
    }
    @inlinable public static func - (time: Time, duration: Milliseconds) -> Time {
        Time(time.milliseconds - duration.count)
    }
    @inlinable public static func += (time: inout Time, duration: Milliseconds) { time = time + duration }
    @inlinable public static func - (one: Time, other: Time) -> Milliseconds {
        Milliseconds(one.milliseconds - other.milliseconds)
    }
}

/// A group time minus a reading of a boot clock at the same instant. It is the only way to convert one into the other.
/// The boot clock is that of this machine, unless stated.
public struct Lead: Hashable, Comparable, Sendable {
    public var milliseconds: Int64

    @inlinable public init(_ milliseconds: Int64) { self.milliseconds = milliseconds }

    @inlinable public init(of time: GroupTime, over boot: BootTime) {
        self.init(time.milliseconds - boot.milliseconds)
    }

    @inlinable public static func < (one: Lead, other: Lead) -> Bool { one.milliseconds < other.milliseconds }
    @inlinable public static func - (one: Lead, other: Lead) -> Milliseconds {
        Milliseconds(one.milliseconds - other.milliseconds)
    }
    @inlinable public static func + (lead: Lead, change: Milliseconds) -> Lead {
        Lead(lead.milliseconds + change.count)
    }
    @inlinable public static func - (lead: Lead, change: Milliseconds) -> Lead {
        Lead(lead.milliseconds - change.count)
    }
    /// The group time at a reading of the boot clock.
    @inlinable public static func + (boot: BootTime, lead: Lead) -> GroupTime {
        GroupTime(boot.milliseconds + lead.milliseconds)
    }
    /// The reading of the boot clock at a group time.
    @inlinable public static func - (time: GroupTime, lead: Lead) -> BootTime {
        BootTime(time.milliseconds - lead.milliseconds)
    }
}

extension Milliseconds: CustomStringConvertible, Codable {
    public var description: String { "\(count)" }

    public init(from decoder: any Decoder) throws { self.init(try Int64(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try count.encode(to: encoder) }
}

extension Time: CustomStringConvertible, Codable {
    public var description: String { "\(milliseconds)" }

    public init(from decoder: any Decoder) throws { self.init(try Int64(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try milliseconds.encode(to: encoder) }
}
