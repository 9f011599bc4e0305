// SPDX-License-Identifier: Apache-2.0

/// All that determines a world: its seed, its mix and what happens to it.
public struct Scenario: Hashable, Sendable {
    /// Determines every small choice: delays, duplicates, lateness.
    public var seed: UInt64
    /// What the world is like.
    public var mix: Mix
    /// What people and faults do, in order.
    public var acts: [Act]

    /// Draws the scenario of a seed.
    public init(seed: UInt64) {
        self.seed = seed
        var random = RandomStream(seed: seed, .mix)
        mix = Mix(drawnFrom: &random)
        var kinds = Act.Kind.base.filter { $0.isPeoples || random.chance(350) }
        if mix.halves == 2 { kinds.append(.bridge) }
        let deck = kinds.flatMap { Array(repeating: $0, count: $0.weight) }
        var pace = random.pick([200, 1_000, 3_000])
        if random.chance(100) {
            // A world of hours: machines sleep through whole phases.
            pace = 60_000
            mix.trouble = 9_000_000
        }
        var at: Int64 = 0
        acts = []
        while acts.count < 150 {
            at += Int64(random.draw(0...(2 * pace)))
            guard at < mix.trouble else { break }
            let kind = random.pick(deck)
            var act = Act(at: at, kind: kind, node: random.draw(0...(mix.nodes - 1)), numbers: [], id: acts.count)
            act.numbers = kind.numbers(&random)
            // Two people who start or press at the same moment are what the order of stamps is there for.
            if kind.isPeoples, random.chance(150) { at -= Int64(random.draw(0...min(Int(at), 40))) }
            acts.append(act)
        }
        addHostility()
        addHoaxes()
        acts.sort { ($0.at, $0.id) < ($1.at, $1.id) }
    }

    /// A peer that lies, in a quarter of the worlds; a broker that loses registers in an eighth.
    private mutating func addHostility() {
        var random = RandomStream(seed: seed, .hostility)
        var kinds: [Act.Kind] = []
        if random.chance(250) {
            let lies = Array(repeating: Act.Kind.lie, count: random.draw(4...30))
            kinds += lies + Array(repeating: .flood, count: random.draw(0...3))
        }
        if random.chance(125) { kinds += Array(repeating: .lose, count: random.draw(1...6)) }
        for kind in kinds {
            let at = Int64(random.draw(0...(mix.trouble - 1)))
            var act = Act(at: at, kind: kind, node: random.draw(0...(mix.nodes - 1)), numbers: [], id: acts.count)
            act.numbers = kind.numbers(&random)
            acts.append(act)
        }
    }

    /// In most worlds with a peer that lies it also lies about its clock, to the ledger, and in floods.
    private mutating func addHoaxes() {
        var random = RandomStream(seed: seed, .hoaxes)
        guard acts.contains(where: { $0.kind == .lie }), random.chance(700) else { return }
        for _ in 0..<random.draw(2...20) {
            let at = Int64(random.draw(0...(mix.trouble - 1)))
            let node = random.draw(0...(mix.nodes - 1))
            let numbers = Act.Kind.hoax.numbers(&random)
            acts.append(Act(at: at, kind: .hoax, node: node, numbers: numbers, id: acts.count))
        }
    }

    init(seed: UInt64, mix: Mix, acts: [Act]) {
        self.seed = seed
        self.mix = mix
        self.acts = acts
    }

    /// The scenario of the canary: nothing is wrong in it but that it must be reported.
    public static let canary: Scenario = {
        var scenario = Scenario(seed: 1)
        scenario.mix = Mix()
        scenario.mix.canary = 1
        return scenario
    }()
}
