// SPDX-License-Identifier: Apache-2.0

/// The phones that are paired with a node, in the order of pairing.
public struct PhonesReport: Codable, Hashable, Sendable {
    /// One element for each phone.
    public var phones: [PhoneReport]

    /// Creates a report.
    public init(_ phones: [PhoneReport]) { self.phones = phones }
}

/// One paired phone.
public struct PhoneReport: Codable, Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Whether it may press, start and take, or only look.
    public var mayPress: Bool
    /// When it was paired, in milliseconds since 1970.
    public var since: Int64
    /// When it last sent a request or closed a page, in milliseconds since 1970.
    public var lastSeen: Int64
    /// Whether it has an open connection.
    public var online: Bool

    /// Describes a phone.
    public init(name: String, mayPress: Bool, since: Int64, lastSeen: Int64, online: Bool) {
        self.name = name
        self.mayPress = mayPress
        self.since = since
        self.lastSeen = lastSeen
        self.online = online
    }
}

/// A request to add or remove a phone. Only the control socket takes it.
public struct PhoneRequest: Codable, Hashable, Sendable {
    /// The phone's name.
    public var name: String
    /// Whether an added phone may only look; `false` when absent.
    public var look: Bool?

    /// Creates a request.
    public init(name: String, look: Bool? = nil) {
        self.name = name
        self.look = look
    }
}

/// A link that pairs one phone.
public struct PhoneLink: Codable, Hashable, Sendable {
    /// The secret part of the link.
    public var code: String
    /// When the link stops working, in milliseconds since 1970.
    public var expires: Int64

    /// Creates a link.
    public init(code: String, expires: Int64) {
        self.code = code
        self.expires = expires
    }
}
