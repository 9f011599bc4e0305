// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import Harness
import Mosquitto
import Platform
import Synchronization

/// Bare libmosquitto under epoll, as in a C program, on its own thread or on that of a node. It does only what makes
/// libmosquitto fast and safe: TCP_NODELAY, TCP_QUICKACK after each read, writes from the loop.
final class RawLoop: @unchecked Sendable {
    private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let eventfd = CMosquitto.eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    private let work = Mutex<[@Sendable () -> Void]>([])
    private var clients: [RawClient] = []
    private var isStopping = false
    private var thread = pthread_t()
    private let host: EventLoop?
    private let isReleased = Atomic<Bool>(false)
    private static let library: Int32 = mosquitto_lib_init()

    /// - Parameter host: The loop whose thread is used while there is work; `nil` for a thread of its own.
    init(on host: EventLoop? = nil) throws {
        self.host = host
        guard Self.library == 0, epoll >= 0, eventfd >= 0 else { throw Failed("cannot make an epoll") }
        watch(eventfd, tag: .max)
        guard host == nil else { return }
        thread = try Thread.start(name: "raw", isDetached: false) { [self] in run() }
    }

    static func with<Value: Sendable>(_ body: (RawLoop) async throws -> Value) async throws -> Value {
        let loop = try RawLoop()
        return try await BenchDirectory.finally({ await loop.stop() }) { try await body(loop) }
    }

    /// Runs `body` on the loop's thread, where it may call ``step(milliseconds:)``.
    func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            if let host { return host.execute { continuation.resume(with: Result(catching: body)) } }
            work.withLock { $0.append { continuation.resume(with: Result(catching: body)) } }
            wake()
        }
    }

    /// Runs `body` while the host's thread handles events.
    func serving<Value>(_ body: () async throws -> Value) async throws -> Value {
        isReleased.store(false, ordering: .relaxed)
        host?.execute { [self] in
            while !isReleased.load(ordering: .relaxed) { step(milliseconds: 1_000) }
        }
        defer {
            isReleased.store(true, ordering: .relaxed)
            wake()
        }
        return try await body()
    }

    /// Ends the clients, and the loop's own thread if it has one.
    func stop() async {
        try? await perform {
            self.isStopping = true
            for client in self.clients { client.end() }
            self.clients = []
        }
        if host == nil { pthread_join(thread, nil) }
        close(epoll)
        close(eventfd)
    }

    /// Adds a client; on the loop's thread.
    func add(_ client: RawClient) {
        watch(client.descriptor, tag: UInt64(clients.count))
        clients.append(client)
    }

    /// Handles the next events; on the loop's thread.
    func step(milliseconds: Int32) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
            guard let start = events.baseAddress else { return }
            let count = Int(epoll_wait(epoll, start, 64, milliseconds))
            for index in 0..<max(0, count) {
                let tag = events[index].data.u64
                if tag != .max { clients[Int(tag)].ready() }
            }
        }
    }

    private func run() {
        var tick = Samples.now()
        while !isStopping {
            step(milliseconds: 1_000)
            let queued = work.withLock { work in
                defer { work = [] }
                return work
            }
            for item in queued { item() }
            guard Samples.now() - tick > 1_000_000_000 else { continue }
            tick = Samples.now()
            for client in clients { client.keepAlive() }
        }
    }

    private func watch(_ descriptor: Int32, tag: UInt64) {
        let edge = tag == .max ? EPOLLET.rawValue : 0
        var event = epoll_event(events: EPOLLIN.rawValue | edge, data: epoll_data(u64: tag))
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    private func wake() {
        var one: UInt64 = 1
        write(eventfd, &one, 8)
    }
}
