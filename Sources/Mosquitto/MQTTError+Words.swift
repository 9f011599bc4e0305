// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

extension MQTTError {
    static let notConnected = MQTTError(.notConnected, "not connected")
    static let closed = MQTTError(.closed, "the client is closed")
    static let timeout = MQTTError(.timeout, "no answer from the server before the deadline")
    static let outboxFull = MQTTError(.outboxFull, "too many messages wait for the server's answer")

    static func system(_ attempt: String, _ number: Int32) -> MQTTError {
        MQTTError(.system, reason: Int(number), "could not \(attempt): \(words(systemError: number))")
    }

    static func invalidTopic(_ topic: String, _ why: String) -> MQTTError {
        MQTTError(.invalidTopic, "topic \"\(topic.prefix(80))\" \(why)")
    }

    static func connack(_ reason: Int32, _ version: MQTTVersion) -> MQTTError {
        switch version {
        case .v311:
            let code: Code =
                switch reason {
                case 1: .unsupportedProtocol
                case 4, 5: .badCredentials
                default: .connectionRefused
                }
            return MQTTError(code, reason: Int(reason), "server: \(unsafe words(mosquitto_connack_string(reason)))")
        case .v5:
            let code: Code =
                switch reason {
                case unsupportedVersion: .unsupportedProtocol
                case 0x86, 0x87, 0x8C: .badCredentials
                default: .connectionRefused
                }
            return MQTTError(code, reason: Int(reason), "server: \(words(reason: reason))")
        }
    }

    static func disconnect(_ reason: Int32) -> MQTTError {
        MQTTError(.serverDisconnected, reason: Int(reason), "the server ended the connection: \(words(reason: reason))")
    }

    static func request(_ code: Int32, topic: String) -> MQTTError {
        switch mosq_err_t(code) {
        case MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST: .notConnected
        case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8: .invalidTopic(topic, "is not allowed here")
        case MOSQ_ERR_PAYLOAD_SIZE: MQTTError(.tooLarge, "the message is larger than MQTT allows (268435455 bytes)")
        case MOSQ_ERR_OVERSIZE_PACKET: MQTTError(.tooLarge, "the message is larger than the server allows")
        case MOSQ_ERR_NOMEM: .system("send a message", ENOMEM)
        default: MQTTError(.protocolViolation, reason: Int(code), words(library: code))
        }
    }

    /// Returns the error for a connection that ended without a reason from the server.
    static func lost(_ code: Int32) -> MQTTError {
        switch mosq_err_t(code) {
        case MOSQ_ERR_KEEPALIVE:
            MQTTError(.keepAliveTimeout, "the server has not answered a ping")
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_DUPLICATE_PROPERTY:
            MQTTError(.protocolViolation, "the server violated the protocol: \(words(library: code))")
        case MOSQ_ERR_TLS:
            MQTTError(.tls, "the TLS connection failed")
        case MOSQ_ERR_NOMEM:
            .system("read from the connection", ENOMEM)
        default:
            MQTTError(.connectionLost, "the connection was lost")
        }
    }

    /// Returns the error for a connect that failed, from the library's code and `errno` right after it.
    static func connect(_ code: Int32, _ number: Int32, host: String, port: Int) -> MQTTError {
        switch mosq_err_t(code) {
        case MOSQ_ERR_EAI:
            let words = unsafe words(gai_strerror(number))
            return MQTTError(.unknownHost, reason: Int(number), "cannot resolve \(host): \(words)")
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE, MOSQ_ERR_OCSP:
            return MQTTError(.tls, "TLS cannot be set up")
        case MOSQ_ERR_NOMEM:
            return .system("connect", ENOMEM)
        case MOSQ_ERR_INVAL:
            return MQTTError(.invalidConfiguration, "host, port or keep alive is out of range")
        default:
            let words = words(systemError: number)
            return MQTTError(.unreachable, reason: Int(number), "cannot connect to \(host):\(port): \(words)")
        }
    }

    /// The MQTT 5 reason “Unsupported Protocol Version”.
    static let unsupportedVersion: Int32 = 0x84

    static func words(reason: Int32) -> String { unsafe words(mosquitto_reason_string(reason)) }

    static func words(library code: Int32) -> String { unsafe words(mosquitto_strerror(code)) }

    static func words(systemError number: Int32) -> String {
        // Not strerror: it may use a buffer that all threads share.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress else { return "error \(number)" }
            let code = unsafe strerror_r(number, start, buffer.count)
            return code == 0 ? unsafe words(start) : "error \(number)"
        }
    }

    private static func words(_ text: UnsafePointer<CChar>?) -> String {
        guard let text = unsafe text else { return "unknown error" }
        var words = unsafe String(cString: text)
        while words.last == "." { words.removeLast() }
        return words
    }
}
