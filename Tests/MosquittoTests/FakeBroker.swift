// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Support
import Synchronization

/// A TCP server that answers each CONNECT with given bytes.
final class FakeBroker: Sendable {
    /// Returns the bytes to send, after which the client must close the connection; `nil` to hang up.
    typealias Answer = @Sendable (_ level: UInt8) -> [UInt8]?

    let port: Int
    private let listener: Int32
    private let seen = Mutex<[UInt8]>([])

    /// - Parameter answer: Gets the protocol level of the CONNECT: 5, or 4 for 3.1.1.
    init(_ answer: @escaping Answer) throws {
        port = Port.free()
        listener = try Port.listen(port)
        try Thread.start(name: "fake-broker") { [self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { break }
                _ = try? Thread.start(name: "fake-connection") { [self] in serve(socket, answer) }
            }
            close(listener)
        }
    }

    /// The protocol levels of the CONNECTs so far.
    var connects: [UInt8] { seen.withLock { $0 } }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ socket: Int32, _ answer: Answer) {
        defer { close(socket) }
        var connect = [UInt8](repeating: 0, count: 1024)
        let count = read(socket, &connect, connect.count)
        // Fixed header, length of one byte, then 0 4 M Q T T and the level.
        guard count > 8, connect[0] == 0x10, connect[1] < 128 else { return }
        seen.withLock { $0.append(connect[8]) }
        guard let bytes = answer(connect[8]) else { return }
        _ = write(socket, bytes, bytes.count)
        while read(socket, &connect, connect.count) > 0 {}
    }
}
