// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import Shell

/// Two bare clients, each with a thread: B asks, A answers.
final class RawPair: Sendable {
    private static let root = "lockstep/1/plain/node"
    private let loopA: RawLoop
    private let loopB: RawLoop
    private let clientB: RawClient

    init(_ broker: BrokerAddress) async throws {
        let (loopA, loopB) = (try RawLoop(), try RawLoop())
        (self.loopA, self.loopB) = (loopA, loopB)
        try await loopA.perform {
            let client = try RawClient("plain-a", to: broker, on: loopA, subscribe: "\(Self.root)/b/intent")
            let answer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
            answer.initializeMemory(as: UInt8.self, repeating: 32)
            client.onMessage = { [unowned client] message in
                guard let size = message.pointee.payload?.loadUnaligned(as: UInt32.self) else { return }
                client.publish("\(Self.root)/a/session", .init(rebasing: answer[..<Int(size)]), retain: true)
            }
        }
        clientB = try await loopB.perform {
            try RawClient("plain-b", to: broker, on: loopB, subscribe: "\(Self.root)/a/session")
        }
    }

    /// Asks once for each size.
    /// - Returns: Nanoseconds from each request to its answer.
    func rounds(sizes: [PayloadSizes], gap: Int) async throws -> [Int64] {
        try await loopB.perform { [loopB, clientB] in
            var seenAt: Int64 = 0
            clientB.onMessage = { _ in seenAt = Samples.now() }
            defer { clientB.onMessage = { _ in } }
            return try sizes.map { size in
                var request = [UInt8](repeating: 32, count: size.request)
                seenAt = 0
                let start = Samples.now()
                request.withUnsafeMutableBytes { bytes in
                    bytes.storeBytes(of: UInt32(size.answer), as: UInt32.self)
                    clientB.publish("\(Self.root)/b/intent", UnsafeRawBufferPointer(bytes), retain: false)
                }
                clientB.flush()
                while seenAt == 0 {
                    loopB.step(milliseconds: 1_000)
                    guard Samples.now() - start < 5_000_000_000 else { throw BenchError("the bare pair is stuck") }
                }
                let time = seenAt - start
                let end = seenAt + Int64(gap) * 1_000_000
                while Samples.now() < end { loopB.step(milliseconds: 1) }
                return time
            }
        }
    }

    func stop() async {
        await loopB.stop()
        await loopA.stop()
    }
}
