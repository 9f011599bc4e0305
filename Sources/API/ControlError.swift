// SPDX-License-Identifier: Apache-2.0

/// An error of the local control socket.
package enum ControlError: Error, Sendable, CustomStringConvertible {
    case pathTooLong(String)
    case taken(String)
    case notASocket(String)
    case unreachable(String)
    case noAnswer(String)
    case refused(String)
    /// Nothing has the given name.
    case unknown(String)
    case badAnswer(String)

    package var description: String {
        switch self {
        case .pathTooLong(let path):
            "the socket's path \(path) has more than 107 bytes; give a shorter one with --socket"
        case .taken(let path): "another node already listens on \(path); end it, or give this one its own with --socket"
        case .notASocket(let path):
            "\(path) is not a socket: remove it, or give the node another path with --socket (LOCKSTEP_SOCKET)"
        case .unreachable(let path): "no node listens on \(path)"
        case .noAnswer(let path): "the node that listens on \(path) did not answer in time"
        case .refused(let reason), .unknown(let reason): reason
        case .badAnswer(let reason): "the node gave no usable answer: \(reason)"
        }
    }
}
