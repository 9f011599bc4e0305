// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The files of the project beside its code.
public enum Project {
    private static let top = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// The text of a file, by its path from the top of the project.
    public static func read(_ path: String) throws -> String {
        try String(contentsOfFile: "\(top)/\(path)", encoding: .utf8)
    }

    /// The paths of the files in a folder and those within it; none where there is no such folder.
    public static func files(under folder: String, where isWanted: (String) -> Bool) throws -> [String] {
        let manager = FileManager.default
        guard manager.fileExists(atPath: "\(top)/\(folder)") else { return [] }
        return try manager.subpathsOfDirectory(atPath: "\(top)/\(folder)").sorted().map { "\(folder)/\($0)" }
            .filter { isWanted($0) && !isFolder($0) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: "\(top)/\(path)", isDirectory: &isFolder) && isFolder
    }
}
