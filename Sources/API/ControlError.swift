// SPDX-License-Identifier: Apache-2.0

/// An error of the local control socket.
package enum ControlError: Error, Sendable, CustomStringConvertible {
    /// The path is longer than the system allows.
    case pathTooLong(String)
    /// Another process listens on the socket.
    case taken(String)
    /// The path is a file of another kind.
    case notASocket(String)
    /// No process listens on the socket.
    case unreachable(String)
    /// A process listens on the socket but did not answer in time.
    case noAnswer(String)
    /// The node refused the request; in words.
    case refused(String)
    /// The answer is not one of a node.
    case badAnswer(String)

    /// The error with the socket and what to do.
    package var description: String {
        switch self {
        case .pathTooLong(let path):
            "the socket's path \(path) has more than 107 bytes; give a shorter one with --socket"
        case .taken(let path): "another node already listens on \(path); end it, or give this one its own with --socket"
        case .notASocket(let path):
            "\(path) is not a socket: remove it, or give the node another path with --socket (LOCKSTEP_SOCKET)"
        case .unreachable(let path): "no node listens on \(path)"
        case .noAnswer(let path): "the node that listens on \(path) did not answer in time"
        case .refused(let reason): reason
        case .badAnswer(let reason): "the node gave no usable answer: \(reason)"
        }
    }
}
