// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// One `struct mosquitto`, created for one attempt to connect. It is never reused, so no old message is sent again.
///
/// It has one owner at a time: the client on the loop's thread, or the connector's thread while it connects. Only the
/// owner may call it, and only the owner destroys it, so handing it over is safe (`@unchecked Sendable`).
@safe final class Handle: @unchecked Sendable {
    let version: MQTTVersion
    let inbox = Inbox()
    private let mosquitto: OpaquePointer
    private var isDestroyed = false

    private static let libraryReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    init(_ configuration: MQTTConfiguration, _ version: MQTTVersion, will: MQTTMessage?) throws(MQTTError) {
        guard Self.libraryReady else { throw .system("start the MQTT library", ENOMEM) }
        self.version = version
        let id = configuration.clientID
        let object = unsafe Unmanaged.passUnretained(inbox).toOpaque()
        guard let mosquitto = unsafe mosquitto_new(id.isEmpty ? nil : id, true, object) else {
            throw .system("make an MQTT handle", errno)
        }
        unsafe self.mosquitto = mosquitto
        do throws(MQTTError) {
            try setUp(configuration, will)
        } catch {
            destroy()
            throw error
        }
    }

    deinit {
        assert(isDestroyed, "a handle must be destroyed by its owner")
    }

    private func setUp(_ configuration: MQTTConfiguration, _ will: MQTTMessage?) throws(MQTTError) {
        let protocolVersion = version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        unsafe mosquitto_int_option(mosquitto, MOSQ_OPT_PROTOCOL_VERSION, protocolVersion)
        unsafe mosquitto_int_option(mosquitto, MOSQ_OPT_TCP_NODELAY, 1)
        unsafe mosquitto_int_option(mosquitto, MOSQ_OPT_RECEIVE_MAXIMUM, 65535)
        unsafe mosquitto_int_option(mosquitto, MOSQ_OPT_SEND_MAXIMUM, 65535)
        // The library then queues an acknowledgement, which leaves after the application has handled the message.
        unsafe mosquitto_threaded_set(mosquitto, true)
        if let credentials = configuration.credentials {
            let code = unsafe mosquitto_username_pw_set(mosquitto, credentials.user, credentials.password)
            guard code == 0 else { throw MQTTError(.invalidConfiguration, "user or password cannot be sent") }
        }
        if let tls = configuration.tls { try setUp(tls) }
        if let will {
            let code = unsafe will.payload.withUnsafeBytes { payload in
                unsafe mosquitto_will_set_v5(
                    mosquitto,
                    will.topic,
                    Int32(payload.count),
                    payload.baseAddress,
                    will.qos.rawValue,
                    will.retain,
                    nil
                )
            }
            guard code == 0 else { throw .request(code, topic: will.topic) }
        }
        unsafe setCallbacks(mosquitto)
    }

    private func setUp(_ tls: MQTTConfiguration.TLS) throws(MQTTError) {
        let file: String?
        let directory: String?
        switch tls.trust {
        case .system: (file, directory) = (nil, "/etc/ssl/certs")
        case .file(let path): (file, directory) = (path, nil)
        }
        for path in [file, tls.certificateFile, tls.keyFile] {
            if let path, unsafe access(path, R_OK) != 0 {
                throw MQTTError(.tls, "cannot read \(path): \(MQTTError.words(systemError: errno))")
            }
        }
        let code = unsafe mosquitto_tls_set(mosquitto, file, directory, tls.certificateFile, tls.keyFile, nil)
        guard code == 0 else { throw MQTTError(.tls, "certificates cannot be used: \(MQTTError.words(library: code))") }
        // The library then leaves out the comparison of names, and nothing else.
        if tls.isPinned { unsafe mosquitto_tls_insecure_set(mosquitto, true) }
    }

