// SPDX-License-Identifier: Apache-2.0

/// A condition did not come true in time.
public struct TimedOut: Error, CustomStringConvertible {
    /// What was waited for, and where.
    public let description: String
}

/// Waits until a condition holds.
///
/// - Parameters:
///   - what: The condition in words, for the failure.
///   - limit: How long to wait: long enough for a machine with much else to do, since it says nothing about speed.
///   - condition: Asked often at first, then less and less, so that a long wait does not slow down what it waits for.
/// - Throws: ``TimedOut``, and what the condition throws.
public func eventually(
    _ what: String,
    within limit: Duration = .seconds(60),
    file: String = #fileID,
    line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    defer { Pace.current?.note(clock.now - start) }
    var pause = Duration.milliseconds(2)
    while true {
        // Taken before the look: a process that stood still since the last one gets to look again.
        let isLast = clock.now >= start + limit
        if try await condition() { return }
        if isLast { throw TimedOut(description: "\(file):\(line): not within \(limit): \(what)") }
        try await clock.sleep(for: pause)
        pause = min(pause * 1.2, .milliseconds(50))
    }
}
