// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Machines whose clocks have nothing to do with each other.
@Suite(.takingTurns) struct ClockTests {
    /// What all must be able to do, whatever their clocks say.
    private func shareASession(_ clock: MovedClock) async throws {
        try await FaultySpace.with(deskClock: clock) { space, id in
            #expect(await space.extend(space.kitchen).outcome == "applied")
            #expect(await space.extend(space.desk).outcome == "applied")
            try await space.agrees("two presses") { $0.totalSeconds == 1_620 && $0.session.text == id }
            let later = try space.kitchen.begin(["seconds": 600])
            try await space.agrees("a later start there") { $0.session.text == later && $0.owner == "kitchen" }
            #expect(await space.extend(space.desk).outcome == "applied")
            try await space.agrees("a press") { $0.totalSeconds == 660 }
            let last = try space.desk.begin(["seconds": 900])
            try await space.agrees("a later start here") { $0.session.text == last && $0.owner == "desk" }
        }
    }

    @Test(
        .enabled(if: MovedClock.canMoveBoot, "only root, on a kernel with time namespaces, has other boot clocks"),
        arguments: [100_000])
    func bootClocksHaveNothingToDoWithEachOther(seconds: Int) async throws {
        try await shareASession(.boot(seconds: seconds))
    }
}
