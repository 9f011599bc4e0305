// SPDX-License-Identifier: Apache-2.0

/// Where a node serves its kiosk page, and the keys that open it. Only for the user who runs the node.
public struct KioskReport: Codable, Hashable, Sendable {
    /// The address that it listens on; `null` where it serves none.
    @Nullable public var host: String?
    /// The port.
    @Nullable public var port: Int?
    /// Whether only this machine can get there, and no key is needed.
    public var isLoopback: Bool
    /// The name of the node's machine.
    public var machine: String
    /// Who has this key may look.
    @Nullable public var viewKey: String?
    /// Who has this key may press, start and take, too.
    @Nullable public var controlKey: String?
    /// Whether programs and browsers of this machine need a key, too; `null` in a report of an older program.
    @Nullable public var needsLocalKey: Bool?

    /// Describes a page that is served, or none.
    public init(
        host: String? = nil, port: Int? = nil, isLoopback: Bool = true, machine: String, viewKey: String? = nil,
        controlKey: String? = nil, needsLocalKey: Bool = false
    ) {
        self.host = host
        self.port = port
        self.isLoopback = isLoopback
        self.machine = machine
        self.viewKey = viewKey
        self.controlKey = controlKey
        self.needsLocalKey = needsLocalKey
    }

    /// The address of the page at a host, with parameters in the order of their names.
    public static func link(to authority: String, query: [String: String]) -> String {
        let parameters = query.sorted { $0.key < $1.key }.map { "\(escaped($0.key))=\(escaped($0.value))" }
        return "http://\(authority)/" + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            if byte < 128,
                Character(scalar).isLetter || Character(scalar).isNumber || "-_.,".contains(Character(scalar))
            {
                result.unicodeScalars.append(scalar)
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
