// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Mosquitto
import Support
import Synchronization

/// A `lockstep-calm` process, as service or microphone, with a state directory that outlives it.
final class CalmProgram: Sendable {
    let directory: TemporaryDirectory
    private let arguments: [String]
    private let environment: [String: String]
    private let child = Mutex<pid_t?>(nil)
    private let starts = Mutex(0)

    /// - Parameters:
    ///   - broker: The port of a broker on this machine; `nil` for none.
    ///   - password: The password for the broker; the user is `id`.
    init(
        _ arguments: [String], broker: Int?, id: String = "calm", password: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        directory = try TemporaryDirectory()
        var all = arguments + ["--node", id, "--state-dir", directory.file("state")]
        if let broker { all += ["--broker", "mqtt://127.0.0.1:\(broker)"] }
        if let password {
            let file = try directory.write(password, to: "password")
            chmod(file, 0o600)
            all += ["--password-file", file]
        }
        self.arguments = all
        self.environment = Program.environment(home: directory.path, environment)
    }

    deinit {
        if let pid = child.withLock({ $0 }) { Spawn.end(pid) }
    }

    var pid: pid_t? { child.withLock { $0 } }
    var log: String { (1...max(1, starts.withLock { $0 })).map { directory.read("calm-\($0).log") }.joined() }

    /// Starts the program and waits until it is connected and subscribed.
    func start() async throws {
        let number = starts.withLock { starts in
            starts += 1
            return starts
        }
        let name = "calm-\(number).log"
        let pid = try Spawn.start(
            [Program.path("lockstep-calm")] + arguments, environment: environment, output: directory.file(name))
        child.withLock { $0 = pid }
        try await eventually("lockstep-calm is connected") {
            if let status = Spawn.reap(pid) {
                child.withLock { $0 = nil }
                throw Failed("lockstep-calm ended with \(CommandLine.exitCode(status)): \(log)")
            }
            return directory.read(name).contains("connected to the broker")
        }
    }

    func kill() async throws { try await end(SIGKILL) }

    @discardableResult
    func end(_ signal: Int32 = SIGTERM) async throws -> Int32 {
        guard let pid else { return 0 }
        Glibc.kill(pid, signal)
        var status: Int32?
        try await eventually("lockstep-calm ends") {
            status = Spawn.reap(pid)
            return status != nil
        }
        child.withLock { $0 = nil }
        return CommandLine.exitCode(status ?? 0)
    }

    /// Runs `body` with a service that is subscribed to the space.
    static func withService(
        _ arguments: [String] = [], broker: Int, password: String? = nil, _ body: (CalmProgram) async throws -> Void
    ) async throws {
        let service = try CalmProgram(arguments, broker: broker, password: password)
        try await service.start()
        do {
            try await body(service)
        } catch {
            throw Failed("\(error)\n--- calm\n\(service.log)")
        }
        try await service.end()
    }
}

extension Peer {
    /// The messages of the calm service, oldest first.
    var calm: [JSON] {
        messages.filter { $0.topic == "lockstep/1/\(space)/feed/calm" }.map { (try? JSON($0.payload)) ?? .null }
    }

    /// Waits until the latest message of the calm service satisfies `isRight`.
    @discardableResult
    func waitForCalm(
        _ what: String, file: String = #fileID, line: Int = #line, _ isRight: (JSON) -> Bool
    ) async throws -> JSON {
        do {
            try await eventually("calm: \(what)", file: file, line: line) { isRight(calm.last ?? .null) }
        } catch let error as TimedOut {
            throw Failed("\(error); the latest messages are \(calm.suffix(5))")
        }
        return calm.last ?? .null
    }

    /// Publishes a sound level as this peer.
    func say(level: Int64, _ more: JSON = [:]) async throws {
        var sound: JSON = ["v": 1]
        sound.level = .number(level)
        for key in more.keys { sound[key] = more[key] }
        try await publish("sound", sound, retain: false)
    }
}

/// Sound in the format of a recorder.
enum Recording {
    /// A WAV file with a sine of 1 kHz: one second for each amplitude, where 1 is full scale.
    static func wav(_ amplitudes: [Double], rate: Int = 16_000) -> [UInt8] {
        var data: [UInt8] = []
        for (second, amplitude) in amplitudes.enumerated() {
            for sample in second * rate..<(second + 1) * rate {
                let value = Int16((32_767 * amplitude * sin(2 * .pi * 1_000 * Double(sample) / Double(rate))).rounded())
                data += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            }
        }
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return Array("RIFF".utf8) + little(data.count + 36, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
            + little(1, 2) + little(rate, 4) + little(2 * rate, 4) + little(2, 2) + little(16, 2) + Array("data".utf8)
            + little(data.count, 4) + data
    }

    static func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }
}
