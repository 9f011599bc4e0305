// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Synchronization

/// A TCP proxy on the loopback interface that simulates network faults.
public final class Proxy: Sendable {
    /// The direction of bytes: forth to the server, or back to the client.
    public enum Direction: Sendable, CaseIterable {
        case forth
        case back
    }

    private struct State {
        var target: Int
        var held: Set<Direction> = []
        /// The last connection that is held.
        var heldUpTo = Int.max
        var delay: Duration = .zero
        var drops: Dropped?
        var cuts = 0
        var made = 0
        var isStopped = false

        func isHeld(_ number: Int, _ direction: Direction) -> Bool { number <= heldUpTo && held.contains(direction) }
    }

    /// The packets of an MQTT broker to drop.
    public enum Dropped: Sendable {
        /// Retained messages, like a broker that sends none to wildcard subscriptions.
        case retained
        /// Acknowledgements, like a broker with a full queue.
        case acknowledgements

        /// - Parameter first: The first byte of a packet.
        fileprivate func takes(_ first: UInt8) -> Bool {
            switch self {
            case .retained: first >> 4 == 3 && first & 1 == 1
            case .acknowledgements: first >> 4 == 4
            }
        }
    }

    public let port: Int
    private let state: Mutex<State>
    /// A pipe that wakes the thread when a test changes the state.
    private let bell: (read: Int32, write: Int32)

    private init(to target: Int) throws {
        bell = try Pipe.make()
        port = Port.free()
        state = Mutex(State(target: target))
        let listener = try Port.listen(port)
        try Thread.start(name: "proxy") { [self] in
            var line = Line(listener: listener)
            while turn(&line) {}
            line.end()
            close(bell.read)
            close(bell.write)
        }
    }

    public static func with<Value>(to target: Int, _ body: (Proxy) async throws -> Value) async throws -> Value {
        let proxy = try Proxy(to: target)
        defer { proxy.change { $0.isStopped = true } }
        return try await body(proxy)
    }

    public var connections: Int { state.withLock { $0.made } }

    /// Sends later connections to another port.
    public func redirect(to target: Int) { change { $0.target = target } }
    /// Closes all connections.
    public func cut() { change { $0.cuts += 1 } }

    /// Holds the bytes and ends of connections in these directions until ``heal()``.
    /// - Parameter includingLater: Whether later connections are held too.
    public func hold(_ directions: Direction..., includingLater: Bool = true) {
        change {
            $0.held = Set(directions)
            $0.heldUpTo = includingLater ? .max : $0.made
        }
    }

    /// Drops packets of the broker on later connections; `nil` drops none.
    public func drop(_ dropped: Dropped?) { change { $0.drops = dropped } }
    public func delay(_ time: Duration) { change { $0.delay = time } }

    /// Ends holds and delays; held bytes pass first.
    public func heal() {
        change {
            $0.held = []
            $0.delay = .zero
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            guard !state.isStopped else { return }
            body(&state)
            var one: UInt8 = 1
            write(bell.write, &one, 1)
        }
    }

    /// Waits for an event and handles it, on the proxy's own thread. Returns whether the proxy goes on.
    private func turn(_ line: inout Line) -> Bool {
        let present = state.withLock { $0 }
        guard !present.isStopped else { return false }
        line.apply(cuts: present.cuts)
        var waits = [pollfd(fd: bell.read, events: Int16(POLLIN), revents: 0)]
        line.list(&waits, present.isHeld)
        poll(&waits, nfds_t(waits.count), line.timeout(present.isHeld))
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(bell.read, &bytes, bytes.count) > 0 {}
        let ready = Set(waits.filter { $0.revents != 0 }.map(\.fd))
        // Under the lock, so that a change by a test applies to all later bytes.
        state.withLock { state in
            if ready.contains(line.listener), line.accept(for: state.target, drops: state.drops) { state.made += 1 }
            line.carry(ready, delay: state.delay, state.isHeld)
        }
        return true
    }
}

/// The descriptors of a proxy, used only by its thread.
private struct Line {
    /// One direction of a connection.
    struct Way {
        var from: Int32
        var to: Int32
        var waiting: [(due: ContinuousClock.Instant, bytes: ArraySlice<UInt8>)] = []
        var isEnded = false
        /// Whether the end has been passed on.
        var isOver = false
        /// The packets to drop; `nil` if all bytes pass.
        var drops: Proxy.Dropped?
        /// The bytes of an incomplete MQTT packet.
        var partial: [UInt8] = []
    }

    struct Pair {
        var number: Int
        var ways: [Proxy.Direction: Way]
        var isBroken = false
    }

    let listener: Int32
    private var pairs: [Pair] = []
    private var made = 0
    private var cuts = 0

    init(listener: Int32) { self.listener = listener }

