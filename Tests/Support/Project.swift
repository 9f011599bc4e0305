// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The files of this repository.
public enum Project {
    private static let top = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    public static func path(_ path: String) -> String { "\(top)/\(path)" }

    /// Reads a file, by its path in the project.
    public static func read(_ path: String) throws -> String {
        try String(contentsOfFile: "\(top)/\(path)", encoding: .utf8)
    }

    /// Lists the files in a folder and its subfolders; none if the folder is missing.
    public static func files(under folder: String, where isWanted: (String) -> Bool) throws -> [String] {
        let manager = FileManager.default
        guard manager.fileExists(atPath: "\(top)/\(folder)") else { return [] }
        return try manager.subpathsOfDirectory(atPath: "\(top)/\(folder)").sorted().map { "\(folder)/\($0)" }
            .filter { isWanted($0) && !isFolder($0) }
    }

    /// The paths of all pages for people: Markdown files.
    public static func pages() throws -> [String] {
        let folders = ["Sources", "Config", "Deploy", "Tests", ".github"]
        return try ["README.md"] + folders.flatMap { try files(under: $0) { $0.hasSuffix(".md") } }
    }

    /// Whether a path from the top of the project is that of a file or folder.
    public static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: "\(top)/\(path)") }

    /// Returns the path from the top for a path that starts in a folder and may contain `..`.
    public static func resolve(_ path: String, in folder: String) -> String {
        var parts = folder.split(separator: "/")
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: "\(top)/\(path)", isDirectory: &isFolder) && isFolder
    }
}
