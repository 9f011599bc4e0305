// SPDX-License-Identifier: Apache-2.0

import Glibc
import Subprocess
import SystemPackage

/// A mosquitto of one's own on loopback, for as long as it is needed: what `lockstep up` runs.
///
/// It listens on this machine only and asks nobody for a password; a broker for other machines is set up with the
/// configuration in `Config/`.
public struct PrivateBroker: Sendable {
    /// Its configuration, store and log.
    public let directory: String
    /// 1 to 65535.
    public let port: Int
    private let lock: StateDirectory
    private let isPersistent: Bool

    /// Prepares a broker.
    /// - Parameters:
    ///   - directory: Made if missing (mode 0700). What was retained is kept here for the next time.
    ///   - port: Where to listen; `nil` for the port of last time if that is free, else for any free one.
    ///   - isPersistent: Whether what is retained outlives the broker. It then writes its whole store every 10 seconds and
    ///     when it ends; a broker that is killed loses what came since.
    /// - Throws: ``PrivateBrokerError``.
    public init(directory: String, port: Int? = nil, isPersistent: Bool = true) throws(PrivateBrokerError) {
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
            guard LoopbackPort.isFree(port) else {
                throw .unusable("port \(port) is taken; choose another with --port")
            }
            self.port = port
        } else if let last, LoopbackPort.isFree(last) {
            self.port = last
        } else {
            guard let free = LoopbackPort.free() else { throw .unusable("no port of 127.0.0.1 is free") }
            self.port = free
        }
    }

    /// Runs the broker while `body` runs, and again where it ends by itself meanwhile.
    /// - Parameter onEnd: Called when it has ended by itself, with the words for how.
    /// - Throws: ``PrivateBrokerError`` when mosquitto is missing or does not start, and what `body` throws.
    public func run<Value: Sendable>(
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
        var (isFirst, rest) = (true, Self.shortestRest)
        while !Task.isCancelled {
            let began = ContinuousClock.now
            do {
                let status = try await serve(program, onStart: onStart)
                if Task.isCancelled { return }
                onEnd("\(status)")
            } catch let error as PrivateBrokerError {
                // Later it is tried again: its port may be somebody else's for a while.
                if isFirst { throw error }
            }
            isFirst = false
            if began.duration(to: .now) > .seconds(10) { rest = Self.shortestRest }
            try await Task.sleep(for: rest)
            rest = min(rest * 2, .seconds(30))
        }
    }

    /// Between its end and the next start; twice as long each time that it ends again within seconds.
    private static let shortestRest = Duration.milliseconds(250)

    private func serve(_ program: String, onStart: @Sendable () -> Void) async throws -> TerminationStatus {
        var options = PlatformOptions()
        // A group of its own, so that Ctrl-C reaches the node first and the broker hears its goodbye.
        options.processGroupID = 0
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        do {
            return try await Subprocess.run(
                .path(FilePath(program)), arguments: ["-c", directory + "/mosquitto.conf"],
                platformOptions: options, input: .none, output: .discarded, error: .discarded
            ) { execution in
                Self.keepBehindWriters(execution.processIdentifier.value)
                try await waitUntilReady(execution.processIdentifier.value)
                onStart()
            }.terminationStatus
        } catch let error as SubprocessError {
            throw PrivateBrokerError.unusable("mosquitto does not start: \(error)")
        }
    }

    /// Has the broker wait until who wakes it sleeps, where both share a core.
    ///
    /// It wakes inside of a node's write and would interrupt it there. Whom the broker then wakes finds that core taken by
    /// the interrupted node, and goes to one that has to be woken first, which takes longer than all the rest.
    private static func keepBehindWriters(_ process: pid_t) {
        // SCHED_BATCH of sched(7), a macro that Swift does not see. Without it all works, only later.
        var parameters = sched_param(sched_priority: 0)
        sched_setscheduler(process, 3, &parameters)
    }

    /// Waits while it runs, a minute at most: on a machine with much else to do it takes its time to listen.
    private func waitUntilReady(_ process: pid_t) async throws {
        var state = siginfo_t()
        for _ in 0..<6_000 {
            if LoopbackPort.isServed(port) { return }
            let isEnded = waitid(P_PID, id_t(process), &state, WEXITED | WNOHANG | WNOWAIT) != 0 || state.si_signo != 0
            if isEnded { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw PrivateBrokerError.unusable("mosquitto does not listen on port \(port); see \(directory)/mosquitto.log")
    }

    private var persistence: String {
        """
        persistence true
        persistence_location \(directory)/
        autosave_on_changes false
        autosave_interval 10
        """
    }

    private func writeConfiguration() throws(PrivateBrokerError) {
        let user = getuid() == 0 ? "user root\n" : ""
        let text = """
            # Written by lockstep up at each start.
            \(user)listener \(port) 127.0.0.1
            allow_anonymous true
            set_tcp_nodelay true
            max_packet_size 65536
            memory_limit 268435456
            \(isPersistent ? persistence : "persistence false")
            log_dest file \(directory)/mosquitto.log

            """
        for (name, contents) in [("mosquitto.conf", text), ("port", String(port))] {
            let path = directory + "/" + name
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw .unusable("cannot write \(path): \(String(cString: strerror(errno)))") }
            defer { close(file) }
            do throws(FileError) {
                try Files.write(Array(contents.utf8), to: file, path: path)
            } catch {
                throw .unusable(error.description)
            }
        }
    }

    /// Debian puts mosquitto where only root's PATH looks.
    private static func program() throws(PrivateBrokerError) -> String {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let directories = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        guard let program = directories.map({ $0 + "/mosquitto" }).first(where: { access($0, X_OK) == 0 }) else {
            throw .missing
        }
        return program
    }
}

/// Why there is no private broker.
public enum PrivateBrokerError: Error, Sendable, CustomStringConvertible {
    /// mosquitto is not installed.
    case missing
    /// It cannot run; in words.
    case unusable(String)

    /// What is wrong and the way out.
    public var description: String {
        switch self {
        case .missing: "mosquitto is not installed; on Debian: sudo apt install mosquitto"
        case .unusable(let reason): "the private broker cannot run: \(reason)"
        }
    }
}

/// TCP ports of 127.0.0.1.
package enum LoopbackPort {
    static func isFree(_ port: Int) -> Bool { bound(to: port) != nil }

    /// One that nobody listens on; `nil` where there is none.
    package static func free() -> Int? { bound(to: 0) }

    static func isServed(_ port: Int) -> Bool {
        withSocket(port) { descriptor, address, length in connect(descriptor, address, length) == 0 } ?? false
    }

    private static func bound(to port: Int) -> Int? {
        withSocket(port) { descriptor, address, length -> Int? in
            var yes: CInt = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
            guard bind(descriptor, address, length) == 0 else { return nil }
            var length = length
            guard getsockname(descriptor, address, &length) == 0 else { return nil }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        } ?? nil
    }

    private static func withSocket<Value>(
        _ port: Int, _ body: (CInt, UnsafeMutablePointer<sockaddr>, socklen_t) -> Value
    ) -> Value? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, let number = UInt16(exactly: port) else { return nil }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
