// SPDX-License-Identifier: Apache-2.0

/// The back-off between attempts to connect: it counts failures and computes the waits.
struct BackoffState {
    let settings: MQTTConfiguration.Backoff
    private var failures = 0

    init(_ settings: MQTTConfiguration.Backoff) { self.settings = settings }

    /// Resets the back-off if the connection held for longer than the longest wait. Otherwise a server that accepts and
    /// then hangs up, as with two clients of the same id, would get attempts without a pause.
    mutating func noteEnd(afterMilliseconds held: Int64) {
        if held > settings.maximumMilliseconds { failures = 0 }
    }

    /// Counts a failure and returns the wait after it, in milliseconds. `longest` is for one that a person must fix.
    mutating func next(longest: Bool) -> Int64 {
        let most = settings.maximumMilliseconds
        var wait = most
        if !longest, failures < 32 {
            wait = min(most, settings.initialMilliseconds << Int64(failures))
        }
        failures += 1
        let random = Double.random(in: 0...1) * settings.jitter
        return max(1, Int64(Double(wait) * (1 - random)))
    }
}

extension MQTTError {
    /// Whether a person must fix the cause, so that frequent retries are of no use.
    var isLasting: Bool {
        switch code {
        case .badCredentials, .connectionRefused, .unsupportedProtocol, .tls, .invalidConfiguration: true
        default: false
        }
    }
}
