// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt.
struct BackoffState {
    let settings: Configuration.Backoff
    private var failures = 0

    init(_ settings: Configuration.Backoff) { self.settings = settings }

    /// Only a connection that held starts the waits anew: a server that accepts and then hangs up, as with two clients
    /// under one name, would otherwise be asked without end.
    mutating func connectionEnded(afterMilliseconds held: Int64) {
        if held > settings.maximumMilliseconds { failures = 0 }
    }

    /// The wait after one more failure, in milliseconds.
    ///
    /// - Parameter longest: The failure will not pass by itself, so begin with the longest wait.
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
    /// Whether it takes a person to change it, so that asking often is of no use.
    var isLasting: Bool {
        switch code {
        case .badCredentials, .connectionRefused, .unsupportedProtocol, .tls, .invalidConfiguration: true
        default: false
        }
    }
}
