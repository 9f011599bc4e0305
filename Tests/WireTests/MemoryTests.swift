// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Wire

@Suite("A reader with a memory reads what one without it reads")
struct MemoryTests {
    private func read(_ payload: [UInt8], _ memory: inout WireCodec.Memory) throws -> Decoded {
        try Fixtures.codec("reader")
            .decode(
                topic: "lockstep/1/home/node/desk/session", payload: payload, retained: false, now: 0, memory: &memory)
    }

    private func expectSame(_ payload: [UInt8], _ memory: inout WireCodec.Memory) throws {
        var fresh = WireCodec.Memory()
        let expected = try read(payload, &fresh)
        #expect(try read(payload, &memory) == expected, "\(String(decoding: payload, as: UTF8.self))")
    }

    @Test(arguments: 0..<30)
    func overALifeOfSessions(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 50_000)
        var memory = WireCodec.Memory()
        let desk = try Fixtures.node("desk")
        for _ in 0..<5 {
            var register = random.register(owner: desk)
            for _ in 0..<40 {
                register.rev += 1
                switch random.pick(0...11) {
                case 0...3:
                    register.applied = Array(
                        (register.applied + [try token(random.pick(0...99))]).suffix(Limits.applied))
                case 4: register.applied.removeLast(min(register.applied.count, random.pick(0...3)))
                case 5: register.runs.append(Run(phase: random.pick(0...9), from: 1, to: Int64(random.pick(1...300))))
                case 6: if let last = register.runs.indices.last { register.runs[last].to = nil }
                case 7: register.runs = Array(register.runs.dropFirst(random.pick(0...1)))
                case 8: register.plan[0].seconds = random.pick(1...100)
                case 9: register.title = random.pick(0...1) == 0 ? "Reading" : "Writing"
                case 10: register.startedAt += 1
                default: register.plan = register.plan.shuffled()
                }
                let payload = register.json()
                try expectSame(payload, &memory)
                var broken = payload
                broken[random.pick(0...broken.count - 1)] = UInt8(random.pick(32...126))
                try expectSame(broken, &memory)
                try expectSame(Array(payload.prefix(random.pick(0...payload.count))), &memory)
            }
        }
    }

    /// The writer's: what stays is not written again.
    @Test(arguments: 0..<30)
    func aRegisterWrittenAfterAnother(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 60_000)
        let codec = try Fixtures.codec("desk")
        let desk = try Fixtures.node("desk")
        var (register, other) = (random.register(owner: desk), random.register(owner: desk))
        var earlier: EncodedRegister?
        for _ in 0..<40 {
            register.rev += 1
            switch random.pick(0...9) {
            case 0: register.title += "x"
            case 1: register.startedAt += 1
            case 2: register.plan = register.plan.shuffled()
            case 3: register.autoAdvance.toggle()
            case 4: swap(&register, &other)
            case 5: register.epoch += 1
            case 6: register.rev -= 1
            default: register.anchor.at += 1
            }
            let encoded = codec.encode(register, after: earlier)
            #expect(encoded.register == register)
            #expect(encoded.outgoing == codec.encode(.register(register)))
            earlier = encoded
        }
    }

    /// Whole fields and nothing else are taken as known, wherever the revision stands and whatever surrounds it.
    @Test func headsThatBeginAlike() throws {
        let sample = try Fixtures.register()
        let whole = DocumentTests.text(sample)
        let rev = ",\"rev\":\(sample.rev)"
        let texts = [
            whole, " " + whole, whole + " ",
            whole.replacing(rev, with: " " + rev),
            whole.replacing(rev, with: ",\"title\":\"x\"" + rev),
            whole.replacing(rev, with: ",\"title\":\"y\"" + rev),
            whole.replacing(rev, with: ",\"epoch\":7" + rev),
            whole.replacing(rev, with: ",\"epoch\":77" + rev),
            whole.replacing(rev, with: rev + ",\"title\":\"z\""),
            whole.replacing(rev, with: rev + rev),
            whole.replacing(rev, with: ""),
            whole.replacing(rev, with: "}"),
            whole.replacing("{\"v\":1", with: "{\"rev\":1,\"v\":1"),
            "{", "{\"rev\"", "",
        ]
        #expect(Set(texts).count == texts.count)
        for first in texts {
            for second in texts {
                var memory = WireCodec.Memory()
                for text in [first, second, first] { try expectSame(Array(text.utf8), &memory) }
            }
        }
    }

    /// What is remembered ends inside a number, or before white space, or where the array is another one.
    @Test func arraysThatBeginAlike() throws {
        let texts = [
            "[1,2,3]", "[1,2,3]", "[1,23]", "[1,2]", "[1]", "[1,2,3,4]", "[1, 2,3]", "[1,2 ,3]", "[]", "[ ]", "[1",
            "[1,", "[1,]", "[,1]", "[1,2,", "[1,2,3", "[1,2,34]", "[1,2,3}", "[12]", "[1,2,3,4,5]", "[1,2,3,4,", "x",
            "",
        ]
        for first in texts {
            for second in texts {
                for third in texts {
                    var known = Remembered<[Int]>(value: [])
                    for text in [first, second, third] {
                        #expect(elements(of: text, &known) == elements(of: text), "\(first) \(second) \(third)")
                    }
                }
            }
        }
    }

    private func elements(of text: String, _ known: inout Remembered<[Int]>) -> [Int]? {
        var reader = JSONReader(Array(text.utf8))
        return try? reader.growingArray(like: &known) { (reader) throws(Rejection) in try reader.int() }
    }

    private func elements(of text: String) -> [Int]? {
        var known = Remembered<[Int]>(value: [])
        return elements(of: text, &known)
    }

    private func token(_ number: Int) throws -> IntentID { try Fixtures.token("press-\(number)") }
}
