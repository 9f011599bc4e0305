// SPDX-License-Identifier: Apache-2.0

import CMosquitto

extension MQTTConfiguration {
    /// The port to connect to: ``port``, else 1883, or 8883 with TLS.
    public var effectivePort: Int { port ?? (tls == nil ? 1883 : 8883) }

    /// All endpoints of the server, in the order in which they are tried.
    var endpoints: [Endpoint] { [Endpoint(host: host, port: effectivePort)] + alternatives }

    /// Validates every value.
    ///
    /// - Throws: `.invalidConfiguration`, which names the first value out of range.
    public func check() throws(MQTTError) {
        func require(_ holds: Bool, _ what: String) throws(MQTTError) {
            if !holds { throw MQTTError(.invalidConfiguration, what) }
        }
        func isText(_ text: String) -> Bool {
            guard text.utf8.count <= 65535, !text.utf8.contains(0) else { return false }
            return unsafe text.isEmpty || mosquitto_validate_utf8(text, Int32(text.utf8.count)) == 0
        }

        for endpoint in endpoints {
            try require(
                !endpoint.host.isEmpty && isText(endpoint.host), "the host is empty or not valid UTF-8 for MQTT")
            try require((1...65535).contains(endpoint.port), "the port \(endpoint.port) is not in 1...65535")
        }
        try require(isText(clientID), "the client id is not valid UTF-8 for MQTT, or has more than 65535 bytes")
        try require((5...65535).contains(keepAliveSeconds), "keep alive \(keepAliveSeconds) s is not in 5...65535")
        try require((1...10000).contains(inFlightLimit), "the in-flight limit \(inFlightLimit) is not in 1...10000")
        try require(requestTimeoutMilliseconds >= 1, "the request timeout is less than 1 ms")
        try require(connectTimeoutMilliseconds >= 1, "the connect timeout is less than 1 ms")
        try require(backoff.initialMilliseconds >= 1, "the first wait is less than 1 ms")
        try require(
            (backoff.initialMilliseconds...(1 << 31)).contains(backoff.maximumMilliseconds),
            "the longest wait is shorter than the first, or longer than 24 days"
        )
        try require((0...1).contains(backoff.jitter), "the jitter \(backoff.jitter) is not in 0...1")
        try require(maximumPacketSize != 0, "the maximum packet size is 0")
        if let credentials {
            try require(
                isText(credentials.user), "the user name is not valid UTF-8 for MQTT, or has more than 65535 bytes")
            let password = (credentials.password ?? "").utf8
            let isSendable = password.count <= 65535 && !password.contains(0)
            try require(isSendable, "the password has a NUL, or more than 65535 bytes")
        }
        if let tls {
            try require(!tls.isPinned || tls.trust != .system, "only an authority from a file can be pinned")
            try require(
                (tls.certificateFile == nil) == (tls.keyFile == nil),
                "a client certificate needs both its certificate file and its key file"
            )
        }
    }
}
