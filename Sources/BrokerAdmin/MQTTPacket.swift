// SPDX-License-Identifier: Apache-2.0

/// The bytes of an MQTT packet.
struct MQTTPacket {
    private(set) var bytes: [UInt8]

    /// `head` is the type and its flags, `content` all that follows the length.
    init(_ head: UInt8, _ content: [UInt8]) {
        bytes = [head]
        var length = content.count
        repeat {
            bytes.append(UInt8(length % 128) | (length >= 128 ? 0x80 : 0))
            length /= 128
        } while length > 0
        bytes += content
    }

    private static func text(_ text: [UInt8]) -> [UInt8] { [UInt8(text.count >> 8), UInt8(text.count & 0xFF)] + text }
    static func text(_ text: String) -> [UInt8] { Self.text(Array(text.utf8)) }

    /// A CONNECT that asks for a clean session.
    static func connect(isMQTT5: Bool, user: [UInt8]? = nil, password: [UInt8] = [], client: String = "") -> Self {
        var content = text("MQTT") + [isMQTT5 ? 5 : 4, user == nil ? 0x02 : 0xC2, 0, 60] + (isMQTT5 ? [0] : [])
        content += text(client)
        if let user { content += text(user) + text(password) }
        return Self(0x10, content)
    }

    /// A PUBLISH of MQTT 5 with QoS 1.
    static func publish(_ payload: [UInt8], to topic: String, isRetained: Bool = false) -> Self {
        Self(isRetained ? 0x33 : 0x32, text(topic) + [0, 1, 0] + payload)
    }
}
