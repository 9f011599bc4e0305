// SPDX-License-Identifier: Apache-2.0

import Platform

/// The two keys that all links of a node's kiosk page share.
///
/// They are in a file of mode 0600 in the state directory.
package struct HTTPSecrets: Hashable, Sendable {
    /// Allows reading.
    package let view: String
    /// Allows reading, pressing, starting and taking over.
    package let control: String
    /// Why the keys are not on disk; `nil` if they are. Such keys hold until the node ends.
    package let unsaved: String?

    private static let file = "http-keys"

    /// Reads the keys, or creates them. To revoke the keys, delete the file and restart the node.
    /// - Throws: ``BadValue`` if the file is there and cannot be read, or holds something else.
    package init(in directory: StateDirectory) throws(BadValue) {
        let path = "\(directory.path)/\(Self.file)"
        let text: String
        do throws(FileError) {
            text = String(decoding: try Files.read(path, limit: 4_096), as: UTF8.self)
        } catch {
            guard error.isMissing else { throw BadValue(error.description) }
            (view, control) = (RandomKey.make(), RandomKey.make())
            do throws(FileError) {
                try Files.replace(
                    Self.file, in: directory.descriptor, path: path, with: Array("\(view)\n\(control)\n".utf8))
                unsaved = nil
            } catch {
                unsaved = error.description
            }
            return
        }
        let lines = text.split(separator: "\n")
        guard lines.count == 2, lines.allSatisfy({ $0.count == RandomKey.length }) else {
            throw BadValue("\(path) does not hold two keys; delete it, and new ones are made")
        }
        (view, control, unsaved) = (String(lines[0]), String(lines[1]), nil)
    }
}