    /// Resolves the name and connects, which blocks. Returns the library's code, and `errno` from right after the call.
    func connect(_ configuration: MQTTConfiguration, to endpoint: MQTTConfiguration.Endpoint) -> (
        code: Int32, error: Int32
    ) {
        var properties: OpaquePointer?
        if version == .v5, let size = configuration.maximumPacketSize {
            unsafe mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), size)
        }
        let port = Int32(endpoint.port)
        let keepAlive = Int32(configuration.keepAliveSeconds)
        errno = 0
        let code = unsafe mosquitto_connect_bind_v5(mosquitto, endpoint.host, port, keepAlive, nil, properties)
        let error = errno
        unsafe mosquitto_property_free_all(&properties)
        return (code, error)
    }

    /// The connection's descriptor, or -1 if the library has closed it.
    var socket: Int32 { unsafe mosquitto_socket(mosquitto) }
    var wantsToWrite: Bool { unsafe mosquitto_want_write(mosquitto) }

    /// Stops the library's log, which formats several lines per message and adds nothing once connected.
    func stopLog() { unsafe mosquitto_log_callback_set(mosquitto, nil) }

    func read() -> Int32 { unsafe cmosquitto_read(mosquitto) }
    func write() -> Int32 { unsafe mosquitto_loop_write(mosquitto, 1) }

    /// Sends a ping when one is due, and reports one that was not answered. Called once a second.
    func keepAlive() -> Int32 { unsafe mosquitto_loop_misc(mosquitto) }

    /// Queues a message and returns its packet id.
    func publish(_ message: MQTTMessage) throws(MQTTError) -> Int32 {
        var id: Int32 = 0
        let code = unsafe message.payload.withUnsafeBytes { payload in
            unsafe mosquitto_publish_v5(
                mosquitto,
                &id,
                message.topic,
                Int32(clamping: payload.count),
                payload.baseAddress,
                message.qos.rawValue,
                message.retain,
                nil
            )
        }
        guard code == 0 else { throw .request(code, topic: message.topic) }
        return id
    }

    /// Queues one SUBSCRIBE with the options of the first subscription, and returns its packet id.
    func subscribe(_ subscriptions: ArraySlice<Subscription>) throws(MQTTError) -> Int32 {
        guard let first = subscriptions.first else { return 0 }
        var options: UInt32 = 0
        if version == .v5 {
            if first.noLocal { options |= MQTT_SUB_OPT_NO_LOCAL.rawValue }
            if first.retainAsPublished { options |= MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue }
        }
        var id: Int32 = 0
        let count = Int32(subscriptions.count)
        let code = unsafe withCStrings(subscriptions.map(\.filter)) { filters in
            unsafe mosquitto_subscribe_multiple(
                mosquitto,
                &id,
                count,
                filters,
                first.qos.rawValue,
                Int32(options),
                nil
            )
        }
        guard code == 0 else { throw .request(code, topic: first.filter) }
        return id
    }

    /// Queues one UNSUBSCRIBE and returns its packet id.
    func unsubscribe(_ filters: [String]) throws(MQTTError) -> Int32 {
        var id: Int32 = 0
        let code = unsafe withCStrings(filters) { strings in
            unsafe mosquitto_unsubscribe_multiple(mosquitto, &id, Int32(filters.count), strings, nil)
        }
        guard code == 0 else { throw .request(code, topic: filters.first ?? "") }
        return id
    }

    /// Queues a DISCONNECT, on which the server discards the will.
    func disconnect() { unsafe mosquitto_disconnect_v5(mosquitto, 0, nil) }

    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        // A child process may hold a copy of the descriptor: shut the connection down so that the server sees its end.
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        unsafe mosquitto_destroy(mosquitto)
    }
}

private func withCStrings<Value>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
) -> Value {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe copies.withUnsafeBufferPointer { buffer in
        // Callers pass no empty list, so there is a base address.
        unsafe body(buffer.baseAddress.unsafelyUnwrapped)
    }
}
