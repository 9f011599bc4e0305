// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The machine stood still for longer than a program is patient, which then rightly did something else than what a test
/// is about.
public struct StoodStill: Error, CustomStringConvertible {
    /// What shows it, as a sentence.
    public let description: String

    /// - Parameter what: What shows it.
    public init(_ what: String) { description = "the machine stood still: \(what)" }
}

/// How long the steps of a test have taken: what the machine keeps waiting may lose its patience.
public final class Pace: Sendable {
    /// That of the test which runs here.
    @TaskLocal public static var current: Pace?

    /// The shortest time after which the product does something else because nothing has come: an intent is sent again.
    private static let shortestPatience = Duration.seconds(1)

    private let slowest = Mutex(Duration.zero)

    /// How often the test was tried before.
    public let tries: Int

    /// Begins with no step.
    public init(tries: Int) { self.tries = tries }

    /// A step has taken so long.
    public func note(_ duration: Duration) { slowest.withLock { $0 = max($0, duration) } }

    /// Whether one of the steps has taken as long as the shortest patience.
    public var isSlow: Bool { slowest.withLock { $0 } >= Self.shortestPatience }
}
