// SPDX-License-Identifier: Apache-2.0

/// What people and faults do to a world, at a time that the scenario sets.
public struct Act: Hashable, Sendable {
    /// The sort of an act. What its three numbers mean stands in ``parameters``.
    public enum Kind: String, CaseIterable, Sendable {
        /// A person starts a session.
        case start
        /// A person presses a button; `sight` is how old the picture is that they look at, in presses.
        case press
        /// A person moves the session here.
        case take
        /// The program that asked last goes away.
        case hangUp
        /// The program dies after some more effects; `loss` 1 loses the journal's last writes, 2 the whole journal.
        case crash
        /// The machine loses its power and is booted again; `loss` as for a crash.
        case powerCut
        /// The program stands still, as after SIGSTOP.
        case pause
        /// The machine sleeps; its boot clock goes on.
        case suspend
        /// The disk is slow (1) or full (2).
        case disk
        /// The network of a node carries nothing up (1), down (2) or either way (3).
        case cut
        /// The present connection goes dead without a word; others are fine.
        case halfOpen
        /// The broker closes the node's connection, as when another program comes with its client id.
        case kick
        /// The wall clock is set.
        case step
        /// The will of an earlier connection of the node comes late.
        case zombie
        /// The broker writes down what it has retained.
        case save
        /// The broker dies; it comes back with what it wrote down last (0) or with nothing (1).
        case brokerCrash
        /// The bridge between the halves breaks for a while.
        case bridge
        /// Somebody deletes what the broker keeps of a node: its presence (0) or its session (1).
        case erase
        /// Somebody publishes an old payload again, on its topic; `retain` 1 with the flag.
        case replay
        /// Somebody publishes what no program should.
        case garbage
        /// A node that nobody knows says that it has started a session, by a clock that is ahead.
        case ghost
        /// The peer that lies says something; `which` is one of ``Liar/lies``, `ahead` the lead of a stamp.
        case lie
        /// The peer that lies sends an owner many intents at once.
        case flood
        /// The broker loses a node's register although all connections hold.
        case lose
        /// The peer that lies says what a ``Hoax`` is, by so many milliseconds.
        case hoax

        /// What the first streams of a seed draw from. Later kinds are drawn from a stream of their own, so that seeds
        /// without them stay as they were.
        static let base = allCases.filter { ![.lie, .flood, .lose, .hoax].contains($0) }
    }

    /// When, in milliseconds since the world began.
    public var at: Int64
    /// What.
    public var kind: Kind
    /// To which node, as an index.
    public var node: Int
    /// Up to three numbers.
    public var numbers: [Int]
    /// Names sessions and intents that the act makes; the same after other acts were taken out of a trace.
    public var id: Int
}

extension Act.Kind {
    /// The names of an act's numbers.
    var parameters: [String] {
        switch self {
        case .start: ["plan", "auto"]
        case .press: ["op", "sight"]
        case .crash: ["effects", "loss", "down"]
        case .powerCut: ["loss", "down"]
        case .pause, .suspend, .halfOpen, .bridge: ["for"]
        case .disk: ["mode", "for"]
        case .cut: ["way", "for"]
        case .step, .ghost: ["by"]
        case .brokerCrash: ["half", "keep", "down"]
        case .erase: ["what"]
        case .replay: ["which", "retain"]
        case .garbage: ["which"]
        case .lie: ["which", "ahead"]
        case .hoax: ["which", "by"]
        case .take, .hangUp, .kick, .zombie, .save, .flood, .lose: []
        }
    }

    /// How often it is drawn when it is part of a seed's mix.
    var weight: Int {
        switch self {
        case .press: 30
        case .start: 10
        case .crash, .kick: 5
        case .hangUp, .powerCut, .brokerCrash, .erase: 2
        default: 3
        }
    }

    /// Whether it is people's doing, and so part of every mix.
    var isPeoples: Bool { self == .start || self == .press }

    /// Draws the numbers.
    func numbers(_ random: inout RandomStream) -> [Int] {
        switch self {
        case .start: [random.draw(0...(Plans.all.count - 1)), random.draw(0...1)]
        case .press: [random.draw(0...6), random.chance(250) ? random.draw(1...8) : 0]
        case .crash: [random.draw(0...6), loss(&random), random.pick([0, 300, 4_000, 40_000])]
        case .powerCut: [loss(&random), random.pick([3_000, 40_000, 2_400_000])]
        case .pause: [random.pick([50, 1_500, 20_000])]
        case .suspend: [random.pick([3_000, 60_000, 2_400_000, 7_200_000])]
        case .halfOpen, .bridge: [random.pick([700, 5_000, 30_000])]
        case .disk: [random.draw(1...2), random.pick([500, 5_000, 30_000])]
        case .cut: [random.draw(1...3), random.pick([300, 4_000, 30_000])]
        case .step: [random.pick([-1_500, -200, 3, 200, 1_500])]
        case .ghost: [random.pick([-60_000, 0, 8_000, 12_000, 3_600_000])]
        case .brokerCrash: [random.draw(0...1), random.chance(300) ? 1 : 0, random.pick([200, 5_000])]
        case .erase: [random.draw(0...1)]
        case .replay: [random.draw(0...999), random.chance(300) ? 1 : 0]
        case .garbage: [random.draw(0...(Garbage.count - 1))]
        case .lie: [random.draw(0...(Liar.lies - 1)), random.pick([-60_000, 0, 0, 8_000, 12_000, 3_600_000])]
        case .hoax:
            [
                random.draw(0...(Hoax.allCases.count - 1)),
                random.pick([
                    -3_000, 3_000, -9_000, 9_000, 12_000, -3_600_000, 3_600_000, -year / 2, 5 * year, 30 * year,
                ]),
            ]
        case .take, .hangUp, .kick, .zombie, .save, .flood, .lose: []
        }
    }

    private var year: Int { 31_557_600_000 }

    private func loss(_ random: inout RandomStream) -> Int {
        random.chance(300) ? random.draw(1...2) : 0
    }
}
