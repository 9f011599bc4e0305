// SPDX-License-Identifier: Apache-2.0

package import Session
import Settings
import Subprocess
import SystemPackage

/// The past year of the ledger on this machine as a calendar. `lockstep-debt` prints it, since a node does not link
/// SQLite.
package actor LedgerCalendar {
    /// The largest calendar, in bytes: twenty sessions a day have a tenth of that.
    private static let sizeLimit = 1 << 24
    private let space: SpaceID
    private var running: Task<[UInt8], any Error>?

    package init(of space: SpaceID) { self.space = space }

    /// Returns the calendar in the iCalendar format. Calls that overlap share one result.
    /// - Parameter time: The present.
    package func text(at time: GroupTime) async throws -> [UInt8] {
        if let running { return try await running.value }
        // A task of its own, so that requests that come meanwhile share its result.
        let task = Task { try await read(since: LocalTime(at: (time - .days(366)).milliseconds, offset: 0).date) }
        running = task
        defer { running = nil }
        return try await task.value
    }

    private func read(since day: CivilDate) async throws -> [UInt8] {
        let program = CompanionExecutable.path(of: "lockstep-debt")
        guard CompanionExecutable.isInstalled("lockstep-debt") else {
            throw ValueError("\(program) is not installed")
        }
        let result = try await Subprocess.run(
            .path(FilePath(program)),
            arguments: ["history", "--ical", "--since=\(day)", "--space=\(space)"], environment: .withoutSettings,
            input: .none, output: .bytes(limit: Self.sizeLimit), error: .string(limit: 4_096))
        guard result.terminationStatus.isSuccess else {
            let reason = result.standardError.split(whereSeparator: \.isNewline).joined(separator: " ")
            throw ValueError(reason.isEmpty ? "\(program) has ended: \(result.terminationStatus)" : reason)
        }
        return result.standardOutput
    }
}
