// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// A pthread that runs one closure.
///
/// Threads that block (the event loop, a connect) must not be Swift tasks: they would take a place in the cooperative
/// pool, which has only as many as there are cores.
package enum Thread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a thread that cleans up after itself.
    ///
    /// - Parameter name: Shown by the system's tools, cut to 15 bytes.
    /// - Throws: `.system` when the system allows no further thread.
    package static func startDetached(name: String, _ run: @escaping @Sendable () -> Void) throws(MQTTError) {
        try start(name: name, detached: true, run)
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: Shown by the system's tools, cut to 15 bytes.
    ///   - detached: Whether the thread cleans up after itself; otherwise the caller joins it.
    /// - Throws: `.system` when the system allows no further thread.
    @discardableResult
    static func start(
        name: String,
        detached: Bool,
        _ run: @escaping @Sendable () -> Void
    ) throws(MQTTError) -> pthread_t {
        let body = unsafe Unmanaged.passRetained(Body(name, run))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                if let argument = unsafe argument {
                    let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                    unsafe cmosquitto_name_this_thread(body.name)
                    body.run()
                }
                return nil
            },
            body.toOpaque()
        )
        guard code == 0 else {
            unsafe body.release()
            throw .system("start a thread", code)
        }
        if detached { pthread_detach(thread) }
        return thread
    }
}
