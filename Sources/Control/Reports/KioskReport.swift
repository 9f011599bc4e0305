// SPDX-License-Identifier: Apache-2.0

/// The address of a node's kiosk page, and its keys. Only for the user who runs the node.
public struct KioskReport: Codable, Hashable, Sendable {
    /// The address of the HTTP server; `null` if there is none.
    @Nullable public var host: String?
    /// The port.
    @Nullable public var port: Int?
    /// Whether only this machine can reach it, and no key is needed.
    public var isLoopback: Bool
    /// The name of the node's machine.
    public var machine: String
    /// The key that allows to look.
    @Nullable public var viewKey: String?
    /// The key that also allows to press, start and take.
    @Nullable public var controlKey: String?
    /// Whether programs and browsers of this machine need a key, too; `null` in a report of an older program.
    @Nullable public var needsLocalKey: Bool?

    /// Describes a page, or that there is none.
    public init(
        host: String? = nil, port: Int? = nil, isLoopback: Bool = true, machine: String, viewKey: String? = nil,
        controlKey: String? = nil, needsLocalKey: Bool = false
    ) {
        self.isLoopback = isLoopback
        self.machine = machine
        self.host = host
        self.port = port
        self.viewKey = viewKey
        self.controlKey = controlKey
        self.needsLocalKey = needsLocalKey
    }

    /// Returns the address of the page at a host, with parameters in the order of their names.
    public static func link(to authority: String, path: String = "", query: [String: String]) -> String {
        let parameters = query.sorted { $0.key < $1.key }.map { "\($0.key.percentEncoded)=\($0.value.percentEncoded)" }
        return "http://\(authority)/\(path)" + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }
}

extension String {
    /// The text with every byte but letters, digits and `-._~` escaped for a URL.
    package var percentEncoded: String {
        utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if byte < 128, character.isLetter || character.isNumber || "-._~".contains(character) {
                return String(character)
            }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
