// SPDX-License-Identifier: Apache-2.0

import CLinux
package import Glibc

/// A pthread that runs one closure. Work that blocks (an event loop, a connect, a terminal) must not run in a Swift
/// task. It would take a thread of the cooperative pool, which has only one for each core.
package enum Thread {
    /// The name and the closure that a new thread receives.
    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a thread that runs a closure.
    /// - Parameters:
    ///   - name: Shown by the system's tools, cut to 15 bytes.
    ///   - isDetached: Whether the thread cleans up after itself; otherwise the caller joins it.
    @discardableResult
    package static func start(
        name: String, isDetached: Bool = true, _ run: @escaping @Sendable () -> Void
    ) throws(FileError) -> pthread_t {
        let body = Unmanaged.passRetained(Body(name, run))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                clinux_name_this_thread(body.name)
                body.run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw FileError(path: "a thread", action: "start", code: code)
        }
        if isDetached { pthread_detach(thread) }
        return thread
    }

    /// Runs a closure on a thread of its own and returns its value. If no thread can be started, the program ends.
    package static func run<Value: Sendable>(name: String, _ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            do throws(FileError) {
                try start(name: name) { continuation.resume(returning: body()) }
            } catch {
                fatalError("\(error)")
            }
        }
    }
}
