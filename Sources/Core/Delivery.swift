// SPDX-License-Identifier: Apache-2.0

import Session

/// The messages that the broker has not confirmed yet, and the answers that wait to be sent.
///
/// An answer that was lost, or that was decided without a connection, waits for 30 s at most (``Limits/intentLife``).
/// Then the intent has expired, and no program waits for its answer. Nothing else waits. The engine publishes register
/// and presence again on each connection, and repeats objections to what is still wrong.
struct Delivery: Sendable {
    /// The time after which a lost answer is sent again on its connection. The asker repeats its intent at the same
    /// interval. Shorter sends more than is asked for; longer makes it ask twice.
    private static let resendInterval: Milliseconds = .seconds(1)

    /// A message whose outcome matters.
    enum Content: Sendable {
        case register(bytes: Int)
        case answer(WaitingAnswer)
        case presence(isSleeping: Bool)
    }

    /// An answer that waits until the broker has confirmed the register that it states.
    struct WaitingAnswer: Sendable {
        var answer: Answer
        private var decidedAt: BootTime
        /// The register that the broker must confirm first; 0 for none.
        fileprivate var requiredRegister: NodeCore.MessageNumber = 0

        init(_ answer: Answer, decidedAt boot: BootTime) { (self.answer, decidedAt) = (answer, boot) }

        /// The time until which the asker can use the answer.
        fileprivate var until: BootTime { decidedAt + Limits.intentLife }

        /// Whether it tells the asker the same as another answer.
        fileprivate func says(_ other: Answer) -> Bool {
            let isEffect = [answer.outcome, other.outcome].allSatisfy { [.applied, .duplicate].contains($0) }
            return answer.intent == other.intent && answer.session == other.session
                && (answer.outcome == other.outcome || isEffect)
        }
    }

    private var lastNumber = 0
    private var underWay: [NodeCore.MessageNumber: Content] = [:]
    private var waiting: [WaitingAnswer] = []
    /// The answers that were dropped because too many waited.
    private(set) var dropped = 0
    /// When the first of the waiting answers was lost on this connection; `nil` if they wait for the next.
    private var lostAt: BootTime?
    /// The registers that are not confirmed yet, the earliest first.
    private var registers: [NodeCore.MessageNumber] = []
    /// Why the broker has refused the own register; `nil` once it accepts one.
    private(set) var refusal: RegisterRefusal?

    /// When to send waiting answers on this connection; `nil` if they wait for the next.
    var resendAt: BootTime? { lostAt.map { $0 + Self.resendInterval } }

    /// Notes a message as sent, and returns its number.
    mutating func track(_ content: Content) -> NodeCore.MessageNumber {
        lastNumber += 1
        underWay[lastNumber] = content
        if case .register = content { registers.append(lastNumber) }
        return lastNumber
    }

    /// Notes the outcome of a message, and returns the message; `nil` if an earlier connection sent it.
    mutating func confirm(_ number: NodeCore.MessageNumber, _ confirmation: NodeCore.Confirmation, at boot: BootTime)
        -> Content?
    {
        guard let content = underWay.removeValue(forKey: number) else { return nil }
        switch content {
        case .register(let bytes):
            registers.removeAll { $0 == number }
            switch confirmation {
            case .delivered: refusal = nil
            case .refused(let isTooLarge): refusal = isTooLarge ? .tooLarge(bytes: bytes) : .notAllowed
            case .lost: break
            }
        case .answer(let answer):
            if confirmation == .lost {
                add(answer)
                lostAt = lostAt ?? boot
            }
        case .presence: break
        }
        return content
    }

    var hasRegisters: Bool { !registers.isEmpty }

    /// Keeps an answer until the registers before it are confirmed, or for the next connection or barrier. An intent
    /// that is repeated meanwhile gets no second answer, which would displace those to other intents.
    mutating func add(_ answer: WaitingAnswer) {
        if waiting.contains(where: { $0.says(answer.answer) }) { return }
        var answer = answer
        answer.requiredRegister = registers.last ?? 0
        waiting.append(answer)
        guard waiting.count > NodeCore.waitingAnswersLimit else { return }
        dropped += 1
        // One peer that asks too often gets many refusals as busy, which must not displace the answers to others.
        waiting.remove(at: waiting.firstIndex { $0.answer.outcome == .refused(.busy) } ?? 0)
    }

    /// Removes the waiting answers whose registers are confirmed, and returns those that are still of use.
    mutating func removeDue(at boot: BootTime) -> [WaitingAnswer] {
        let earliest = registers.first ?? .max
        let free = waiting.filter { $0.requiredRegister < earliest }
        waiting.removeAll { $0.requiredRegister < earliest }
        lostAt = nil
        return free.filter { $0.until > boot }  // rule: answerLife, else: free
    }

    /// Keeps the answers for the next connection, and returns all lost messages in the order in which they were sent.
    mutating func noteDisconnected() -> [Content] {
        let lost = underWay.sorted { $0.key < $1.key }.map(\.value)
        // rule: answersKept, else: waiting = []
        for index in waiting.indices { waiting[index].requiredRegister = 0 }
        for case .answer(let answer) in lost { add(answer) }  // rule: answersKept
        underWay = [:]
        registers = []
        lostAt = nil
        return lost
    }
}

/// Why the broker refuses the register of a node.
public enum RegisterRefusal: Hashable, Sendable {
    case tooLarge(bytes: Int)
    /// The node's user may not write it, or the broker gave another reason.
    case notAllowed
}

extension NodeCore {
    /// The maximum number of answers that wait for a register or a connection. A program whose answer is dropped asks
    /// again. Fewer cost repetitions; more only take memory.
    package static let waitingAnswersLimit = 256

    /// The answers that were dropped because more waited.
    package var droppedAnswers: Int { delivery.dropped }
}
