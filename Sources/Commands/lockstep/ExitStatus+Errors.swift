// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Settings

extension ExitStatus {
    /// Prints the reason why the command ends, and returns its exit code as an error to throw.
    func printing(_ reason: String) -> any Error {
        CommandLineRunner.say("lockstep: \(reason)")
        return code
    }

    /// Runs `body`, and turns an error of the control socket into an exit code, with its reason printed.
    static func replacingControlErrors(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ControlError {
            let status: ExitStatus =
                switch error {
                case .noAnswer, .badAnswer: .noAnswer
                case .refused: .refused
                case .unknown: .usage
                case .pathTooLong, .taken, .notASocket, .unreachable: .unreachable
                }
            throw status.printing("\(error)")
        }
    }
}
