// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Wire

/// An object with a field of every kind.
private struct Sample: Equatable, Described {
    struct Part: Equatable, Described {
        var from = 0
        var to: Int?

        static let objectName = "part"
        static let blank = Part()

        mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
            try coder.field("from", &from, .percent)
            try coder.field("to", optional: &to, .percent)
        }
    }

    struct Group: Equatable, Described {
        var size = 0
        var colour: String?

        static let objectName = "group"
        static let blank = Group()

        mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
            try coder.field("size", &size, .percent)
            try coder.field("weight", &size, .percent)
            try coder.field("colour", optional: &colour, .text(8))
        }
    }

    var need = 0
    var maybe: Int?
    var plain = 7
    var implied = 0
    var parts: [Part] = []
    var group: Group?

    static let objectName = "sample"
    static let blank = Sample()
    var contradiction: String? { need == maybe ? "maybe" : nil }

    mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("need", &need, .percent)
        try coder.field("maybe", optional: &maybe, .percent)
        try coder.field("plain", &plain, .percent, unless: 7)
        try coder.field("implied", &implied, .percent, absent: need + 1)
        try coder.field("parts", &parts, .list(of: .array(), 0...2), absent: [])
        try coder.fields(of: &group, decidedBy: "size")
        try coder.field("double", written: need == 0 ? nil : 2 * need, .whole())
    }
}

@Suite("A payload is read and written as its fields describe it", .timeLimit(.minutes(15)))
struct FieldTests {
    private func read(_ fields: String) throws -> Sample {
        try Sample(payload: Array(#"{"v":1\#(fields)}"#.utf8))
    }

    private func text(_ sample: Sample) -> String { String(decoding: sample.payload, as: UTF8.self) }

    @Test func fieldsAreWrittenInTheirOrder() {
        var sample = Sample(need: 3, maybe: 4, plain: 5, implied: 6, parts: [.init(from: 1), .init(from: 1, to: 2)])
        #expect(
            text(sample)
                == #"{"v":1,"need":3,"maybe":4,"plain":5,"implied":6,"parts":[[1,null],[1,2]],"double":6}"#)
        sample.group = Sample.Group(size: 9, colour: "red")
        #expect(text(sample).contains(#""size":9,"weight":9,"colour":"red","double""#))
        #expect(text(Sample()) == #"{"v":1,"need":0,"implied":0,"parts":[]}"#)
    }

    @Test func writtenPayloadIsReadBack() throws {
        for sample in [
            Sample(), Sample(need: 3, maybe: 4, plain: 5, implied: 6, parts: [.init(from: 1, to: 2)]),
            Sample(need: 1, group: Sample.Group(size: 2, colour: "red")),
        ] {
            #expect(try Sample(payload: sample.payload) == sample)
        }
    }

    @Test func anyOrderAndUnknownFieldsAreAccepted() throws {
        #expect(try read(#","x":[{}],"maybe":9,"double":"any","need":8"#) == Sample(need: 8, maybe: 9, implied: 9))
    }

    @Test func nullAndAbsenceMeanTheSame() throws {
        let absent = try read(#","need":8"#)
        #expect(absent == Sample(need: 8, implied: 9))
        let nulls = #","need":8,"maybe":null,"plain":null,"implied":null,"parts":null,"size":null,"colour":null"#
        #expect(try read(nulls) == absent)
    }

    @Test func lastValueOfARepeatedKeyCounts() throws {
        #expect(try read(#","need":1,"maybe":5,"need":2,"maybe":null"#) == Sample(need: 2, implied: 3))
        #expect(try read(#","need":1,"size":5,"weight":5,"size":null"#).group == nil)
    }

    @Test func repeatedKeyIsFoundAmongManyFieldsAndWithEscapes() throws {
        let many = (0..<100).map { #","x\#($0)":[{}]"# }.joined()
        #expect(try read(#","need":1\#(many),"need":2"#) == Sample(need: 2, implied: 3))
        #expect(try read(#","n\u0065ed":1,"need":2"#) == Sample(need: 2, implied: 3))
        #expect(try read(#","need":1,"n\u0065ed":2"#) == Sample(need: 2, implied: 3))
        for fields in [#","need":"1"\#(many),"need":2"#, #","n\u0065ed":"1","need":2"#] {
            let error = try #require(throws: PayloadError.self) { try read(fields) }
            #expect(error.description == "malformed: need: must be a whole number from 0 to 100")
        }
    }

    @Test func firstFieldDecidesOnAnOptionalGroup() throws {
        #expect(try read(#","need":1,"colour":"red","weight":4"#).group == nil)
        #expect(throws: PayloadError.self) { try read(#","need":1,"size":4"#) }
        #expect(
            try read(#","need":1,"colour":"red","size":4,"weight":3"#).group == Sample.Group(size: 3, colour: "red"))
    }

    @Test(arguments: [
        ("", Discard.malformed, "need"), (#","need":null"#, .malformed, "need"), (#","need":"1""#, .malformed, "need"),
        (#","need":101"#, .outOfBounds, "need"), (#","need":-1"#, .outOfBounds, "need"),
        (#","need":1,"maybe":true"#, .malformed, "maybe"), (#","need":1,"plain":101"#, .outOfBounds, "plain"),
        (#","need":1,"parts":[[1]]"#, .malformed, "parts.0"), (#","need":1,"parts":[[1,2,3]]"#, .malformed, "parts.0"),
        (#","need":1,"parts":[[1,101]]"#, .outOfBounds, "parts.0.to"),
        (#","need":1,"parts":[[1,2],[1,2],[1,2]]"#, .outOfBounds, "parts"),
        (#","need":1,"size":1"#, .malformed, "weight"), (#","v":2"#, .unknownVersion, ""),
    ])
    func errorsNameTheField(fields: String, reason: Discard, path: String) throws {
        let error = try #require(throws: PayloadError.self) { try read(fields) }
        #expect(error.reason == reason)
        #expect(error.path == path, "\(error)")
    }

    @Test func errorsNameTheAcceptedValues() throws {
        let large = try #require(throws: PayloadError.self) { try read(#","need":101"#) }
        #expect(large.description == "outOfBounds: need: must be a whole number from 0 to 100")
        let missing = try #require(throws: PayloadError.self) { try read("") }
        #expect(missing.description == "malformed: need: is missing")
        let unfit = try #require(throws: PayloadError.self) { try read(#","need":1,"maybe":1"#) }
        #expect(unfit.description == "outOfBounds: maybe does not fit the other fields")
    }

    @Test func tablesOfInnerObjectsAreListed() {
        #expect(Sample.tables.map(\.name) == ["sample", "part"])
        #expect(
            Sample.tables[0].rows.map { "\($0.key) \($0.type)\($0.need.text)" } == [
                "need 0 to 100", "maybe 0 to 100, optional", "plain 0 to 100, optional", "implied 0 to 100, optional",
                "parts at most 2 of `[from, to]`, optional", "size 0 to 100, optional", "weight 0 to 100",
                "colour text(8), optional", "double whole number, not read",
            ])
    }
}
