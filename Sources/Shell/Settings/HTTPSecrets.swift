// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The two keys that open a node's kiosk page to other machines, in a file of mode 0600 in the state directory.
public struct HTTPSecrets: Hashable, Sendable {
    /// Who has it may look.
    public let view: String
    /// Who has it may press, start and take, too.
    public let control: String

    private static let file = "http-keys"
    /// 192 bits as 32 characters that a link may hold.
    private static let length = 32
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// Reads the keys; where there are none yet, makes them. Whoever deletes the file and starts the node anew has
    /// closed it to everybody who knew the old ones.
    /// - Throws: ``BadValue`` when the file can be neither read nor written, or holds something else.
    public init(in directory: StateDirectory) throws(BadValue) {
        let path = "\(directory.path)/\(Self.file)"
        let text: String
        do throws(FileError) {
            text = String(decoding: try Files.read(path, limit: 4_096), as: UTF8.self)
        } catch {
            guard error.isMissing else { throw BadValue(error.description) }
            (view, control) = (Self.key(), Self.key())
            try Self.write("\(view)\n\(control)\n", to: path)
            return
        }
        let lines = text.split(separator: "\n")
        guard lines.count == 2, lines.allSatisfy({ $0.count == Self.length }) else {
            throw BadValue("\(path) does not hold two keys; delete it, and new ones are made")
        }
        (view, control) = (String(lines[0]), String(lines[1]))
    }

    private static func key() -> String {
        var random = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in alphabet[Int(random.next() & 63)] })
    }

    private static func write(_ text: String, to path: String) throws(BadValue) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BadValue("cannot write \(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        do throws(FileError) {
            try Files.write(Array(text.utf8), to: file, path: path)
        } catch {
            throw BadValue(error.description)
        }
    }
}
