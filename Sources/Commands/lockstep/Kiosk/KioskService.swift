// SPDX-License-Identifier: Apache-2.0

import Commands
import Glibc
import Subprocess

/// The unit that shows the display on this machine's screen.
enum KioskService {
    static let unit = "lockstep-kiosk.service"

    static func requireRoot() throws {
        guard geteuid() == 0 else { throw UsageError("this changes the machine: run it as root, with sudo") }
        guard access("/run/systemd/system", F_OK) == 0 else {
            throw UsageError("systemd does not run here; show the page by hand, at the address of `lockstep kiosk`")
        }
    }

    static func systemctl(_ arguments: String...) async throws {
        let result = try await Subprocess.run(
            .name("systemctl"), arguments: Arguments(arguments), output: .discarded, error: .string(limit: 1 << 14))
        guard result.terminationStatus.isSuccess else {
            let reason = result.standardError.split(whereSeparator: \.isNewline).joined(separator: "; ")
            throw UsageError("systemctl \(arguments.joined(separator: " ")) failed: \(reason)")
        }
    }
}
