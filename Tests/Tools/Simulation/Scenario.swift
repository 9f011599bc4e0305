// SPDX-License-Identifier: Apache-2.0

import Session

/// All that determines a world: its seed, its mix and its acts.
package struct Scenario: Hashable, Sendable {
    /// The seed of all small choices: delays, duplicates, lateness.
    package var seed: UInt64
    /// The properties of the world.
    package var mix: Mix
    package var acts: [Act]
}

extension Scenario {
    /// Draws the scenario of a seed.
    package init(seed: UInt64) {
        self.seed = seed
        var random = RandomStream(seed: seed, .mix)
        mix = Mix(drawnFrom: &random)
        var kinds = Act.Kind.base.filter { $0.isStartOrPress || random.chance(350) }
        if mix.halves == 2 { kinds.append(.bridge) }
        let deck = kinds.flatMap { Array(repeating: $0, count: $0.weight) }
        var pace = random.pick([200, 1_000, 3_000])
        if random.chance(100) {
            // A world of hours, in which machines sleep through whole phases.
            pace = 60_000
            mix.trouble = 9_000_000
        }
        var at = 0
        acts = []
        while acts.count < 150 {
            at += random.draw(0...(2 * pace))
            guard at < mix.trouble else { break }
            let kind = random.pick(deck)
            var act = Act(
                at: Milliseconds(at), kind: kind, node: random.draw(0...(mix.nodes - 1)), numbers: [], id: acts.count)
            act.numbers = kind.numbers(&random)
            // Two people who act at the same moment test the order of stamps.
            if kind.isStartOrPress, random.chance(150) { at -= random.draw(0...min(at, 40)) }
            acts.append(act)
        }
        addHostility()
        addHoaxes()
        addForeignEffects()
        addShells()
        addMembers()
        addBarrages()
        addNotices()
        var choices = RandomStream(seed: seed, .protocols)
        if choices.chance(600) { mix.noLocal = 1 }
        acts.sort { ($0.at, $0.id) < ($1.at, $1.id) }
    }

    /// Adds the liar to a quarter of the worlds, and a broker that loses registers to an eighth.
    private mutating func addHostility() {
        var random = RandomStream(seed: seed, .hostility)
        var kinds: [Act.Kind] = []
        if random.chance(250) {
            let lies = Array(repeating: Act.Kind.lie, count: random.draw(4...30))
            kinds += lies + Array(repeating: .flood, count: random.draw(0...3))
        }
        if random.chance(125) { kinds += Array(repeating: .lose, count: random.draw(1...6)) }
        for kind in kinds { add(kind, &random) }
    }

    private func anyTime(_ random: inout RandomStream) -> Milliseconds {
        Milliseconds(random.draw(0...(mix.trouble - 1)))
    }

    /// Adds an act at any time and node.
    private mutating func add(_ kind: Act.Kind, _ random: inout RandomStream) {
        let at = anyTime(&random)
        let node = random.draw(0...(mix.nodes - 1))
        add(kind, at: at, node: node, kind.numbers(&random))
    }

    private mutating func add(_ kind: Act.Kind, at: Milliseconds, node: Int = 0, _ numbers: [Int]) {
        acts.append(Act(at: at, kind: kind, node: node, numbers: numbers, id: acts.count))
    }

    /// Adds hoaxes to most worlds with the liar.
    private mutating func addHoaxes() {
        var random = RandomStream(seed: seed, .hoaxes)
        guard acts.contains(where: { $0.kind == .lie }), random.chance(700) else { return }
        for _ in 0..<random.draw(2...20) { add(.hoax, &random) }
    }

    /// Adds effects in other sessions to some worlds with the liar.
    private mutating func addForeignEffects() {
        var random = RandomStream(seed: seed, .effects)
        guard acts.contains(where: { $0.kind == .lie }), random.chance(250) else { return }
        for _ in 0..<random.draw(1...8) { add(.hoax, at: anyTime(&random), [Hoax.foreignEffect.rawValue, 0]) }
    }

    /// Adds rare events of a node's shell to a fifth of the worlds, and a service to a fifth of those with three nodes
    /// or more.
    private mutating func addShells() {
        var random = RandomStream(seed: seed, .shells)
        if mix.nodes > 2, random.chance(200) { mix.service = 1 }
        guard random.chance(200) else { return }
        for _ in 0..<random.draw(1...8) { add(random.pick([.sleep, .refuse]), &random) }
    }

    /// Lets the halves keep retained messages separately in some worlds, and ends the liar's membership in some.
    private mutating func addMembers() {
        var random = RandomStream(seed: seed, .members)
        if mix.halves == 2, random.chance(300) { mix.unshared = 1 }
        if mix.noRetained == 1, random.chance(300) { mix.noRetained = 2 }
        if mix.unshared != 0 { addParting(&random) }
        guard acts.contains(where: { $0.kind == .lie }), random.chance(400) else { return }
        let at = random.draw(1...(mix.trouble - 1))
        if random.chance(400) {
            // No kernel vouches, and the liar's clock is ahead by years.
            mix.sync = Clock.Sync.never.rawValue
            let numbers = [Hoax.unvouchedClock.rawValue, 18 * Act.Kind.year]
            add(.hoax, at: Milliseconds(at / 2), numbers)
        }
        add(.revoke, at: Milliseconds(at), [])
    }

    /// Lets people act on both sides just before the halves meet again.
    private mutating func addParting(_ random: inout RandomStream) {
        let kinds = [Act.Kind.bridge] + (0..<random.draw(0...3)).map { _ in random.pick([.press, .press, .start]) }
        for (place, kind) in kinds.enumerated() {
            let at = Milliseconds(mix.trouble - 4_000 + 800 * place)
            var numbers = kind.numbers(&random)
            if kind == .bridge { numbers[0] = 20_000 }
            add(kind, at: at, node: random.draw(0...(mix.nodes - 1)), numbers)
        }
    }

    /// Adds presses in quick succession to some worlds, so that the lists of applied intents are full.
    private mutating func addBarrages() {
        var random = RandomStream(seed: seed, .barrages)
        guard random.chance(150) else { return }
        let first = random.draw(0...(mix.trouble - 1))
        // One barrage of each node: an owner accepts 100 intents of a peer in a row, and remembers 700 of its effects.
        for node in 0..<mix.nodes {
            let at = Milliseconds(min(first + random.draw(0...4_000), mix.trouble - 1))
            add(.barrage, at: at, node: node, Act.Kind.barrage.numbers(&random))
        }
    }

    /// Gives starts of some worlds an alarm and overtime, takes time away, and lets people speak to all screens.
    private mutating func addNotices() {
        var random = RandomStream(seed: seed, .notices)
        guard random.chance(400) else { return }
        for index in acts.indices where acts[index].kind == .start { acts[index].numbers[2] = random.draw(0...3) }
        let shorter = acts.indices.filter { acts[$0].kind == .press && random.chance(100) }
        for index in shorter { acts[index].numbers[0] = random.draw(8...9) }
        for _ in 0..<random.draw(4...20) { add(random.pick([.acknowledge, .acknowledge, .say]), &random) }
    }

    /// The scenario of the canary: a mix without faults, whose end must be reported as a violation.
    package static let canary: Scenario = {
        var scenario = Scenario(seed: 1)
        scenario.mix = Mix()
        scenario.mix.canary = 1
        return scenario
    }()
}
