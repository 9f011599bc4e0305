// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The phones that are paired with a node, in the order of pairing.
package struct PhonesReport: Hashable, Sendable, Described {
    package var phones: [PhoneReport]

    package init(_ phones: [PhoneReport]) { self.phones = phones }

    package static let blank = PhonesReport([])

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("phones", &phones, .list(of: .object(), 0...10_000))
    }
}

/// One paired phone.
package struct PhoneReport: Hashable, Sendable, Described {
    package var name: String
    package var mayPress: Bool
    /// When it was paired.
    package var since: WallTime
    /// When it last sent a request or closed a page.
    package var lastSeen: WallTime
    package var online: Bool

    package init(name: String, mayPress: Bool, since: WallTime, lastSeen: WallTime, online: Bool) {
        self.name = name
        self.mayPress = mayPress
        self.since = since
        self.lastSeen = lastSeen
        self.online = online
    }

    package static let blank = PhoneReport(name: "", mayPress: false, since: 0, lastSeen: 0, online: false)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("name", &name, .string)
        try coder.field("mayPress", &mayPress, .bool)
        try coder.field("since", &since, .whole())
        try coder.field("lastSeen", &lastSeen, .whole())
        try coder.field("online", &online, .bool)
    }
}

/// The link that pairs a phone with the node, for one use.
package struct PairingCode: Hashable, Sendable, Described {
    /// The secret part of the link.
    package var code: String
    package var expires: WallTime

    package init(code: String, expires: WallTime) {
        self.code = code
        self.expires = expires
    }

    package static let blank = PairingCode(code: "", expires: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("code", &code, .string)
        try coder.field("expires", &expires, .whole())
    }
}
