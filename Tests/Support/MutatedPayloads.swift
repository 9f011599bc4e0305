// SPDX-License-Identifier: Apache-2.0

/// An invalid payload and the reason under which a node must count it.
public struct MutatedPayload: Sendable {
    public var name: String
    /// The topic below the sender's own: presence, session, intent, ack, hello, or a ping or pong to ``receiver``.
    public var topicSuffix: String
    public var payload: [UInt8]
    /// The reason under which it must be counted; `nil` if any result but a crash is right.
    public var expected: String?
}

/// Invalid payloads, made from valid ones by many mutations. All are from ``sender``, so they belong on
/// `lockstep/1/<space>/node/fuzz/<topicSuffix>`.
public enum MutatedPayloads {
    public static let sender = "fuzz"

    /// The node that gets its pings and pongs.
    public static let receiver = "desk"

    /// The valid payloads with their topic suffixes. Their strings have no escapes.
    public static let valid: [(topicSuffix: String, payload: String)] = [
        (
            "presence",
            #"{"v":1,"online":true,"conn":"c-1","role":"node","name":"Fuzz","at":1800000000000,"#
                + #""clock":{"synced":true,"bound":12},"software":"fuzz 1"}"#
        ),
        (
            "session",
            #"{"v":1,"id":"s-1","lineage":"s-0","continues":{"node":"desk","epoch":1,"rev":7,"at":1800000000000},"#
                + #""stamp":[1800000000000,0,"fuzz"],"epoch":1,"rev":3,"owner":"fuzz","title":"Reading","icon":"book","#
                + ##""label":{"name":"Study","colour":"#4c8dff"},"mode":"countdown","##
                + #""plan":[{"kind":"focus","seconds":1500},{"kind":"shortBreak","name":"Tea","seconds":300}],"#
                + #""autoAdvance":false,"phase":0,"status":"running","startedAt":1800000000000,"#
                + #""anchor":{"elapsed":61000,"at":1800000090000,"bootId":"b-1","boot":123456},"#
                + #""runs":[[0,1800000000000,1800000061000],[0,1800000090000,null]],"applied":["i-1"],"#
                + #""last":{"intent":"i-1","op":"resume","from":"desk","at":1800000090000},"#
                + #""supersededBy":{"session":"s-2","node":"desk","at":1800000090000}}"#
        ),
        (
            "intent",
            #"{"v":1,"id":"i-1","lineage":"s-1","session":"s-1","phase":0,"op":"extend","args":{"seconds":60},"#
                + #""from":"fuzz","at":1800000000000,"expiresAt":1800000030000}"#
        ),
        (
            "ack",
            #"{"v":1,"kind":"intent","id":"i-1","outcome":"refused","reason":"superseded","session":"s-1","rev":3,"#
                + #""by":{"session":"s-2","node":"desk","at":1800000000000}}"#
        ),
        ("ack", #"{"v":1,"kind":"fork","node":"desk","epoch":1,"rev":3}"#),
        ("ack", #"{"v":1,"kind":"clock","node":"desk","session":"s-1","at":1800000000000}"#),
        ("hello", #"{"v":1}"#),
        ("ping/\(receiver)", #"{"v":1,"conn":"c-1","sent":500000,"at":1800000000000}"#),
        (
            "pong/\(receiver)",
            #"{"v":1,"conn":"c-1","sent":500000,"bootId":"b-1","boot":7000000,"wall":1800000000123,"#
                + #""at":1800000000000,"clock":{"synced":true,"bound":12,"wrong":false}}"#
        ),
        (
            "intent",
            #"{"v":1,"id":"i-2","session":"s-1","op":"correct","from":"fuzz","#
                + ##""args":{"title":"Writing","label":"Work","colour":"#4c8dff"}}"##
        ),
    ]

    /// Every mutation; they are the same in every run.
    public static let all: [MutatedPayload] = everywhere + replaced + bytewise

    /// Payloads that are invalid on every topic.
    private static var everywhere: [MutatedPayload] {
        var all: [MutatedPayload] = []
        for suffix in ["presence", "session", "intent", "ack", "hello", "ping/\(receiver)", "pong/\(receiver)"] {
            func add(_ name: String, _ bytes: [UInt8], _ expected: String) {
                all.append(MutatedPayload(name: name, topicSuffix: suffix, payload: bytes, expected: expected))
            }
            func add(_ name: String, _ text: String, _ expected: String = "malformed") {
                add(name, Array(text.utf8), expected)
            }
            add("white space", " \n")
            add("a word", "hello")
            add("a number", "1")
            add("null", "null")
            add("a string", "\"v\"")
            add("an array", "[1]")
            add("an empty object", "{}")
            add("no version", #"{"id":"x"}"#)
            add("a version in words", #"{"v":"1"}"#)
            add("a fractional version", #"{"v":1.0}"#)
            add("a version with exponent", #"{"v":1e0}"#)
            add("version null", #"{"v":null}"#)
            add("version 0", #"{"v":0}"#, "unknownVersion")
            add("version 2", #"{"v":2}"#, "unknownVersion")
            add("version -1", #"{"v":-1}"#, "unknownVersion")
            add("a huge version", #"{"v":99999999999999999999999}"#, "unknownVersion")
            add(
                "version 2 with strange fields", #"{"id":7,"owner":[],"at":"x","from":{},"conn":1,"v":2}"#,
                "unknownVersion")
            add("version 2, not JSON", #"{"v":2,}"#)
            add("single quotes", "{'v':1}")
            add("a comment", #"{"v":1/* one */}"#)
            add("a bare key", "{v:1}")
            add("two values", #"{"v":1}{"v":1}"#)
            add("a leading zero", #"{"v":01}"#)
            add("a plus sign", #"{"v":+1}"#)
            add("NaN", #"{"v":1,"x":NaN}"#)
            add("Infinity", #"{"v":1,"x":-Infinity}"#)
            add("an unknown word", #"{"v":1,"x":nul}"#)
            add("a lone surrogate", #"{"v":1,"x":"\ud800"}"#)
            add("surrogates in the wrong order", #"{"v":1,"x":"\udc00\ud800"}"#)
            add("half an escape", #"{"v":1,"x":"\u12"}"#)
            add("an unknown escape", #"{"v":1,"x":"\q"}"#)
            add("a raw line feed in a string", "{\"v\":1,\"x\":\"a\nb\"}")
            add("a byte order mark", "\u{FEFF}{\"v\":1}")
            add("not UTF-8", Array(#"{"v":1,"x":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8), "malformed")
            add("an overlong NUL", Array(#"{"v":1,"x":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8), "malformed")
            add(
                "a UTF-8 surrogate", Array(#"{"v":1,"x":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8), "malformed"
            )
            add("only 0xFF", [UInt8](repeating: 0xFF, count: 64), "malformed")
            add("only NUL", [UInt8](repeating: 0, count: 64), "malformed")
            add("nested too deep", #"{"v":1,"x":"# + nestedArrays(600) + "}")
            add("nested and never closed", String(repeating: "[", count: 16_000))
            add("one byte too many", #"{"v":1}"# + String(repeating: " ", count: 16_384 - 6), "tooLarge")
            add("a megabyte", [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20), "tooLarge")
        }
        return all
    }

    /// The valid payloads with each byte changed, and cut off at each byte.
    private static var bytewise: [MutatedPayload] {
        var all: [MutatedPayload] = []
        for (suffix, text) in valid {
            let bytes = Array(text.utf8)
            for end in 1..<bytes.count {
                all.append(
                    MutatedPayload(
                        name: "cut at \(end)", topicSuffix: suffix, payload: Array(bytes[..<end]),
                        expected: "malformed"))
            }
            for index in bytes.indices {
                for mask: UInt8 in [0x01, 0x20, 0x80] {
                    var flipped = bytes
                    flipped[index] ^= mask
                    // A lone byte above 0x7F is never UTF-8.
                    all.append(
                        MutatedPayload(
                            name: "byte \(index) flipped by \(mask)", topicSuffix: suffix, payload: flipped,
                            expected: mask == 0x80 ? "malformed" : nil))
                }
            }
        }
        return all
    }

    static func nestedArrays(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
}
