// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Glibc
import Joining

/// `lockstep leave`: undoes `lockstep join`.
struct LeaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Undo lockstep join: stop the services, and remove the password and the settings of joining.",
        discussion: """
            Journal, ledger and your own settings stay. The broker still knows the member, so its name stays taken; to free \
            it, sudo lockstep revoke NAME there.
            """
    )

    @OptionGroup var scope: JoinScopeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let joining = try await scope.joining(quiet: output.json)
        let left = try await MemberCommandSupport.orExit(json: output.json) { try await joining.leave() }
        if output.json { return print(CommandOutput.json(["left": left.map(\.service)])) }
        print("Left the broker: \(left.map(\.service).joined(separator: ", ")) stopped.")
        for node in left.compactMap(\.node) {
            print(
                "The broker still knows \(node), so that name stays taken. To free it there: sudo lockstep revoke \(node)"
            )
        }
        if !scope.isPersonal, access((scope.destdir ?? "") + KioskEnableCommand.path, F_OK) == 0 {
            print("This machine is still a kiosk. To return its screen to the console: sudo lockstep kiosk disable")
        }
    }
}
