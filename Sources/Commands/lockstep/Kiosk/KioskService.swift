// SPDX-License-Identifier: Apache-2.0

import API
import Client
import Glibc
import Joining
import Platform
import Session
import Settings

/// The unit that shows the display on this machine's screen.
enum KioskService {
    static let unit: LineText = "lockstep-kiosk.service"
    /// A client of the machine's node, whose page the unit shows.
    private static let node = ControlClient(path: Installation.machineSocket)
    /// The file in which `kiosk-session` says what it shows: `page`, `terminal` or `nothing`. A reason follows if it
    /// shows less than it should, or still waits.
    private static let report = "/run/lockstep-kiosk/shows"
    /// The longest wait for the page. An estimate: a small board starts Chromium for the first time in half a minute.
    private static let timeout = Duration.seconds(120)

    static func requireRoot() throws {
        try MemberCommandSupport.requireRoot()
        guard access("/run/systemd/system", F_OK) == 0 else {
            throw UsageError("systemd does not run here; show the page by hand, at the address of `lockstep kiosk`")
        }
    }

    @discardableResult
    static func systemctl(_ arguments: LineText...) async throws -> String {
        let result = try await Child.systemctl(arguments)
        guard result.code == 0 else {
            let reason = result.errors.split(whereSeparator: \.isNewline).joined(separator: "; ")
            throw UsageError("systemctl \(arguments.map(\.description).joined(separator: " ")) failed: \(reason)")
        }
        return result.output
    }

    /// Waits until the page is seen on the screen, or the terminal if the settings say so.
    /// - Returns: The name of the shown display.
    /// - Throws: The exit code, after printing what is missing: ``ExitStatus/refused`` if this machine cannot show the
    ///   page, ``ExitStatus/noAnswer`` if it does not appear in time.
    static func waitUntilSeen() async throws -> String {
        let clock = ContinuousClock()
        let deadline = clock.now + timeout
        var reason: Substring = ""
        while clock.now < deadline {
            if try await systemctl("show", "--property=ConditionResult", unit) == "ConditionResult=no\n" {
                throw ExitStatus.refused.printing(
                    "\(unit) is skipped, since this machine has no console (/dev/tty0), like a container")
            }
            let words = ((try? Files.read(report, limit: 4_096)).map { String(decoding: $0, as: UTF8.self) } ?? "")
                .split(separator: " ", maxSplits: 1)
            reason = words.dropFirst().first ?? ""
            switch words.first {
            case "terminal" where reason.isEmpty: return "lockstep watch"
            case "terminal":
                throw ExitStatus.refused.printing("the screen shows lockstep watch and not the page: \(reason)")
            case "nothing": throw ExitStatus.refused.printing("the screen shows nothing: \(reason)")
            default: if (try? await node.kiosk().isShown) == true { return "the page" }
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        let state = try await systemctl("show", "--property=ActiveState,NRestarts", unit)
            .split(whereSeparator: \.isNewline)
        throw ExitStatus.noAnswer.printing(
            """
            the page is not seen on the screen after \(timeout.components.seconds) s: \
            \(reason.isEmpty ? state.joined(separator: ", ") : String(reason)); \
            see journalctl -b -u \(unit)
            """)
    }
}
