// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// The ledger that commands read when they are not told where it is.
@Suite(.limitedConcurrency, .retriedAfterStall) struct LedgerPlaceTests {
    private static func command(_ words: String..., home: TemporaryDirectory) async throws -> CommandResult {
        try await CommandLine.run(words, environment: ["HOME": home.path, "TZ": "UTC"])
    }

    private static func makeLedger(in folder: String, of home: TemporaryDirectory) async throws {
        let export =
            "end,duration,interruptions,label,notes,is_break,is_archived\n2026-11-20T09:30:00,25,5,Deep,,false,false\n"
        let file = try home.write(try await ForeignExport.history(export, zone: "UTC"), to: "history.csv")
        let made = try await command("debt", "import", file, "--state-dir", home.file(folder), home: home)
        try #require(made.code == 0, "\(made)")
    }

    @Test func ofSeveralLedgersTheOneThatIsReadIsNamed() async throws {
        let home = try TemporaryDirectory()
        let (service, former) = (".local/state/lockstep-debt", ".local/state/lockstep/debt")
        try await Self.makeLedger(in: former, of: home)
        #expect(try await Self.command("debt", home: home).expect().errors == "")
        try await Self.makeLedger(in: service, of: home)
        for (name, command) in [("debt", "lockstep debt"), ("history", "lockstep")] {
            let both = try await Self.command(name, home: home).expect()
            #expect(
                both.errors == "\(command): this is the ledger in \(home.file(service)); there is another: "
                    + "--state-dir \(home.file(former))\n")
        }
        #expect(try await Self.command("debt", "--state-dir", home.file(former), home: home).expect().errors == "")
    }

    @Test func anErrorOfTheSystemIsTheReasonWhyALedgerIsNotCopied() async throws {
        let home = try TemporaryDirectory()
        try await Self.makeLedger(in: "debt", of: home)
        let (ledger, missing) = (home.file("debt/ledger.sqlite"), home.file("missing/ledger"))
        let reason = "No such file or directory"
        try await Self.command("debt", "move", ledger, missing, home: home).expect(
            1, errors: "the ledger \(missing) cannot be used: \(reason)")
        try await Self.command("debt", "move", missing, home.file("new"), home: home).expect(
            2, errors: "\(missing) cannot be read: \(reason)")
        try await Self.command("debt", "restore", missing, "--state-dir", home.file("debt"), home: home).expect(
            2, errors: "\(missing) cannot be used: \(reason)")
    }
}
