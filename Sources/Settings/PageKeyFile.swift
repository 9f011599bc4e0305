// SPDX-License-Identifier: Apache-2.0

import Platform

/// The keys that all links of a node's pages share, in a file of mode 0600 in the state directory.
package struct PageKeyFile: Hashable, Sendable {
    /// The key that allows reading.
    package let view: String
    /// The key that allows reading, pressing, starting and taking over.
    package let control: String
    /// The key that allows reading the calendar, and nothing else.
    package let calendar: String
    /// The reason why the keys are not on disk; `nil` if they are. Unsaved keys hold until the node ends.
    package let unsaved: String?

    private static let file = "http-keys"

    /// Reads the keys, or creates them. To revoke the keys, delete the file and restart the node.
    /// - Throws: ``ValueError`` if the file exists and cannot be read, or does not hold keys.
    package init(in directory: StateDirectory) throws(ValueError) {
        let path = "\(directory.path)/\(Self.file)"
        var keys: [String] = []
        do throws(FileError) {
            let text = String(decoding: try Files.read(path, limit: 4_096), as: UTF8.self)
            keys = text.split(separator: "\n").map(String.init)
        } catch {
            guard error.isMissing else { throw ValueError(error.description) }
        }
        guard [0, 2, 3].contains(keys.count), keys.allSatisfy({ $0.count == RandomKey.length }) else {
            throw ValueError("\(path) does not hold keys of this program; delete it, and new ones are made")
        }
        // A file of an earlier program has no key of the calendar.
        let missing = 3 - keys.count
        keys += (0..<missing).map { _ in RandomKey.make() }
        (view, control, calendar) = (keys[0], keys[1], keys[2])
        guard missing > 0 else {
            unsaved = nil
            return
        }
        do throws(FileError) {
            let text = keys.map { $0 + "\n" }.joined()
            try Files.replace(Self.file, in: directory.descriptor, path: path, with: Array(text.utf8))
            unsaved = nil
        } catch {
            unsaved = error.description
        }
    }
}
