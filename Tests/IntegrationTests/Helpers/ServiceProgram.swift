// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Support
import Synchronization

/// A kind of service: its name and its environment.
protocol ServiceKind {
    /// The service's ID, which is also the end of its program's name.
    static var name: String { get }
    /// The environment of its programs.
    static var environment: [String: String] { get }
}

/// A process of a service, which may be killed and started again. Its state directory outlives it.
final class ServiceProgram<Kind: ServiceKind>: Sendable {
    let directory: TemporaryDirectory
    private let name: String
    private let arguments: [String]
    private let environment: [String: String]
    private let child = Mutex<pid_t?>(nil)
    private let starts = Mutex(0)

    /// - Parameters:
    ///   - broker: The port of a broker on this machine; `nil` for none.
    ///   - id: The ID of the service; `nil` for the usual one.
    ///   - password: The password for the broker; the user is `id`.
    init(
        _ arguments: [String], broker: Int?, id: String? = nil, password: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        name = Kind.name
        directory = try TemporaryDirectory()
        var all = arguments + ["--node", id ?? Kind.name, "--state-dir", directory.file("state")]
        if let broker { all += ["--broker", "mqtt://127.0.0.1:\(broker)"] }
        if let password {
            let file = try directory.write(password, to: "password")
            chmod(file, 0o600)
            all += ["--password-file", file]
        }
        self.arguments = all
        self.environment = Program.environment(home: directory.path, Kind.environment.merging(environment) { $1 })
    }

    deinit {
        if let pid = child.withLock({ $0 }) { Spawn.end(pid) }
    }

    var pid: pid_t? { child.withLock { $0 } }
    var log: String { (1...max(1, starts.withLock { $0 })).map { directory.read("\(name)-\($0).log") }.joined() }

    /// Starts the program and waits until it is connected and subscribed, or has logged another text.
    func start(until text: String = "connected to the broker") async throws {
        let number = starts.withLock { starts in
            starts += 1
            return starts
        }
        let file = "\(name)-\(number).log"
        let pid = try Spawn.start(
            [Program.path("lockstep-\(name)")] + arguments, environment: environment, output: directory.file(file))
        child.withLock { $0 = pid }
        try await eventually("lockstep-\(name) logs \(text)") {
            if let status = Spawn.reap(pid) {
                child.withLock { $0 = nil }
                throw Failed("lockstep-\(name) ended with \(status): \(log)")
            }
            return directory.read(file).contains(text)
        }
    }

    func kill() async throws { try await end(SIGKILL) }

    @discardableResult
    func end(_ signal: Int32 = SIGTERM) async throws -> Int32 {
        guard let pid else { return 0 }
        Glibc.kill(pid, signal)
        let code = try await Spawn.end(of: pid, "lockstep-\(name) ends")
        child.withLock { $0 = nil }
        return code
    }

    /// Runs `body` with a service that is subscribed to the space.
    static func withService(
        _ arguments: [String] = [], broker: Int, password: String? = nil, environment: [String: String] = [:],
        _ body: (ServiceProgram) async throws -> Void
    ) async throws {
        let service = try ServiceProgram(arguments, broker: broker, password: password, environment: environment)
        try await service.start()
        do {
            try await body(service)
        } catch {
            throw Failed("\(error)\n--- \(service.name)\n\(service.log)")
        }
        try await service.end()
    }
}

extension Peer {
    /// The messages of services on a topic, oldest first.
    func serviceMessages(on leaf: String) -> [JSON] {
        messages.filter { $0.topic == "lockstep/1/\(space)/\(leaf)" }.map { (try? JSON($0.payload)) ?? .null }
    }

    /// Waits until the latest message of the debt service satisfies `isRight`.
    @discardableResult
    func waitForDebt(
        _ what: String, file: String = #fileID, line: Int = #line, _ isRight: (JSON) -> Bool
    ) async throws -> JSON {
        do {
            try await eventually("the debt: \(what)", file: file, line: line) { isRight(debt.last ?? .null) }
        } catch let error as TimedOut {
            throw Failed("\(error); the latest messages are \(debt.suffix(5))")
        }
        return debt.last ?? .null
    }
}
