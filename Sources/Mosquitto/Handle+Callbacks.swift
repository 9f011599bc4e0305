// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// Returns the inbox behind a callback's argument. Its ``Handle`` keeps it alive for longer than the library's object.
private func inbox(_ object: UnsafeMutableRawPointer?) -> Inbox? {
    guard let object = unsafe object else { return nil }
    return unsafe Unmanaged<Inbox>.fromOpaque(object).takeUnretainedValue()
}

/// Registers the library's callbacks. They only copy, see ``Inbox``.
func setCallbacks(_ mosquitto: OpaquePointer) {
    unsafe mosquitto_connect_v5_callback_set(mosquitto) { _, object, code, _, _ in
        unsafe inbox(object)?.items.append(code == 0 ? .accepted : .refused(code))
    }
    unsafe mosquitto_disconnect_v5_callback_set(mosquitto) { _, object, code, _ in
        unsafe inbox(object)?.items.append(.disconnected(code))
    }
    unsafe mosquitto_message_v5_callback_set(mosquitto) { _, object, message, _ in
        guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
        var payload: [UInt8] = []
        if let bytes = unsafe message.payload, unsafe message.payloadlen > 0 {
            payload = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(message.payloadlen)))
        }
        let copy = unsafe MQTTMessage(
            topic: String(cString: topic),
            payload: payload,
            qos: QoS(rawValue: message.qos) ?? .atMostOnce,
            retain: message.retain
        )
        unsafe inbox(object)?.items.append(.message(copy))
    }
    unsafe mosquitto_publish_v5_callback_set(mosquitto) { _, object, id, reason, _ in
        unsafe inbox(object)?.items.append(.published(id, reason: reason))
    }
    unsafe mosquitto_subscribe_v5_callback_set(mosquitto) { _, object, id, count, granted, _ in
        let reasons = unsafe UnsafeBufferPointer(start: granted, count: Int(count)).map { $0 }
        unsafe inbox(object)?.items.append(.subscribed(id, reasons))
    }
    unsafe mosquitto_unsubscribe_v5_callback_set(mosquitto) { _, object, id, _ in
        unsafe inbox(object)?.items.append(.unsubscribed(id))
    }
    unsafe mosquitto_log_callback_set(mosquitto) { _, object, level, text in
        guard level & (MOSQ_LOG_ERR | MOSQ_LOG_WARNING) != 0, let text = unsafe text else { return }
        unsafe inbox(object)?.complain(String(cString: text))
    }
}
