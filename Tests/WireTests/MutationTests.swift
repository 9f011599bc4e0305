// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

@testable import Wire

@Suite("Malformed payloads are counted and have no effect", .cpuBound)
struct MutationTests {
    @Test func validPayloadsAreUsed() throws {
        for (suffix, payload) in MutatedPayloads.valid {
            let read = try decode(suffix, Array(payload.utf8))
            guard case .message(_, let sender) = read else {
                Issue.record("\(suffix) \(payload): \(read)")
                continue
            }
            #expect(sender.rawValue == MutatedPayloads.sender)
        }
    }

    @Test func everyMutationHasItsReasonOrIsValid() throws {
        #expect(MutatedPayloads.all.count >= 200)
        for mutation in MutatedPayloads.all {
            let read = try decode(mutation.topicSuffix, mutation.payload)
            if case .message(.register(let register), _) = read {
                #expect(register.invalidField == nil, "\(mutation.name)")
            }
            if let expected = mutation.expected {
                let discard = try #require(Discard(rawValue: expected))
                let sender = try Fixtures.node(MutatedPayloads.sender)
                let start = String(decoding: mutation.payload.prefix(400), as: UTF8.self)
                #expect(
                    read == .discard(discard, from: sender), "\(mutation.topicSuffix), \(mutation.name): \(start)")
            }
        }
    }

    /// Both readers accept the same JSON, except for deliberate refusals.
    @Test func readerAgreesWithFoundation() throws {
        for (index, mutation) in MutatedPayloads.all.enumerated() {
            // Foundation is slow, so only a sample of the bytewise mutations is compared.
            guard mutation.payload.count <= Limits.payloadBytes, mutation.isByHand || index % 5 == 0 else { continue }
            expectAgreement(on: mutation.payload, mutation.name)
        }
    }

    @Test(arguments: 0..<200)
    func randomBytesNeverTrap(seed: Int) throws {
        var random = RandomValues(seed: UInt64(seed) + 50_000)
        let (suffix, text) = random.oneOf(MutatedPayloads.valid)
        var bytes = Array(text.utf8)
        for _ in 0..<random.pick(1...6) {
            let index = random.pick(0...bytes.count - 1)
            switch random.pick(0...2) {
            case 0: bytes[index] = UInt8(random.pick(0...255))
            case 1: bytes.insert(UInt8(random.pick(0...255)), at: index)
            default: bytes.remove(at: index)
            }
        }
        _ = try decode(suffix, bytes)
        expectAgreement(on: bytes, "seed \(seed)")
    }

    private func expectAgreement(on bytes: [UInt8], _ name: String) {
        // Foundation guesses UTF-16 and UTF-32, skips a byte order mark, takes a comma after the last field, and wants
        // a number to fit into a Double.
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.first != 0xEF, !bytes.contains(0), !text.contains(",}"), !text.contains("1E400") else { return }
        let isAccepted = (try? JSONScanner(bytes)) != nil
        #expect(isAccepted == Fixtures.isJSON(bytes), "\(name): \(text.prefix(400))")
    }

    private func decode(_ suffix: String, _ payload: [UInt8]) throws -> Decoded {
        try Fixtures.codec().decode(
            topic: "lockstep/1/home/node/\(MutatedPayloads.sender)/\(suffix)", payload: payload, retained: false,
            now: Fixtures.now)
    }
}

extension MutatedPayload {
    fileprivate var isByHand: Bool { !name.hasPrefix("byte ") && !name.hasPrefix("cut ") }
}
