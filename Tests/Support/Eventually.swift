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
///   - limit: How long to wait.
///   - condition: Asked every few milliseconds.
/// - Throws: ``TimedOut``, and what the condition throws.
public func eventually(
    _ what: String,
    within limit: Duration = .seconds(30),
    file: String = #fileID,
    line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while try await !condition() {
        if clock.now >= deadline { throw TimedOut(description: "\(file):\(line): not within \(limit): \(what)") }
        try await clock.sleep(for: .milliseconds(3))
    }
}
