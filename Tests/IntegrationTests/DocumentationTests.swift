// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Each command, option, script, setting, link, path and name of the code on a page exists.
@Suite(.limitedConcurrency) struct DocumentationTests {
    static let documents = (try? Project.pages().filter { !$0.contains("CHANGELOG") }) ?? []

    /// A command of a program, from its `--experimental-dump-help`.
    private struct Command {
        var name: String
        var options: Set<String>
        var subcommands: [Command]

        init(_ json: JSON) {
            name = json.commandName.text ?? ""
            options = Set(json.arguments.items.flatMap(\.names.items).compactMap(\.name.text))
            subcommands = json.subcommands.items.map(Command.init)
        }

        var allOptions: Set<String> { subcommands.reduce(options) { $0.union($1.allOptions) } }
        subscript(name: String) -> Command? { subcommands.first { $0.name == name } }
    }

    private static let programs = ["lockstep", "node", "calm", "debt", "sim", "bench"].map {
        $0 == "lockstep" ? $0 : "lockstep-\($0)"
    }

    private static let reading = Task { try await readCommands() }
    private static func commands() async throws -> [String: Command] { try await reading.value }
    private static func readCommands() async throws -> [String: Command] {
        var commands: [String: Command] = [:]
        for program in programs {
            let help = try await CommandLine.run(["--experimental-dump-help"], program: program)
            commands[program] = Command(help.json.command)
        }
        // These commands of `lockstep` pass their arguments to another program.
        for (name, program) in [("node", "lockstep-node"), ("debt", "lockstep-debt")] {
            var forwarded = try #require(commands[program])
            forwarded.name = name
            commands["lockstep"]?.subcommands.removeAll { $0.name == name }
            commands["lockstep"]?.subcommands.append(forwarded)
        }
        return commands
    }

    /// The code of a page: each line of a block, each span, and the spans of each table row.
    private static func code(in text: String) -> [Substring] {
        var isBlock = false
        return text.split(separator: "\n").flatMap { line -> [Substring] in
            if line.hasPrefix("```") {
                isBlock.toggle()
                return []
            }
            if isBlock { return [line] }
            let spans = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map(\.element)
            // The options in a row belong to the command in its first cell.
            guard line.hasPrefix("| `lockstep"), let first = spans.first else { return spans }
            return [Substring(([first] + spans.dropFirst().filter { $0.hasPrefix("--") }).joined(separator: " "))]
        }
    }

    @Test(arguments: documents) func eachCommandAndOptionExists(document: String) async throws {
        let commands = try await Self.commands()
        for line in Self.code(in: try Project.read(document)) {
            var command: Command?
            for word in line.split(separator: " ") {
                let word = String(word.drop { "#('\"".contains($0) }.prefix { !")'\";,=]".contains($0) })
                if let program = commands[word == "./Deploy/bench" ? "lockstep-bench" : word] {
                    command = program
                } else if word == "|" || word == "&&" {
                    command = nil
                } else if let present = command, word.hasPrefix("--") {
                    let isKnown = present.allOptions.contains(String(word.dropFirst(2)))
                    #expect(isKnown, "\(document): \(present.name) has no \(word): \(line)")
                } else if let next = command?[word] {
                    command = next
                }
            }
        }
    }

    @Test func eachRowOfTheCommandTableNamesCommands() async throws {
        let lockstep = try #require(try await Self.commands()["lockstep"])
        for line in try Project.read("Sources/Commands/README.md").split(separator: "\n")
        where line.hasPrefix("| `lockstep ") {
            let cell = line.split(separator: "|")[0]
            for span in cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where span.offset % 2 == 1 {
                let words = span.element.split(separator: " ").drop { $0 == "lockstep" }.map(String.init)
                let name = try #require(words.first)
                let command = try #require(lockstep[name], "\(name) of \(line)")
                if let second = words.dropFirst().first, second.allSatisfy(\.isLetter) {
                    #expect(command[second] != nil, "\(name) \(second) of \(line)")
                }
            }
        }
    }

