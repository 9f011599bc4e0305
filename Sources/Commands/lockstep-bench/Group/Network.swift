// SPDX-License-Identifier: Apache-2.0

import Harness
import NIOCore
import NIOPosix
import Setup
import Synchronization

/// The network between some nodes and the broker, with delays; it can be cut.
final class Network: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])
    private let isCut = Atomic(false)
    private let server: any Channel
    /// The address of the broker for these nodes.
    let address: BrokerAddress

    /// Runs `body` with a network.
    /// - Parameter jitter: The longest delay of what is sent, in milliseconds, each way.
    static func with<Value: Sendable>(
        to broker: BrokerAddress, jitter: Int, _ body: @Sendable (Network) async throws -> Value
    ) async throws -> Value {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let network = try await Network(to: broker, jitter: jitter, on: group)
        return try await BenchDirectory.finally({ try? await group.shutdownGracefully() }) { try await body(network) }
    }

    private init(to broker: BrokerAddress, jitter: Int, on group: MultiThreadedEventLoopGroup) async throws {
        self.group = group
        let door = Door()
        server = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { door.open($0, to: broker, jitter: jitter) }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = server.localAddress?.port else { throw Failed("the network has no port") }
        address = try BrokerAddress("mqtt://127.0.0.1:\(port)")
        door.network.withLock { $0 = self }
    }

    /// Closes every connection, and refuses new ones.
    func cut() {
        isCut.store(true, ordering: .sequentiallyConsistent)
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }

    /// Accepts connections again.
    func restore() { isCut.store(false, ordering: .sequentiallyConsistent) }

    fileprivate func admits(_ channel: any Channel) -> Bool {
        guard !isCut.load(ordering: .sequentiallyConsistent) else { return false }
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { _ in _ = self.channels.withLock { $0.removeValue(forKey: id) } }
        return true
    }
}

/// Accepts connections; it exists before the network.
private final class Door: Sendable {
    let network = Mutex<Network?>(nil)

    func open(_ inside: any Channel, to broker: BrokerAddress, jitter: Int) -> EventLoopFuture<Void> {
        guard network.withLock({ $0?.admits(inside) ?? false }) else { return inside.close() }
        return ClientBootstrap(group: inside.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: broker.host, port: broker.port)
            .flatMap { outside in
                outside.eventLoop.makeCompletedFuture {
                    try inside.pipeline.syncOperations.addHandler(Way(to: outside, jitter: jitter))
                    try outside.pipeline.syncOperations.addHandler(Way(to: inside, jitter: jitter))
                }.flatMap { inside.setOption(.autoRead, value: true).and(outside.setOption(.autoRead, value: true)) }
                    .map { _ in }
            }
    }
}

/// Forwards what it reads, each piece after its own delay, in order.
private final class Way: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let jitter: Int
    private var last = NIODeadline.uptimeNanoseconds(0)

    init(to other: any Channel, jitter: Int) {
        self.other = other
        self.jitter = jitter
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard jitter > 0 else { return other.writeAndFlush(buffer, promise: nil) }
        last = max(last, .now() + .microseconds(.random(in: 0...Int64(jitter) * 1_000)))
        other.eventLoop.scheduleTask(deadline: last) { [other] in other.writeAndFlush(buffer, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
