// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// The syntax of topics, checked before the library does. That has one code for all faults, and cuts a text at a NUL.
enum TopicSyntax {
    static func checkName(_ topic: String) throws(MQTTError) {
        if isPlain(topic) { return }
        try checkText(topic)
        if topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) {
            throw .invalidTopic(topic, "has a wildcard, which only subscriptions may have")
        }
        // The library also limits the number of levels.
        guard unsafe mosquitto_pub_topic_check(topic) == 0 else { throw .invalidTopic(topic, "is not allowed") }
    }

    static func checkFilter(_ filter: String) throws(MQTTError) {
        try checkText(filter)
        guard unsafe mosquitto_sub_topic_check(filter) == 0 else {
            throw .invalidTopic(filter, "has a wildcard in the wrong place")
        }
    }

    /// Returns whether a name is 1...200 bytes of printable ASCII without wildcards, and so valid.
    private static func isPlain(_ topic: String) -> Bool {
        var topic = topic
        return topic.withUTF8 { bytes in
            guard (1...200).contains(bytes.count) else { return false }
            return unsafe bytes.allSatisfy { byte in
                byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "+") && byte != UInt8(ascii: "#")
            }
        }
    }

    private static func checkText(_ topic: String) throws(MQTTError) {
        if topic.isEmpty { throw .invalidTopic(topic, "is empty") }
        if topic.utf8.count > 65535 { throw .invalidTopic(topic, "is longer than 65535 bytes") }
        if topic.utf8.contains(0) { throw .invalidTopic(topic, "has a NUL") }
        guard unsafe mosquitto_validate_utf8(topic, Int32(topic.utf8.count)) == 0 else {
            throw .invalidTopic(topic, "has characters that MQTT does not allow")
        }
    }
}

extension MQTTMessage {
    func check() throws(MQTTError) {
        try TopicSyntax.checkName(topic)
        guard payload.count <= 268_435_455 else {
            throw MQTTError(.tooLarge, "the message is larger than MQTT allows (268435455 bytes)")
        }
    }
}