    @Test(arguments: documents) func eachScriptAndItsOptionsExist(document: String) throws {
        for line in Self.code(in: try Project.read(document)) {
            let words = line.split(separator: " ").map(String.init)
            guard let script = words.first, script.hasPrefix("./Deploy/") || script == ".ci/run" else { continue }
            // The arguments of this one are those of lockstep-bench.
            if script == "./Deploy/bench" { continue }
            let text = try Project.read(script.hasPrefix("./") ? String(script.dropFirst(2)) : script)
            for word in words.dropFirst().prefix(while: { $0 != "#" })
            where word.hasPrefix("--") && word != "--" || word == words[1] && word.allSatisfy(\.isLetter) {
                #expect(text.contains(word), "\(document): \(script) knows no \(word)")
            }
        }
    }

    /// The anchor that a heading gets: lower case, words joined by hyphens, without other characters.
    private static func anchor(of heading: Substring) -> String {
        heading.drop { $0 == "#" || $0 == " " }.lowercased()
            .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }.replacing(" ", with: "-")
    }

    @Test(arguments: documents) func eachLinkResolves(document: String) throws {
        let folder = document.split(separator: "/").dropLast().joined(separator: "/")
        for link in try Project.read(document).matches(of: /\]\(([^)\s]+)\)/).map(\.output.1) {
            guard !link.contains("://"), !link.hasPrefix("<") else { continue }
            let parts = link.split(separator: "#", omittingEmptySubsequences: false)
            let target = parts[0].isEmpty ? document : Project.resolve(String(parts[0]), in: folder)
            #expect(Project.exists(target), "\(document): \(link)")
            guard parts.count == 2 else { continue }
            let headings = try Project.read(target).split(separator: "\n").filter { $0.hasPrefix("#") }
            #expect(headings.contains { Self.anchor(of: $0) == parts[1] }, "\(document): \(link)")
        }
    }

    /// A path in backticks names a file or folder, from the top, from Sources or from the page.
    @Test(arguments: documents) func eachPathExists(document: String) throws {
        let folder = document.split(separator: "/").dropLast().joined(separator: "/")
        for span in Self.code(in: try Project.read(document)) {
            let path = String(span.drop { $0 == "." || $0 == "/" })
            let isPath = !span.contains(" ") && path.contains("/") && !path.contains { "*<>{}+…=:$".contains($0) }
            let first = path.prefix { $0 != "/" }
            guard isPath, Project.exists(String(first)) || Project.exists("Sources/\(first)") else { continue }
            let places = [path, Project.resolve(path, in: folder), "Sources/\(path)"]
            #expect(places.contains(where: Project.exists), "\(document): \(span)")
        }
    }

    /// The words of the code and of its file names.
    private static let words: Set<Substring> = {
        let kinds = ["swift", "js", "html", "json", "py", "h"]
        let folders = ["Sources", "Tests", "Deploy", "Config"]
        let files = (try? folders.flatMap { try Project.files(under: $0) { !$0.hasSuffix(".md") } }) ?? []
        let isRead = { (file: String) in !file.contains(".") || kinds.contains { file.hasSuffix(".\($0)") } }
        let texts = (files.filter(isRead) + ["Package.swift"]).compactMap { try? Project.read($0) } + files
        return Set(texts.flatMap { $0.split { !$0.isLetter && !$0.isNumber } })
    }()

    /// The names that the files of each type declare, with those that every type has.
    private static let members: [Substring: Set<Substring>] = {
        var members: [Substring: Set<Substring>] = [:]
        let files = try? ["Sources", "Tests"].flatMap { try Project.files(under: $0) { $0.hasSuffix(".swift") } }
        for text in (files ?? []).compactMap({ try? Project.read($0) }) {
            var declared: Set<Substring> = ["init", "Type"]
            let declarations = text.matches(of: /\b(?:func|let|var|struct|class|enum|typealias) `?(\w+)/)
            declared.formUnion(declarations.map(\.output.1))
            for names in text.matches(of: /\bcase (.*)/) { declared.formUnion(names.1.split { !$0.isLetter }) }
            for type in text.matches(of: /\b(?:struct|class|enum|actor|protocol|extension) ([\w.]+)/) {
                for name in type.1.split(separator: ".") { members[name, default: []].formUnion(declared) }
            }
        }
        return members
    }()

    /// Each word of a name is a word of the code. In a name such as `Engine.giveUp`, the type has that member.
    @Test(arguments: [
        "Sources/README.md", "Sources/Core/Core.docc/Core.md", "Sources/Session/Session.docc/States.md",
        "Sources/Session/Session.docc/Vocabulary.md", "Sources/Wire/Wire.docc/Trust.md", "Tests/README.md",
    ])
    func eachNameOfTheCodeExists(document: String) throws {
        for name in Self.code(in: try Project.read(document)) where name.allSatisfy({ $0.isLetter || $0 == "." }) {
            let parts = name.split(separator: ".")
            #expect(parts.allSatisfy(Self.words.contains), "\(name)")
            for (type, member) in zip(parts, parts.dropFirst())
            where type.first?.isUppercase == true && !["swift", "md", "js"].contains(member) {
                #expect(Self.members[type]?.contains(member) == true, "\(name)")
            }
        }
    }

    /// The keys in a text; `LOCKSTEP_CALM_FORMAT`, `_RATE` names two of them.
    private static func keys(in text: String) -> [String] {
        var keys: [String] = []
        for word in text.split(separator: #/[^A-Z_]+/#).map(String.init) {
            if word.hasPrefix("LOCKSTEP_"), word != "LOCKSTEP_", !word.hasSuffix("_") {
                keys.append(word)
            } else if word.hasPrefix("_"), word != "_", let stem = keys.last?.lastIndex(of: "_") {
                keys.append(String((keys.last ?? "")[..<stem]) + word)
            }
        }
        return keys
    }

    @Test func eachSettingExists() throws {
        let sources =
            try Project.files(under: "Sources") { $0.hasSuffix(".swift") }.map(Project.read).joined()
            + Project.files(under: "Deploy") { !$0.hasSuffix(".md") && !$0.hasSuffix(".deb") }.map(Project.read)
            .joined()
            + Project.read("Tests/Support/Required.swift")
        for document in Self.documents {
            for key in Set(Self.keys(in: try Project.read(document))) {
                let isKnown = sources.contains("\"\(key)\"") || sources.contains("\(key)=")
                #expect(isKnown, "\(document) names \(key)")
            }
        }
    }

    /// A settings file has comments in lines of their own alone.
    @Test(arguments: documents) func noSettingHasACommentBehindIt(document: String) throws {
        let lines = try Project.read(document).split(separator: "\n")
        #expect(lines.filter { $0.contains(#/^LOCKSTEP_[A-Z_]+=\S*\s+#/#) }.isEmpty)
    }

    /// The page of notices has the text of each notice of a screen, and of each refusal, without its names and times.
    @Test func eachNoticeIsExplained() throws {
        let source = try Project.read("Sources/Display/Screen/Screen+Notices.swift")
        let used = Set(source.matches(of: /\.(\w+)/).map { String($0.output.1) })
        let others = ["movedSomewhere", "staleSince", "noWeek", "pageLost", "noAnswer", "notPermitted", "linkOver"]
        let page = try Project.read("Config/Notices.md")
        let strings = try JSON(Project.read("Sources/Display/Languages/en.json")).strings
        for key in strings.keys where used.union(others).contains(key) || key.hasPrefix("refused") {
            let text = try #require(strings[key].text, "\(key)")
            let fixed = text.split(separator: #/\{\w+\}/#).max { $0.count < $1.count }
            #expect(page.contains(fixed ?? ""), "\(key)")
        }
    }

    @Test func tablesOfSettingsMatchTheFiles() throws {
        let rows = try Project.read("Config/README.md").split(separator: "\n").filter { $0.hasPrefix("| `LOCKSTEP_") }
        let documented = rows.flatMap { Self.keys(in: String($0.split(separator: "|")[0])) }
        let lines = try ["node", "calm", "debt"].map { try Project.read("Config/\($0).env") }.joined(separator: "\n")
            .split(separator: "\n")
        let settings = lines.compactMap { line -> String? in
            let line = line.drop { $0 == "#" }
            guard line.hasPrefix("LOCKSTEP_"), let end = line.firstIndex(of: "=") else { return nil }
            return String(line[..<end])
        }
        #expect(Set(documented) == Set(settings))
    }
}
