// SPDX-License-Identifier: Apache-2.0

package import API
import Session

/// The query parameters of a page or a widget.
package struct Query: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var values: [String: String]

    package init(_ values: [String: String]) { self.values = values }

    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements) { $1 })
    }

    package subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Refuses a name that is like a known one. Others are ignored, since pages add some to bypass caches.
    package func checkNames(_ known: [String]) throws(RequestError) {
        for name in values.keys.sorted() where !known.contains(name) {
            guard let similar = known.names(like: name) else { continue }
            throw RequestError(name, "there is no such parameter; similar: \(similar)")
        }
    }

    /// Returns the value of a parameter; `nil` if it is absent.
    /// - Parameter kind: The expected kind of value, as “a colour”, which the error names.
    package func parameter<Parsed>(
        _ name: String, _ kind: String, _ parse: (String) -> Parsed?
    ) throws(RequestError) -> Parsed? {
        guard let text = values[name] else { return nil }
        guard let value = parse(text) else { throw RequestError(name, "“\(text)” is not \(kind)") }
        return value
    }

    /// Returns the value of a parameter that takes one of some words; `nil` if it is absent.
    package func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String) throws(RequestError) -> Word? {
        try parameter(name, "one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))") { Word(rawValue: $0) }
    }

    /// Returns whether a parameter is on; `nil` if it is absent.
    package func flag(_ name: String) throws(RequestError) -> Bool? {
        try parameter(name, "0 or 1") { text -> Bool? in
            if ["0", "no", "off", "false"].contains(text) { return false }
            return ["1", "yes", "on", "true"].contains(text) ? true : nil
        }
    }

    package func blank() throws(RequestError) -> BlankHours? {
        try parameter("blank", "hours such as 23:00-07:00") { BlankHours($0) }
    }

    package func near() throws(RequestError) -> EndWarning? {
        try parameter("near", "a duration such as 5m or 90s") { EndWarning($0) }
    }
}
