// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Settings

/// `lockstep`: the command line of a node.
@main
struct Lockstep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep",
        abstract: "One live session on every screen you own.",
        discussion: """
            Connects to the node on this machine. Where none runs and --broker is given, presses, status, nodes, watch \
            and calm act as a passing remote. Where one runs, --broker is refused, and so is a \
            --space that is not its own.

            \(ExitStatus.help)
            """,
        version: Software.version,
        subcommands: [
            UpCommand.self, NodeCommand.self, StartCommand.self, PauseCommand.self, ResumeCommand.self,
            StopCommand.self, ExtendCommand.self,
            BreakCommand.self, FocusCommand.self, SkipCommand.self, CorrectCommand.self, TakeCommand.self,
            OKCommand.self, SayCommand.self, StatusCommand.self,
            NodesCommand.self, WatchCommand.self, DesktopCommand.self, KioskCommand.self, PhoneCommand.self,
            CalmCommand.self,
            DebtCommand.self,
            HistoryCommand.self, DoctorCommand.self, JoinCommand.self, LeaveCommand.self, BrokerCommand.self,
            InviteCommand.self, MembersCommand.self, RevokeCommand.self,
        ]
    )

    static func main() async {
        await CommandLineRunner.run(Self.self)
    }
}
