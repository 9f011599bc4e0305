// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Session
package import Settings
import Subprocess
import SystemPackage

/// A private mosquitto without passwords on loopback, which `lockstep up` runs.
package struct PrivateBroker: Sendable {
    /// The directory of its configuration, store and log.
    package let directory: String
    package let port: Int
    private let lock: StateDirectory
    private let isPersistent: Bool

    /// - Parameters:
    ///   - port: The port to listen on; `nil` for the last one if it is free, else for any free port.
    ///   - isPersistent: Whether retained messages survive a restart. The store is written every 10 seconds and at the
    ///     end.
    package init(directory: String, port: Int? = nil, isPersistent: Bool = true) throws(ValueError) {
        self.directory = directory
        self.isPersistent = isPersistent
        do throws(StateDirectoryError) {
            lock = try StateDirectory(directory)
        } catch {
            throw .unusable(error.description)
        }
        let last = (try? Files.read(directory + "/port", limit: 16)).flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        if let port {
            if let problem = Self.problem(ofPort: port) { throw .unusable(problem) }
            self.port = port
        } else if let last, LoopbackPort.isFree(last) {
            self.port = last
        } else {
            guard let free = LoopbackPort.free() else { throw .unusable("no port of 127.0.0.1 is free") }
            self.port = free
        }
    }

    /// Returns why the broker cannot listen on a port; `nil` if it can.
    package static func problem(ofPort port: Int) -> String? {
        LoopbackPort.isFree(port) ? nil : "port \(port) is taken; choose another with --port"
    }

    /// Runs the broker while `body` runs, and restarts it if it ends.
    /// - Parameter onEnd: Called with the reason when it has ended by itself.
    package func run<Value: Sendable>(
        onEnd: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @escaping @Sendable (BrokerAddress) async throws -> Value
    ) async throws -> Value {
        try writeConfiguration()
        let address = try BrokerAddress("mqtt://127.0.0.1:\(port)")
        let program = try Self.program()
        let (starts, start) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await keepRunning(program, onStart: { start.yield() }, onEnd: onEnd)
                return nil
            }
            group.addTask {
                for await _ in starts { return try await body(address) }
                return nil
            }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }

    private func keepRunning(
        _ program: String, onStart: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable (String) -> Void
    ) async throws {
        var (isFirst, backOff) = (true, Self.firstBackOff)
        while !Task.isCancelled {
            let began = SystemClock.bootMilliseconds()
            do {
                let status = try await serve(program, onStart: onStart)
                if Task.isCancelled { return }
                onEnd("\(status)")
            } catch let error as ValueError {
                // A later failure is tried again: another process may use the port for a while.
                if isFirst { throw error }
            }
            isFirst = false
            if SystemClock.bootMilliseconds() - began > 10_000 { backOff = Self.firstBackOff }
            try await Task.sleep(for: backOff)
            backOff = min(backOff * 2, .seconds(30))
        }
    }

    /// The first back-off before a restart. It doubles each time that the broker ends within ten seconds.
    private static let firstBackOff = Duration.milliseconds(250)

    private func serve(_ program: String, onStart: @Sendable () -> Void) async throws -> TerminationStatus {
        var options = PlatformOptions()
        // Its own process group, so that Ctrl-C reaches the node first and the broker receives its goodbye.
        options.processGroupID = 0
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        do {
            return try await Subprocess.run(
                .path(FilePath(program)), arguments: ["-c", directory + "/mosquitto.conf"],
                platformOptions: options, input: .none, output: .discarded, error: .discarded
            ) { execution in
                try await waitUntilReady(execution.processIdentifier.value)
                onStart()
            }.terminationStatus
        } catch let error as SubprocessError {
            throw ValueError.unusable("mosquitto does not start: \(error)")
        }
    }

    /// Waits until the broker listens, a minute at most: a busy machine is slow.
    private func waitUntilReady(_ process: pid_t) async throws {
        for _ in 0..<6_000 {
            if LoopbackPort.isServed(port) { return }
            if Programs.hasEnded(process) { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw ValueError.unusable("mosquitto does not listen on port \(port); see \(directory)/mosquitto.log")
    }

    private func persistence(in directory: LineText) -> String {
        """
        persistence true
        persistence_location \(directory)/
        autosave_on_changes false
        autosave_interval 10
        """
    }

    private func writeConfiguration() throws(ValueError) {
        guard let directory = LineText(line: directory) else {
            throw .unusable("its configuration cannot name the folder \(LineText(showing: directory))")
        }
        let user = getuid() == 0 ? "user root\n" : ""
        let text = """
            # Written by lockstep up at each start.
            \(user)listener \(port) 127.0.0.1
            allow_anonymous true
            set_tcp_nodelay true
            max_packet_size 65536
            memory_limit 268435456
            \(isPersistent ? persistence(in: directory) : "persistence false")
            log_dest file \(directory)/mosquitto.log

            """
        for (name, contents) in [("mosquitto.conf", text), ("port", String(port))] {
            do throws(FileError) {
                try Files.replace("\(directory)/\(name)", isFlushed: false, with: Array(contents.utf8))
            } catch {
                throw .unusable(error.description)
            }
        }
    }

    /// Returns the path of mosquitto. Debian installs it where only root's PATH points.
    package static func program() throws(ValueError) -> String {
        guard let program = Programs.find("mosquitto", or: ["/usr/sbin", "/usr/local/sbin"]) else {
            throw ValueError("mosquitto is not installed; on Debian: sudo apt install mosquitto")
        }
        return program
    }
}

extension ValueError {
    fileprivate static func unusable(_ reason: String) -> ValueError {
        ValueError("the private broker cannot run: \(reason)")
    }
}
