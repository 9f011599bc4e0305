// SPDX-License-Identifier: Apache-2.0

import Platform
import Synchronization

/// A thread that opens one connection, because name resolution and connect block, and the loop must not.
///
/// It owns the handle while it connects, and hands it to the loop when it is done. If it is abandoned before that, it
/// destroys the handle itself as soon as the blocking call returns.
final class Connector: Sendable {
    /// Whether the thread's result is still wanted.
    private enum State {
        case connecting
        case done
        case abandoned
    }

    private let state = Mutex(State.connecting)

    /// Starts to connect. At the end `finished` is called on the loop's thread, with the library's code and the
    /// system's error number, or `ended` if the connector was abandoned. Until `finished` is called or ``abandon()``
    /// returns `true`, the caller must not use the handle.
    func start(
        _ handle: Handle,
        _ configuration: MQTTConfiguration,
        to endpoint: MQTTConfiguration.Endpoint,
        on loop: EventLoop,
        finished: @escaping @Sendable (Int32, Int32) -> Void,
        ended: @escaping @Sendable () -> Void
    ) throws(MQTTError) {
        do throws(FileError) {
            try Thread.start(name: "mqtt-connect") { [self] in
                let (code, error) = handle.connect(configuration, to: endpoint)
                let isAbandoned = state.withLock { state in
                    if state == .abandoned { return true }
                    state = .done
                    return false
                }
                if isAbandoned {
                    handle.destroy()
                    loop.execute(ended)
                } else {
                    loop.execute { finished(code, error) }
                }
            }
        } catch {
            throw .system("start a thread", error.code)
        }
    }

    /// Abandons the attempt. Returns whether the caller owns the handle now, because the connector was done with it.
    func abandon() -> Bool {
        state.withLock { state in
            if state == .done { return true }
            state = .abandoned
            return false
        }
    }
}
