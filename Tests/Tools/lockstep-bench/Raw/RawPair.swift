// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import Harness
import Mosquitto
import Platform
import Settings

/// Two bare clients on the threads of two nodes: B asks, A answers. Both share the nodes' threads: the latency depends
/// on the core that a thread runs on and what else runs there, and threads of their own could be better or worse off.
final class RawPair: Sendable {
    private static let root = "lockstep/1/plain/node"
    private let loopA: RawLoop
    private let loopB: RawLoop
    private let clientB: RawClient

    init(_ broker: BrokerAddress, _ hostA: EventLoop, _ hostB: EventLoop) async throws {
        let (loopA, loopB) = (try RawLoop(on: hostA), try RawLoop(on: hostB))
        (self.loopA, self.loopB) = (loopA, loopB)
        try await loopA.perform {
            let client = try RawClient("plain-a", to: broker, on: loopA, subscribe: ["\(Self.root)/b/intent"])
            let answer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
            answer.initializeMemory(as: UInt8.self, repeating: 32)
            client.onMessage = { [unowned client] message in
                guard let size = message.pointee.payload?.loadUnaligned(as: UInt32.self) else { return }
                client.publish("\(Self.root)/a/session", .init(rebasing: answer[..<Int(size)]), retain: true)
            }
        }
        clientB = try await loopB.perform {
            try RawClient("plain-b", to: broker, on: loopB, subscribe: ["\(Self.root)/a/session"])
        }
    }

    /// Sends a request for each size, `gap` milliseconds apart. Returns the nanoseconds from each to its answer.
    func rounds(sizes: [PayloadSizes], gap: Int) async throws -> [Int64] {
        try await loopA.serving {
            try await loopB.perform { [self] in
                var seenAt: Int64 = 0
                clientB.onMessage = { _ in seenAt = Samples.now() }
                defer { clientB.onMessage = { _ in } }
                return try sizes.map { size in
                    seenAt = 0
                    let start = ask(size)
                    while seenAt == 0 {
                        loopB.step(milliseconds: 1_000)
                        guard Samples.now() - start < 5_000_000_000 else { throw Failed("the bare pair is stuck") }
                    }
                    rest(gap)
                    return seenAt - start
                }
            }
        }
    }

    /// Sends a request, and returns the time just before it.
    private func ask(_ size: PayloadSizes) -> Int64 {
        var request = [UInt8](repeating: 32, count: size.request)
        let start = Samples.now()
        request.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt32(size.answer), as: UInt32.self)
            clientB.publish("\(Self.root)/b/intent", UnsafeRawBufferPointer(bytes), retain: false)
        }
        clientB.flush()
        return start
    }

    private func rest(_ milliseconds: Int) {
        guard milliseconds > 0 else { return }
        let end = SystemClock.bootMilliseconds() + Int64(milliseconds) + 1
        while case let rest = end - SystemClock.bootMilliseconds(), rest > 0 { loopB.step(milliseconds: Int32(rest)) }
    }

    func stop() async {
        await loopB.stop()
        await loopA.stop()
    }
}
