// SPDX-License-Identifier: Apache-2.0

/// The phones that are paired with a node, in the order of pairing.
package struct PhonesReport: Codable, Hashable, Sendable {
    /// One element for each phone.
    package var phones: [PhoneReport]

    package init(_ phones: [PhoneReport]) { self.phones = phones }
}

/// One paired phone.
package struct PhoneReport: Codable, Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Whether it may press, start and take, or only look.
    package var mayPress: Bool
    /// When it was paired, in milliseconds since 1970.
    package var since: Int64
    /// When it last sent a request or closed a page, in milliseconds since 1970.
    package var lastSeen: Int64
    /// Whether it has an open connection.
    package var online: Bool

    package init(name: String, mayPress: Bool, since: Int64, lastSeen: Int64, online: Bool) {
        self.name = name
        self.mayPress = mayPress
        self.since = since
        self.lastSeen = lastSeen
        self.online = online
    }
}

/// A request to add or remove a phone. Only the control socket takes it.
package struct PhoneRequest: Codable, Hashable, Sendable {
    /// The phone's name.
    package var name: String
    /// Whether an added phone may only look; `false` when absent.
    package var look: Bool?

    package init(name: String, look: Bool? = nil) {
        self.name = name
        self.look = look
    }
}

/// A link that pairs one phone.
package struct PhoneLink: Codable, Hashable, Sendable {
    /// The secret part of the link.
    package var code: String
    /// When the link stops working, in milliseconds since 1970.
    package var expires: Int64

    package init(code: String, expires: Int64) {
        self.code = code
        self.expires = expires
    }
}