    mutating func end() {
        for pair in pairs { Self.close(pair) }
        Glibc.close(listener)
    }

    private static func close(_ pair: Pair) {
        for descriptor in Set(pair.ways.values.map(\.from)) { Glibc.close(descriptor) }
    }

    mutating func apply(cuts: Int) {
        guard cuts != self.cuts else { return }
        self.cuts = cuts
        for pair in pairs { Self.close(pair) }
        pairs = []
    }

    func list(_ waits: inout [pollfd], _ isHeld: (Int, Proxy.Direction) -> Bool) {
        waits.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
        let now = ContinuousClock.now
        for pair in pairs {
            for (direction, way) in pair.ways where !isHeld(pair.number, direction) {
                if !way.isEnded { waits.append(pollfd(fd: way.from, events: Int16(POLLIN), revents: 0)) }
                if let first = way.waiting.first, first.due <= now {
                    waits.append(pollfd(fd: way.to, events: Int16(POLLOUT), revents: 0))
                }
            }
        }
    }

    /// The milliseconds until the next due bytes; -1 for no limit.
    func timeout(_ isHeld: (Int, Proxy.Direction) -> Bool) -> Int32 {
        let now = ContinuousClock.now
        let dues = pairs.flatMap { pair in
            pair.ways.compactMap { direction, way in
                isHeld(pair.number, direction) ? nil : way.waiting.first?.due
            }
        }
        guard let next = dues.filter({ $0 > now }).min() else { return -1 }
        return Int32((next - now) / .milliseconds(1)) + 1
    }

    mutating func accept(for target: Int, drops: Proxy.Dropped?) -> Bool {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return false }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        guard let server = Port.connected(target) else {
            Glibc.close(client)
            return false
        }
        var on: Int32 = 1
        for socket in [client, server] {
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        made += 1
        let back = Way(from: server, to: client, drops: drops)
        pairs.append(Pair(number: made, ways: [.forth: Way(from: client, to: server), .back: back]))
        return true
    }

    mutating func carry(_ ready: Set<Int32>, delay: Duration, _ isHeld: (Int, Proxy.Direction) -> Bool) {
        for index in pairs.indices {
            for direction in Proxy.Direction.allCases where !isHeld(pairs[index].number, direction) {
                guard var way = pairs[index].ways[direction], !way.isOver else { continue }
                if ready.contains(way.from), !way.isEnded { Self.take(&way, delay) }
                if !Self.give(&way) { pairs[index].isBroken = true }
                pairs[index].ways[direction] = way
            }
        }
        for pair in pairs where Self.isDone(pair) { Self.close(pair) }
        pairs.removeAll { Self.isDone($0) }
    }

    private static func isDone(_ pair: Pair) -> Bool { pair.isBroken || pair.ways.values.allSatisfy(\.isOver) }

    private static func take(_ way: inout Way, _ delay: Duration) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(way.from, &chunk, chunk.count)
        if count > 0 {
            way.waiting.append((ContinuousClock.now + delay, passed(chunk[..<count], &way)))
        } else if count == 0 || errno != EAGAIN {
            way.isEnded = true
        }
    }

    /// The bytes to pass on: all of them, or all complete MQTT packets without the dropped ones.
    private static func passed(_ bytes: ArraySlice<UInt8>, _ way: inout Way) -> ArraySlice<UInt8> {
        guard let drops = way.drops else { return bytes }
        var rest = way.partial + bytes
        var passed: [UInt8] = []
        while let length = packetLength(rest) {
            if !drops.takes(rest[0]) { passed += rest[..<length] }
            rest.removeFirst(length)
        }
        way.partial = rest
        return passed[...]
    }

    /// The length of the first packet; `nil` while it is not complete.
    private static func packetLength(_ bytes: [UInt8]) -> Int? {
        var length = 0
        for index in 1..<5 where index < bytes.count {
            length |= Int(bytes[index] & 0x7F) << (7 * (index - 1))
            guard bytes[index] & 0x80 == 0 else { continue }
            return bytes.count >= length + index + 1 ? length + index + 1 : nil
        }
        return nil
    }

    /// Sends the bytes that are due. Returns whether the other end still accepts bytes.
    private static func give(_ way: inout Way) -> Bool {
        while let (due, bytes) = way.waiting.first, due <= ContinuousClock.now {
            let count = bytes.withUnsafeBytes { send(way.to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 { return errno == EAGAIN }
            if count == bytes.count {
                way.waiting.removeFirst()
            } else {
                way.waiting[0].bytes = bytes.dropFirst(count)
            }
        }
        if way.isEnded, way.waiting.isEmpty, !way.isOver {
            way.isOver = true
            shutdown(way.to, Int32(SHUT_WR))
        }
        return true
    }
}
