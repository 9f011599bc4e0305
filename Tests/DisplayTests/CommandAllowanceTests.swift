// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Testing

@testable import Display

@Suite(.timeLimit(.minutes(15))) struct CommandAllowanceTests {
    private static let start = PlainCommand.Action.start(StartRequest())

    @Test func twentyStartsInARowAreAcceptedThenOneEachFiveSeconds() {
        var allowance = CommandAllowance()
        #expect((0..<30).count { _ in allowance.spend(on: Self.start, at: 1_000) } == 20)
        let times = stride(from: Int64(2_000), through: 61_000, by: 500)
        #expect(times.count { allowance.spend(on: Self.start, at: BootTime($0)) } == 12)
    }

    @Test func aHundredPressesInARowAreAcceptedThenOneASecond() {
        var allowance = CommandAllowance()
        #expect((0..<200).count { _ in allowance.spend(on: .toggle, at: 1_000) } == 100)
        #expect((1...60).count { allowance.spend(on: .toggle, at: BootTime(1_000 + $0 * 1_000)) } == 60)
    }

    @Test func aDayOfStartsStaysBelowTheSessionsThatALedgerAccepts() {
        var allowance = CommandAllowance()
        let accepted = (0..<86_400).count { allowance.spend(on: Self.start, at: BootTime($0 * 1_000)) }
        #expect(accepted < 30_000)
    }
}
