// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import Harness
import Settings

/// One bare libmosquitto client, used only on the thread of its ``RawLoop``.
final class RawClient: @unchecked Sendable {
    private var mosquitto: OpaquePointer?
    private(set) var descriptor: Int32 = -1
    /// The message handler, called inside libmosquitto's callback.
    var onMessage: (UnsafePointer<mosquitto_message>) -> Void = { _ in }
    private var missingAnswers: Int

    /// Connects, subscribes and waits for the acknowledgements.
    init(_ id: String, to broker: BrokerAddress, on loop: RawLoop, subscribe filters: [String] = []) throws {
        missingAnswers = filters.count
        guard let mosquitto = mosquitto_new(id, true, Unmanaged.passUnretained(self).toOpaque()) else {
            throw Failed("cannot make a client")
        }
        self.mosquitto = mosquitto
        mosquitto_int_option(mosquitto, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)
        mosquitto_int_option(mosquitto, MOSQ_OPT_TCP_NODELAY, 1)
        mosquitto_int_option(mosquitto, MOSQ_OPT_RECEIVE_MAXIMUM, 65_535)
        mosquitto_threaded_set(mosquitto, true)
        mosquitto_message_callback_set(mosquitto) { _, object, message in
            guard let object, let message else { return }
            Unmanaged<RawClient>.fromOpaque(object).takeUnretainedValue().onMessage(message)
        }
        mosquitto_subscribe_callback_set(mosquitto) { _, object, _, _, _ in
            if let object { Unmanaged<RawClient>.fromOpaque(object).takeUnretainedValue().missingAnswers -= 1 }
        }
        guard mosquitto_connect(mosquitto, broker.host, Int32(broker.port), 60) == 0 else {
            throw Failed("no connection to \(broker)")
        }
        descriptor = mosquitto_socket(mosquitto)
        loop.add(self)
        for filter in filters { mosquitto_subscribe(mosquitto, nil, filter, 1) }
        flush()
        let deadline = Samples.now() + 5_000_000_000
        while missingAnswers > 0 {
            guard Samples.now() < deadline else { throw Failed("no answer from \(broker)") }
            loop.step(milliseconds: 100)
        }
    }

    /// Queues a message of QoS 1; ``flush()`` sends it.
    func publish(_ topic: String, _ payload: UnsafeRawBufferPointer, retain: Bool) {
        mosquitto_publish(mosquitto, nil, topic, Int32(payload.count), payload.baseAddress, 1, retain)
    }

    func flush() {
        while mosquitto_want_write(mosquitto), mosquitto_loop_write(mosquitto, 1) == 0 {}
    }

    /// Reads what has arrived.
    func ready() {
        guard mosquitto_loop_read(mosquitto, 1) == 0 else { return }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
        flush()
    }

    func keepAlive() {
        mosquitto_loop_misc(mosquitto)
        flush()
    }

    func end() {
        mosquitto_disconnect(mosquitto)
        flush()
        mosquitto_destroy(mosquitto)
        mosquitto = nil
    }
}
