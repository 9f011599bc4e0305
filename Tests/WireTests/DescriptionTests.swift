// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Wire

@Suite("The tables of Protocol.md match the code", .timeLimit(.minutes(15)))
struct DescriptionTests {
    /// The tables of all payloads, and of the objects within.
    private static let described: [String: FieldTable] = {
        let tables =
            Presence.tables + Register.tables + IntentFields.tables + Ping.tables
            + Pong.tables + Barrier.tables + AnswerFields.tables + Fork.tables
            + ClockObjection.tables + SoundLevel.tables + CalmFeed.tables
            + DebtFeed.tables + DebtYear.tables + DigestedRecord.Fields.tables + LedgerAck.tables
            + Journal.tables + Notice.tables
        return Dictionary(tables.map { ($0.name, $0) }) { one, other in
            precondition(one == other, "two tables are called \(one.name)")
            return one
        }
    }()

    /// Key and type of each line of the tables of Protocol.md that have a type and a meaning.
    private static let documented: [String: [String]] = {
        guard let text = try? Fixtures.protocolPage() else { preconditionFailure("Protocol.md is not there") }
        var tables: [String: [String]] = [:]
        var name: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let cells = line.split(separator: "|").map { CleanText.trimmed(String($0)) }
            guard line.hasPrefix("|"), cells.count == 3 else {
                name = nil
                continue
            }
            if cells[1...] == ["type", "meaning"] {
                name = cells[0].filter { $0 != "`" }
                tables[cells[0].filter { $0 != "`" }] = []
            } else if let name, !cells[0].hasPrefix("---") {
                #expect(!cells[2].isEmpty, "\(name) does not say what \(cells[0]) means")
                for key in cells[0].split(separator: ", ").map({ $0.filter { $0 != "`" } }) {
                    let type = cells[1].hasPrefix("as in ") ? tables[String(cells[1].dropFirst(6))]?.type(of: key) : nil
                    tables[name]?.append("`\(key)` | \(type ?? cells[1])")
                }
            }
        }
        return tables
    }()

    @Test(arguments: described.keys.sorted())
    func tableInProtocolMatchesTheFields(name: String) throws {
        let rows = try #require(Self.described[name]).rows.map { "`\($0.key)` | \($0.type)\($0.need.text)" }
        #expect(Self.documented[name] == rows, "\(name) in Protocol.md")
    }

    @Test func everyTableInProtocolHasFields() {
        #expect(Set(Self.documented.keys).subtracting(Self.described.keys).isEmpty)
    }
}

extension [String] {
    /// The type of a field among lines of `key` | type.
    fileprivate func type(of key: String) -> String? {
        first { $0.hasPrefix("`\(key)` | ") }.map { String($0.dropFirst(key.count + 5)) }
    }
}
