// SPDX-License-Identifier: Apache-2.0

import Glibc
import Harness
import Platform
import Synchronization

/// A thread that detects stalls of the machine: late wake-ups, and processor time stolen by the host.
enum Heartbeat {
    private static let stalls = Mutex(Stalls(now: .now, stolen: StolenTime.ticks()))

    /// Whether the thread runs. It starts on first use.
    static let isBeating: Bool = {
        do throws(FileError) {
            try Thread.start(name: "heartbeat") { beat() }
        } catch {
            fatalError("\(error)")
        }
        return true
    }()

    /// Describes the latest stall that ended after an instant; `nil` without one.
    static func stall(since start: ContinuousClock.Instant) -> String? {
        stalls.withLock { stalls in
            // A caller that wakes from a stall may run before the thread does.
            stalls.look(at: .now, stolen: StolenTime.ticks(), isBeat: false)
            return stalls.latest.flatMap { $0.end >= start ? $0.what : nil }
        }
    }

    private static func beat() -> Never {
        while true {
            usleep(useconds_t(Stalls.period / .microseconds(1)))
            stalls.withLock { $0.look(at: .now, stolen: StolenTime.ticks(), isBeat: true) }
        }
    }
}

/// The rule that defines a stall of the machine.
package struct Stalls {
    /// The time between two beats.
    package static let period = Duration.milliseconds(50)
    /// The shortest stall: half of the product's shortest time-out, the repetition of an intent after one second.
    package static let shortest = Duration.milliseconds(500)

    package private(set) var latest: (end: ContinuousClock.Instant, what: String)?
    private var beat: ContinuousClock.Instant
    private var window: (start: ContinuousClock.Instant, stolen: Int64)

    package init(now: ContinuousClock.Instant, stolen: Int64) {
        beat = now
        window = (now, stolen)
    }

    /// Records a stall if a beat is late, or if the host stole half a second of a second.
    /// - Parameter isBeat: Whether the thread itself looks; otherwise the next beat stays due.
    package mutating func look(at now: ContinuousClock.Instant, stolen: Int64, isBeat: Bool) {
        let late = now - beat - Self.period
        if late >= Self.shortest { latest = (now, "a thread woke \(late) late") }
        let lost = Duration.milliseconds(10 * (stolen - window.stolen))
        if lost >= Self.shortest { latest = (now, "the host stole \(lost) of processor time") }
        if isBeat { beat = now }
        if now - window.start >= .seconds(1) { window = (now, stolen) }
    }
}
