// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A thread that makes one connection, because resolving a name and connecting block, and the loop may not.
///
/// It owns the handle meanwhile. When it is done it hands the handle to the loop; abandoned before that, it destroys
/// the handle itself as soon as the system lets it go on.
final class Connector: Sendable {
    private enum State {
        case connecting
        case done
        case abandoned
    }

    private let state = Mutex(State.connecting)

    /// Starts to connect.
    ///
    /// - Parameters:
    ///   - handle: The handle, which nobody else touches until `finished` has it or the connector is abandoned.
    ///   - finished: Called on the loop's thread with the library's code and the system's error number.
    ///   - ended: Called on the loop's thread when an abandoned connector is gone.
    func start(
        _ handle: Handle,
        _ configuration: Configuration,
        on loop: EventLoop,
        finished: @escaping @Sendable (Int32, Int32) -> Void,
        ended: @escaping @Sendable () -> Void
    ) throws(MQTTError) {
        try Thread.start(name: "mqtt-connect", detached: true) { [self] in
            let (code, error) = handle.connect(configuration)
            let mine = state.withLock { state in
                if state == .abandoned { return true }
                state = .done
                return false
            }
            if mine {
                handle.destroy()
                loop.execute(ended)
            } else {
                loop.execute { finished(code, error) }
            }
        }
    }

    /// Gives up on the connection.
    ///
    /// - Returns: Whether the handle is the caller's now, because the connector was done with it.
    func abandon() -> Bool {
        state.withLock { state in
            if state == .done { return true }
            state = .abandoned
            return false
        }
    }
}
