// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Joining
import Platform
import Session
import Settings

/// The mosquitto of this machine: the unit of systemd, or a process that no service manager runs.
struct MosquittoService: Sendable {
    let files: BrokerFiles

    static let unit: LineText = "mosquitto.service"

    var hasManager: Bool { files.root.isEmpty && access("/run/systemd/system", F_OK) == 0 }

    func systemctl(_ arguments: LineText...) async -> Bool {
        await ((try? Child.systemctl(arguments))?.code ?? 1) == 0
    }

    var isRunning: Bool {
        get async { hasManager ? await systemctl("is-active", "--quiet", Self.unit) : process != nil }
    }

    /// The process with this configuration, where no service manager runs it.
    var process: pid_t? {
        let noted = (try? Files.read(files.root + "/run/mosquitto/mosquitto.pid", limit: 32))
            .flatMap { pid_t(String(decoding: $0, as: UTF8.self).filter { $0.isNumber }) }
        if let noted, Self.isMosquitto(noted) { return noted }
        // Debian 13's mosquitto.conf names no pid_file: look for a process with this configuration.
        let path = Array(files.path(BrokerPath.main).utf8)
        return Self.processes.first { process in
            let line = (try? Files.read("/proc/\(process)/cmdline", limit: 1 << 16)) ?? []
            return line.split(separator: 0).contains { Array($0) == path }
        }
    }

    static func isMosquitto(_ process: pid_t) -> Bool {
        (try? Files.read("/proc/\(process)/comm", limit: 64)) == Array("mosquitto\n".utf8)
    }

    static var processes: [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter(isMosquitto)
    }

    /// Lets the broker read its users again, and end connections of former ones. Returns `false` only if a
    /// broker runs that could not be told.
    func reload() async -> Bool {
        // Debian's unit reloads by /bin/kill, which is in a package that a small system may lack.
        if hasManager { return await systemctl("kill", "--kill-who=main", "--signal=HUP", Self.unit) }
        return process.map { kill($0, SIGHUP) == 0 } ?? true
    }

    /// Restarts the unit, or starts it if it is stopped. Without a service manager it only tells a person to start the
    /// broker. Returns `false` if systemd failed.
    func restart() async -> Bool {
        if hasManager { return await systemctl("restart", Self.unit) }
        let again = process == nil ? "" : " again"
        print("No service manager here: start mosquitto\(again) yourself: mosquitto -c \(files.path(BrokerPath.main))")
        return true
    }

    /// Stops the broker. Returns whether it has ended, and its process if no service manager ran it.
    func stop() async -> (isStopped: Bool, process: pid_t?) {
        if hasManager { return (await systemctl("stop", Self.unit), nil) }
        guard let process else { return (true, nil) }
        kill(process, SIGTERM)
        let deadline = SystemClock.bootMilliseconds() + 20_000
        while Self.isMosquitto(process) {
            guard SystemClock.bootMilliseconds() < deadline else { return (false, process) }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return (true, process)
    }

    /// Enables or disables the timer that withdraws unused invitations, where it is installed.
    func invitationsTimer(_ verb: LineText) async {
        guard hasManager, await systemctl("cat", "lockstep-invitations.timer") else { return }
        if await !systemctl(verb, "--now", "--quiet", "lockstep-invitations.timer") {
            CommandLineRunner.say("lockstep-invitations.timer: systemctl \(verb) failed")
        }
    }
}
