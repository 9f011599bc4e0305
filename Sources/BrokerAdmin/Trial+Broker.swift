// SPDX-License-Identifier: Apache-2.0

import Glibc
import Joining
import Platform
import Session
import Settings
import Subprocess
import SystemPackage
import Wire

// The broker of a trial: a copy of the present configuration, with the new files over it.
extension Trial {
    /// The new files with one more user, who may write one topic.
    func withTrialUser(_ password: String) -> [BrokerFile] {
        new.map { file in
            var file = file
            if file.name == BrokerPath.passwords { file.bytes += Array("trial:\(Secret.hash(password))\n".utf8) }
            if file.name == BrokerPath.access {
                let hello = Topics.filter(Topic.Leaf.hello.rawValue, of: "trial")
                file.bytes += Array("\nuser trial\ntopic write \(hello)\n".utf8)
            }
            return file
        }
    }

    /// Runs a copy of the present configuration, with other files over it, while `body` runs.
    func withBroker<Value: Sendable>(
        in path: String, adding files: [BrokerFile], _ body: (TrialConfiguration) throws -> Value,
        failure: (String) -> String
    ) async throws -> Value {
        var reason = ""
        for attempt in 1...5 {
            let folder = "\(path).\(attempt)"
            do {
                let trial = try await prepare(folder, adding: files)
                // Without a listener mosquitto uses port 1883 on loopback; that one is not tried, and ours replaces it.
                if trial.listeners.isEmpty { return try body(trial) }
                if let value = try await serve(folder, { try body(trial) }) { return value }
            } catch {
                throw (error as? SetupError) ?? SetupError("the trial failed: \(error)")
            }
            let log = (try? Files.read(folder + "/data/log", limit: BrokerFiles.limit)) ?? []
            reason = Self.reason(in: String(decoding: log, as: UTF8.self)).replacing(folder, with: "/etc/mosquitto")
            // Another program may have taken a port meanwhile.
            guard reason.contains("Address already in use") else { break }
        }
        throw SetupError(failure(reason))
    }

    /// Returns the lines of a log that say why mosquitto does not start.
    private static func reason(in log: String) -> String {
        log.split(whereSeparator: \.isNewline).filter { line in
            ["Error", "error", "Unable", "refused"].contains(where: line.contains)
        }.prefix(3).map { String($0.drop { $0.isNumber || $0 == ":" || $0 == " " }) }.joined(separator: "\n")
    }

    /// Copies the present configuration into a folder, with the new files over it, and adapts it for the trial.
    private func prepare(_ folder: String, adding new: [BrokerFile]) async throws -> TrialConfiguration {
        for path in [folder, folder + "/data", folder + "/conf.d", folder + "/lockstep"] { mkdir(path, 0o755) }
        if access(files.folder, F_OK) == 0 {
            let arguments = ["-a", files.folder + "/.", folder].map { LineText(showing: $0) }
            let copied = try await Child.run("cp", arguments)
            guard copied.code == 0 else { throw SetupError(copied.errors) }
        }
        unlink("\(folder)/\(MosquittoConfiguration.name)")
        for file in new { try Files.replace("\(folder)/\(file.name)", isFlushed: false, with: file.bytes) }
        var trial = TrialConfiguration(folder: folder)
        var configuration =
            present
            + new.filter { $0.name == MosquittoConfiguration.name }.map {
                ConfigurationFile(name: $0.name, text: String(decoding: $0.bytes, as: UTF8.self))
            }
        if !configuration.contains(where: { $0.name == BrokerPath.main }) {
            configuration.append(ConfigurationFile(name: BrokerPath.main, text: ""))
        }
        for file in configuration {
            var text = try trial.adapt(file) {
                guard let port = LoopbackPort.free() else {
                    throw SetupError("no port of 127.0.0.1 is free")
                }
                return port
            }
            if file.name == BrokerPath.main {
                // A staging folder may lack Debian's own file, which ends with this line.
                if !file.includesFolder { text += "include_dir \(folder)/conf.d\n" }
                text += "log_dest stderr\n"
                if file.value("user") == nil { text += "user \(files.user)\n" }
            }
            try Files.replace("\(folder)/\(file.name)", isFlushed: false, with: Array(text.utf8))
        }
        if geteuid() == 0, let user = getpwnam(trial.user ?? files.user) {
            let owner = (user: user.pointee.pw_uid, group: user.pointee.pw_gid)
            for path in [folder, folder + "/data", folder + "/conf.d", folder + "/lockstep"] {
                chown(path, owner.user, owner.group)
            }
            for file in configuration.map(\.name) + new.map(\.name) {
                chown("\(folder)/\(file)", owner.user, owner.group)
            }
        }
        return trial
    }

    /// Runs mosquitto in a folder while `body` runs. Returns `nil` if it does not start; its log is in the folder.
    private func serve<Value: Sendable>(_ folder: String, _ body: () throws -> Value) async throws -> Value? {
        let log = folder + "/data/log"
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileError(path: log, action: "write") }
        // Relative paths and core files stay in the folder.
        let run = try await Subprocess.run(
            .path(FilePath(program)), arguments: ["-c", folder + "/mosquitto.conf"], workingDirectory: FilePath(folder),
            input: .none,
            output: .fileDescriptor(FileDescriptor(rawValue: descriptor), closeAfterSpawningProcess: true),
            error: .combinedWithOutput
        ) { execution -> Value? in
            // The store is thrown away, so the broker need not shut down cleanly.
            defer { kill(execution.processIdentifier.value, SIGKILL) }
            guard try await isReady(execution.processIdentifier.value, log) else { return nil }
            return try body()
        }
        return run.closureResult
    }

    /// Waits until mosquitto runs or has ended, a minute at most.
    private func isReady(_ process: pid_t, _ log: String) async throws -> Bool {
        for _ in 0..<6_000 {
            let text = String(decoding: try Files.read(log, limit: BrokerFiles.limit), as: UTF8.self)
            if text.contains(" running\n") { return true }
            if Programs.hasEnded(process) { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
