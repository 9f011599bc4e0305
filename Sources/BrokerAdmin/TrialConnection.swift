// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Glibc
import Joining

/// A connection to a listener on loopback that shows each answer as it is. Calls block for two seconds at most.
final class TrialConnection {
    /// Whether a connection uses TLS, and which certificates it accepts.
    enum Encryption {
        case none
        /// TLS with any certificate.
        case any
        /// TLS with a certificate of the authority in this file.
        case authority(String)
    }

    private let socket: CInt
    private var context: OpaquePointer?
    private var session: OpaquePointer?

    /// - Returns: `nil` if nothing listens there, or the other side does not speak TLS as wanted.
    init?(port: Int, _ encryption: Encryption) {
        guard let socket = LoopbackPort.connected(to: port) else { return nil }
        self.socket = socket
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard begin(encryption) else { return nil }
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(context)
        close(socket)
    }

    private func begin(_ encryption: Encryption) -> Bool {
        if case .none = encryption { return true }
        context = SSL_CTX_new(TLS_client_method())
        if case .authority(let path) = encryption {
            guard SSL_CTX_load_verify_file(context, path) == 1 else { return false }
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        }
        session = SSL_new(context)
        return SSL_set_fd(session, socket) == 1 && SSL_connect(session) == 1
    }

    /// Sends a packet; a broker may close the connection meanwhile.
    func send(_ packet: MQTTPacket) {
        var rest = packet.bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                session == nil
                    ? Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    : Int(SSL_write(session, bytes.baseAddress, Int32(bytes.count)))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns the next packet, of less than 128 bytes; nothing if none comes in time.
    func receive() -> [UInt8] {
        let head = receive(2)
        return head.count == 2 ? head + receive(Int(head[1])) : []
    }

    private func receive(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var byte: UInt8 = 0
            let read = session == nil ? recv(socket, &byte, 1, 0) : Int(SSL_read(session, &byte, 1))
            guard read == 1 else { break }
            bytes.append(byte)
        }
        return bytes
    }
}
