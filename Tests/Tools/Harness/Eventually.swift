// SPDX-License-Identifier: Apache-2.0

/// The error of a condition that did not hold in time.
public struct TimedOut: Error, CustomStringConvertible {
    /// The condition and the place in the source.
    public let description: String
}

/// Waits until a condition holds.
/// - Parameters:
///   - what: The condition in words, for the failure.
///   - limit: How long to wait: long enough for a machine that builds something else meanwhile.
///   - condition: Checked often at first, then less often, so that a long wait does not slow the machine down.
public func eventually(
    _ what: String,
    within limit: Duration = .seconds(180),
    file: String = #fileID,
    line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    var pause = Duration.milliseconds(2)
    while true {
        // Read before the check, so that a process that was stopped for a while checks once more.
        let isLast = clock.now >= start + limit
        if try await condition() { return }
        if isLast { throw TimedOut(description: "\(file):\(line): not within \(limit): \(what)") }
        try await clock.sleep(for: pause)
        pause = min(pause * 1.2, .milliseconds(50))
    }
}

/// The reason why a test or a benchmark cannot continue.
package struct Failed: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
