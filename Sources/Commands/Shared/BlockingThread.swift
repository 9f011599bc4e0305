// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Threads that may block: those of Swift's pool must not.
public enum BlockingThread {
    /// Runs `body` on a thread of its own, and waits for its end.
    public static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let box = Unmanaged.passRetained(Work { continuation.resume(returning: body()) })
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { Work.run($0) }, box.toOpaque())
            precondition(code == 0, "pthread_create: \(code)")
            pthread_detach(thread)
        }
    }
}

/// What a new thread is to do.
private final class Work: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
        return nil
    }
}
