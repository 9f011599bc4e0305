// SPDX-License-Identifier: Apache-2.0

import Session

/// An unreadable line of a trace. Lines are counted from 1.
package struct TraceError: Error, CustomStringConvertible {
    package var line: Int
    package var problem: String

    package var description: String { "line \(line): \(problem)" }
}

/// The text form of a scenario, a trace. It has one act a line, to be read, cut by hand and kept.
extension Scenario {
    private static let head = "lockstep trace 1"

    package var text: String {
        var lines = [Self.head, "seed \(seed)", "mix \(mix.text)"]
        for act in acts {
            let numbers = zip(act.kind.parameters, act.numbers).map { " \($0)=\($1)" }.joined()
            lines.append("\(act.at) \(Names.node(act.node)) \(act.kind.rawValue)\(numbers) #\(act.id)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads a scenario. Empty lines and lines that begin with `#` are ignored.
    package init(text: String) throws(TraceError) {
        var seed: UInt64?
        var mix = Mix()
        var acts: [Act] = []
        var hasHead = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: " ")
            func fault(_ problem: String) -> TraceError { TraceError(line: index + 1, problem: problem) }
            guard let first = words.first, first.first != "#" else { continue }
            guard hasHead else {
                guard line == Self.head else { throw fault("a trace begins with “\(Self.head)”") }
                hasHead = true
                continue
            }
            switch first {
            case "seed": seed = words.count == 2 ? UInt64(words[1]) : nil
            case "mix":
                for word in words.dropFirst() {
                    let parts = word.split(separator: "=")
                    guard parts.count == 2, let value = Int(parts[1]), mix.set(parts[0], to: value) else {
                        throw fault("“\(word)” is not a number of a mix")
                    }
                }
            default:
                guard let act = Act(words: words, count: acts.count) else { throw fault("“\(line)” is not an act") }
                acts.append(act)
            }
        }
        guard let seed else { throw TraceError(line: 1, problem: "the seed is missing") }
        guard (1...26).contains(mix.nodes), (1...2).contains(mix.halves) else {
            throw TraceError(line: 1, problem: "1 to 26 nodes, 1 or 2 halves")
        }
        self.init(seed: seed, mix: mix, acts: acts.filter { $0.node < mix.nodes })
    }
}

extension Act {
    fileprivate init?(words: [Substring], count: Int) {
        guard words.count >= 3, let at = Int64(words[0]), let node = Names.index(of: words[1]),
            let kind = Kind(rawValue: String(words[2]))
        else { return nil }
        var id = count
        var numbers = kind.parameters.map { _ in 0 }
        for word in words.dropFirst(3) {
            if word.first == "#" {
                guard let number = Int(word.dropFirst()) else { return nil }
                id = number
                continue
            }
            let parts = word.split(separator: "=")
            guard parts.count == 2, let value = Int(parts[1]),
                let place = kind.parameters.firstIndex(of: String(parts[0]))
            else { return nil }
            numbers[place] = value
        }
        self.init(at: Milliseconds(at), kind: kind, node: node, numbers: numbers, id: id)
    }
}

/// The names of a world's nodes: a, b, c …
enum Names {
    static func node(_ index: Int) -> String { String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))) }
    /// Makes the id of a connection. The id of a later connection sorts after that of an earlier one.
    static func connection(_ number: Int) -> ConnectionID? { ConnectionID("c\(1_000_000 + number)") }

    static func index(of name: Substring) -> Int? {
        guard name.utf8.count == 1, let byte = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        else { return nil }
        return Int(byte - UInt8(ascii: "a"))
    }
}
