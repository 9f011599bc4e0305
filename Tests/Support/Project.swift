// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The files of the project beside its code.
public enum Project {
    /// The text of a file, by its path from the top of the project.
    public static func read(_ path: String) throws -> String {
        let top = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try String(contentsOfFile: "/\(top)/\(path)", encoding: .utf8)
    }
}
