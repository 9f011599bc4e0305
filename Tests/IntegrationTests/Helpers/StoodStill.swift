// SPDX-License-Identifier: Apache-2.0

/// The machine stood still for longer than a program is patient, which then rightly did something else than what a test
/// is about.
struct StoodStill: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = "the machine stood still: \(what)" }
}

/// Runs a test from its beginning, and again where the machine stood still meanwhile: three times at most, so that what
/// is wrong every time fails.
/// - Parameter body: Gets how often it has been run before.
func persistently(_ body: (_ before: Int) async throws -> Void) async throws {
    for before in 0..<2 {
        do {
            return try await body(before)
        } catch is StoodStill {
            continue
        }
    }
    try await body(2)
}
