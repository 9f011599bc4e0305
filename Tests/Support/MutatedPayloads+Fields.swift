// SPDX-License-Identifier: Apache-2.0

extension MutatedPayloads {
    /// A field of a valid payload: its text, and the kind of its replacements.
    private struct Field {
        var payload: Int
        var text: String
        var kind: Kind

        init(_ payload: Int, _ text: String, _ kind: Kind) {
            self.payload = payload
            self.text = text
            self.kind = kind
        }
    }

    /// The kind of a field. `free` is a number without bounds in these tests, `word` one of a list, and `clean` a text
    /// without control characters.
    private enum Kind { case time, count, free, id, node, word, bool, clean, object, array }

    /// Invalid texts for a kind of field, and the expected reasons.
    private static func unexpectedValues(for kind: Kind) -> [(String, String?)] {
        let wrong = [#"{"a":1}"#, "[1,2]", "1.5", "1e3", "true", "7", #""seven""#, "null"]
        let bounds = [("-1", "outOfBounds"), ("99999999999999", "outOfBounds")] as [(String, String?)]
        let huge = [("9223372036854775808", "outOfBounds"), ("1E400", "malformed"), ("-0.0", "malformed")]
        let malformed = { (texts: [String]) in texts.map { ($0, "malformed" as String?) } }
        switch kind {
        case .time, .count: return malformed([wrong[0], wrong[1], "1.5", "1e3", "true", wrong[6]]) + bounds + huge
        case .free: return malformed([wrong[0], wrong[1], "1.5", "1e3", "true", wrong[6]]) + huge
        case .id, .node:
            let long = "\"" + String(repeating: "a", count: 37) + "\""
            return malformed([wrong[0], wrong[1], "1.5", "true", "7"])
                + [
                    (#""""#, "outOfBounds"), (long, "outOfBounds"), (#""a b""#, "outOfBounds"),
                    (#""ä""#, "outOfBounds"),
                ]
                + [(#""a\u0000""#, "outOfBounds"), (#""a/b""#, "outOfBounds")]
                + (kind == .node ? [(#""Desk""#, "outOfBounds"), (#""-a""#, "outOfBounds")] : [])
        case .word: return malformed([wrong[0], wrong[1], "true", "7", "null"]) + [(#""Sideways""#, "outOfBounds")]
        case .bool: return malformed([wrong[0], wrong[1], "1", "0", #""true""#, "null"])
        case .clean:
            let long = "\"" + String(repeating: "ü", count: 100) + "\""
            return malformed([wrong[0], wrong[1], "1.5", "true", "7"])
                + [
                    #""a\u0007b""#, #""a\nb""#, #""a\u202eb""#, #""\u2066a""#, #""\u0000""#, #""\u007f""#,
                    #""a\ufeff""#,
                ]
                .map { ($0, "outOfBounds") } + [(#""a\u001b[31m""#, "outOfBounds"), (long, "outOfBounds")]
        case .object: return malformed([wrong[1], "1.5", "true", "7", wrong[6]]) + [(#"{"a":1}"#, "malformed")]
        case .array: return malformed([wrong[0], "1.5", "true", "7", wrong[6], "[{},[],1]"])
        }
    }

    private static let fields: [Field] = [
        Field(0, #""online":true"#, .bool), Field(0, #""conn":"c-1""#, .id), Field(0, #""role":"node""#, .word),
        Field(0, #""name":"Fuzz""#, .clean), Field(0, #""at":1800000000000"#, .time),
        Field(0, #""clock":{"synced":true,"bound":12}"#, .object), Field(0, #""synced":true"#, .bool),
        Field(0, #""bound":12"#, .time), Field(0, #""software":"fuzz 1""#, .clean),

        Field(1, #""id":"s-1""#, .id), Field(1, #""lineage":"s-0""#, .id),
        Field(1, #""continues":{"node":"desk","epoch":1,"rev":7,"at":1800000000000}"#, .object),
        Field(1, #""node":"desk""#, .node), Field(1, #""rev":7"#, .count),
        Field(1, #""stamp":[1800000000000,0,"fuzz"]"#, .array), Field(1, #""epoch":1"#, .count),
        Field(1, #""rev":3"#, .count), Field(1, #""owner":"fuzz""#, .node), Field(1, #""title":"Reading""#, .clean),
        Field(1, #""icon":"book""#, .clean), Field(1, ##""label":{"name":"Study","colour":"#4c8dff"}"##, .object),
        Field(1, #""name":"Study""#, .clean), Field(1, #""mode":"countdown""#, .word),
        Field(1, #""kind":"focus""#, .word), Field(1, #""seconds":1500"#, .count), Field(1, #""name":"Tea""#, .clean),
        Field(1, #""seconds":300"#, .count), Field(1, #""autoAdvance":false"#, .bool), Field(1, #""phase":0"#, .count),
        Field(1, #""status":"running""#, .word), Field(1, #""startedAt":1800000000000"#, .time),
        Field(1, #""anchor":{"elapsed":61000,"at":1800000090000,"bootId":"b-1","boot":123456}"#, .object),
        Field(1, #""elapsed":61000"#, .time), Field(1, #""at":1800000090000"#, .time),
        Field(1, #""bootId":"b-1""#, .id), Field(1, #""boot":123456"#, .time),
        Field(1, #""runs":[[0,1800000000000,1800000061000],[0,1800000090000,null]]"#, .array),
        Field(1, #""applied":["i-1"]"#, .array), Field(1, #""intent":"i-1""#, .id), Field(1, #""op":"resume""#, .word),
        Field(1, #""from":"desk""#, .node), Field(1, #""session":"s-2""#, .id),

        Field(2, #""id":"i-1""#, .id), Field(2, #""lineage":"s-1""#, .id), Field(2, #""session":"s-1""#, .id),
        Field(2, #""phase":0"#, .free), Field(2, #""op":"extend""#, .word), Field(2, #""seconds":60"#, .free),
        Field(2, #""from":"fuzz""#, .node), Field(2, #""at":1800000000000"#, .time),
        Field(2, #""expiresAt":1800000030000"#, .time),

        Field(3, #""id":"i-1""#, .id), Field(3, #""outcome":"refused""#, .word),
        Field(3, #""reason":"superseded""#, .word), Field(3, #""session":"s-1""#, .id), Field(3, #""rev":3"#, .count),
        Field(3, #""node":"desk""#, .node), Field(3, #""at":1800000000000"#, .time),
        Field(4, #""node":"desk""#, .node), Field(4, #""epoch":1"#, .count), Field(4, #""rev":3"#, .count),
        Field(5, #""node":"desk""#, .node), Field(5, #""session":"s-1""#, .id), Field(5, #""at":1800000000000"#, .time),

        Field(7, #""conn":"c-1""#, .id), Field(7, #""sent":500000"#, .time), Field(7, #""at":1800000000000"#, .time),
        Field(8, #""conn":"c-1""#, .id), Field(8, #""sent":500000"#, .time), Field(8, #""bootId":"b-1""#, .id),
        Field(8, #""boot":7000000"#, .time), Field(8, #""wall":1800000000123"#, .time),
        Field(8, #""at":1800000000000"#, .time),
        Field(8, #""clock":{"synced":true,"bound":12,"wrong":false}"#, .object), Field(8, #""synced":true"#, .bool),
        Field(8, #""bound":12"#, .time),
    ]

    /// Manual replacements in the valid payloads.
    private static let patches: [(payload: Int, name: String, old: String, new: String, expected: String)] = [
        (0, "an empty name", #""Fuzz""#, #""""#, "outOfBounds"),
        (0, "an unknown state", #""v":1"#, #""v":1,"state":"dreaming""#, "outOfBounds"),
        (0, "a key twice, the first one wrong", #""v":1"#, #""v":1,"online":1"#, "malformed"),
        (0, "a key twice, the last one wrong", #""online":true"#, #""online":true,"online":1"#, "malformed"),
        (1, "another node's register", #""owner":"fuzz""#, #""owner":"desk""#, "wrongSender"),
        (1, "another node's stamp", #"0,"fuzz"]"#, #"0,"desk"]"#, "outOfBounds"),
        (1, "a stamp with four parts", #"0,"fuzz"]"#, #"0,"fuzz",1]"#, "malformed"),
        (1, "a stamp with two parts", #",0,"fuzz"]"#, #",0]"#, "malformed"),
        (1, "a negative stamp", "[1800000000000,0", "[-1,0", "outOfBounds"),
        (1, "a stamp beyond 2200", "[1800000000000,0", "[7258118400001,0", "outOfBounds"),
        (1, "a huge stamp counter", "[1800000000000,0", "[1800000000000,1000000000001", "outOfBounds"),
        (
            1, "no phases", #"[{"kind":"focus","seconds":1500},{"kind":"shortBreak","name":"Tea","seconds":300}]"#,
            "[]", "outOfBounds"
        ),
        (1, "300 phases", #"{"kind":"focus","seconds":1500}"#, phases(300), "outOfBounds"),
        (1, "81 phases", #"[{"kind":"focus","seconds":1500},"#, "[\(phases(80)),", "outOfBounds"),
        (1, "a phase of no time", #""seconds":1500"#, #""seconds":0"#, "outOfBounds"),
        (1, "a phase longer than a day", #""seconds":1500"#, #""seconds":86401"#, "outOfBounds"),
        (1, "a quote in a phase's name", #""Tea""#, #""a\"b""#, "outOfBounds"),
        (1, "a phase beyond the plan", #""phase":0"#, #""phase":2"#, "outOfBounds"),
        (1, "more elapsed than the phase has", #""elapsed":61000"#, #""elapsed":1500001"#, "outOfBounds"),
        (1, "a run with two parts", "[0,1800000090000,null]", "[0,1800000090000]", "malformed"),
        (1, "a run with four parts", "[0,1800000090000,null]", "[0,1800000090000,null,1]", "malformed"),
        (1, "a run that ends before it begins", "1800000061000", "1799999999999", "outOfBounds"),
        (1, "an open run before the last", "1800000061000", "null", "outOfBounds"),
        (1, "a run of a phase beyond the plan", "[0,1800000090000", "[2,1800000090000", "outOfBounds"),
        (1, "an open run of a paused session", #""running""#, #""paused""#, "outOfBounds"),
        (1, "a count-up session with two phases", #""countdown""#, #""countup""#, "outOfBounds"),
        (1, "121 runs", "[0,1800000090000,null]", list("[0,1800000090000,1800000090000]", 120), "outOfBounds"),
        (1, "65 applied intents", #"["i-1"]"#, "[\(list(#""i""#, 65))]", "outOfBounds"),
        (1, "an applied id outside the grammar", #"["i-1"]"#, #"["i 1"]"#, "outOfBounds"),
        (1, "an escape sequence in a title", #""Reading""#, #""\u001b]0;x\u0007""#, "outOfBounds"),
        (1, "a key twice, the last one wrong", #""rev":3"#, #""rev":3,"rev":-1"#, "outOfBounds"),
        (1, "version 2 in a register", #""v":1"#, #""v":2"#, "unknownVersion"),
        (1, "version 2 last", #""v":1"#, #""v":1,"v":2"#, "unknownVersion"),
        (2, "somebody else's intent", #""from":"fuzz""#, #""from":"desk""#, "wrongSender"),
        (2, "an operation of another case", #""extend""#, #""EXTEND""#, "outOfBounds"),
        (2, "arguments in a list", #"{"seconds":60}"#, "[60]", "malformed"),
        (3, "a refusal without reason", #""reason":"superseded","#, "", "malformed"),
        (3, "no kind", #""kind":"intent","#, "", "malformed"),
        (3, "a kind that is a number", #""intent""#, "3", "malformed"),
        (0, "a clock that is wrong in words", #""bound":12"#, #""bound":12,"wrong":"no""#, "malformed"),
        (0, "a clock that is wrong by a number", #""bound":12"#, #""bound":12,"wrong":10000"#, "malformed"),
        (7, "no connection", #""conn":"c-1","#, "", "malformed"),
        (7, "no reading", #""sent":500000,"#, "", "malformed"),
        (7, "version 2 in a ping", #""v":1"#, #""v":2"#, "unknownVersion"),
        (7, "a key twice, the last one wrong", #""sent":500000"#, #""sent":500000,"sent":-1"#, "outOfBounds"),
        (8, "no boot", #""bootId":"b-1","#, "", "malformed"),
        (8, "no wall clock", #""wall":1800000000123,"#, "", "malformed"),
        (8, "no word of the clock", #","clock":{"synced":true,"bound":12,"wrong":false}"#, "", "malformed"),
        (8, "a clock that is not known to be synchronised", #""synced":true,"#, "", "malformed"),
        (8, "a clock that is wrong in words", #""wrong":false"#, #""wrong":"no""#, "malformed"),
        (9, "a title that is a number", #""Writing""#, "7", "malformed"),
        (9, "a label in an object", #""Work""#, #"{"name":"Work"}"#, "malformed"),
        (8, "a wall clock from after 2200", "1800000000123", "7258118400001", "outOfBounds"),
    ]

    /// The valid payloads with each field replaced by invalid texts.
    static var replaced: [MutatedPayload] {
        var all: [MutatedPayload] = []
        func add(to index: Int, _ old: String, _ values: [(name: String, new: String, expected: String?)]) {
            let (suffix, valid) = valid[index]
            let bytes = Array(valid.utf8)
            let length = old.utf8.count
            for place in places(of: Array(old.utf8), in: bytes) {
                for value in values {
                    let payload = Array(bytes[..<place]) + Array(value.new.utf8) + Array(bytes[(place + length)...])
                    all.append(
                        MutatedPayload(
                            name: value.name, topicSuffix: suffix, payload: payload, expected: value.expected))
                }
            }
        }
        for patch in patches { add(to: patch.payload, patch.old, [(patch.name, patch.new, patch.expected)]) }
        for field in fields {
            guard let colon = field.text.firstIndex(of: ":") else { continue }
            let values = unexpectedValues(for: field.kind).map { value, expected in
                ("\(field.text) as \(value)", String(field.text[...colon]) + value, expected)
            }
            add(to: field.payload, field.text, values)
        }
        return all
    }

    private static func phases(_ count: Int) -> String { list(#"{"kind":"rest","seconds":1}"#, count) }

    private static func list(_ item: String, _ count: Int) -> String {
        [String](repeating: item, count: count).joined(separator: ",")
    }

    private static func places(of part: [UInt8], in text: [UInt8]) -> [Int] {
        let places = text.indices.filter { text[$0] == part[0] && text[$0...].starts(with: part) }
        precondition(!places.isEmpty, "a mutation does not find its field")
        return places
    }
}
