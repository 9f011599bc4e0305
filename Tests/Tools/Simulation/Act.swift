// SPDX-License-Identifier: Apache-2.0

package import Session

/// An act of a person or a fault, at a time that the scenario sets.
package struct Act: Hashable, Sendable {
    /// The kind of an act. ``parameters`` names its numbers.
    package enum Kind: String, CaseIterable, Sendable {
        /// A person starts a session.
        case start
        /// A person presses a button while looking at a picture that is `sight` presses old.
        case press
        /// A person moves the session here.
        case take
        /// The program that sent the last request disconnects.
        case hangUp
        /// The program dies after some effects; `loss` 1 loses the last writes of the journal, 2 all of it.
        case crash
        /// The machine loses power and boots again; `loss` as for a crash.
        case powerCut
        /// The program is stopped, as by SIGSTOP.
        case pause
        /// The machine sleeps without notice; its boot clock goes on.
        case suspend
        /// The disk is slow (1) or full (2).
        case disk
        /// The network of a node loses everything up (1), down (2) or both ways (3).
        case cut
        /// The present connection carries nothing; a new one would.
        case halfOpen
        /// The broker closes the node's connection, as when another program uses its client id.
        case kick
        /// The wall clock is set.
        case step
        /// The will of an earlier connection of the node arrives late.
        case zombie
        /// The broker saves its retained messages.
        case save
        /// The broker dies and restarts with its last save (0) or with nothing (1).
        case brokerCrash
        /// The bridge between the halves breaks for a while.
        case bridge
        /// A client deletes a retained message of a node: its presence (0) or its session (1).
        case erase
        /// A client publishes an old payload again on its topic; `retain` 1 with the flag.
        case replay
        /// A client publishes a malformed message.
        case garbage
        /// An unknown node (the ghost) publishes a session, by a clock that is ahead.
        case ghost
        /// The liar tells a ``Liar/Lie``; `ahead` is the lead of a stamp.
        case lie
        /// The liar sends an owner many intents at once.
        case flood
        /// The broker loses a node's register while all connections hold.
        case lose
        /// The liar carries out a ``Hoax``; `by` is its error.
        case hoax
        /// The machine announces that it sleeps, then does.
        case sleep
        /// The liar is no member any more: its connection ends, and what the broker keeps of it is deleted.
        case revoke
        /// A script presses many buttons in a row, and each press takes effect.
        case barrage
        /// A node's messages are refused, or its connection ends. By the mode, the broker refuses them (0 refused, 1
        /// too large), or the client has no room for them (2) or gives its connection up (3).
        case refuse
        /// A person ends the alarm.
        case acknowledge
        /// A person shows a text on all screens (0) or takes it back (1).
        case say

        /// The kinds that a seed's first stream draws. Later ones have their own, so that seeds without them stay as
        /// they were.
        static let base = allCases.filter {
            ![.lie, .flood, .lose, .hoax, .sleep, .refuse, .revoke, .barrage, .acknowledge, .say].contains($0)
        }
    }

    /// Since the world began.
    package var at: Milliseconds
    package var kind: Kind
    package var node: Int
    package var numbers: [Int]
    /// The number in the ids of the sessions and intents that the act makes. It stays when a trace is shrunken.
    package var id: Int
}

extension Act.Kind {
    /// The names of an act's numbers, as a trace states them.
    var parameters: [String] {
        switch self {
        case .start: ["plan", "auto", "more"]
        case .press: ["op", "sight"]
        case .crash: ["effects", "loss", "down"]
        case .powerCut: ["loss", "down"]
        case .pause, .suspend, .halfOpen, .bridge, .sleep: ["for"]
        case .disk, .refuse: ["mode", "for"]
        case .cut: ["way", "for"]
        case .step, .ghost: ["by"]
        case .brokerCrash: ["half", "keep", "down"]
        case .erase: ["what"]
        case .replay: ["which", "retain"]
        case .garbage: ["which"]
        case .lie: ["which", "ahead"]
        case .hoax: ["which", "by"]
        case .barrage: ["count"]
        case .say: ["over"]
        case .acknowledge, .take, .hangUp, .kick, .zombie, .save, .flood, .lose, .revoke: []
        }
    }

    /// The weight in the draw, if the kind is in a seed's mix.
    var weight: Int {
        switch self {
        case .press: 30
        case .start: 10
        case .crash, .kick: 5
        case .hangUp, .powerCut, .brokerCrash, .erase: 2
        default: 3
        }
    }

    /// Whether it is one of the two acts of people that are in every mix.
    var isStartOrPress: Bool { self == .start || self == .press }

    /// Draws an act's numbers, in the order of ``parameters``.
    func numbers(_ random: inout RandomStream) -> [Int] {
        switch self {
        case .start: [random.draw(0...(Plans.all.count - 1)), random.draw(0...1), 0]
        case .press: [random.draw(0...7), random.chance(250) ? random.draw(1...8) : 0]
        case .crash: [random.draw(0...6), loss(&random), random.pick([0, 300, 4_000, 40_000])]
        case .powerCut: [loss(&random), random.pick([3_000, 40_000, 2_400_000])]
        case .pause: [random.pick([50, 1_500, 20_000])]
        case .suspend, .sleep: [random.pick([3_000, 60_000, 2_400_000, 7_200_000])]
        case .halfOpen, .bridge: [random.pick([700, 5_000, 30_000])]
        case .disk: [random.draw(1...2), random.pick([500, 5_000, 30_000])]
        case .cut: [random.draw(1...3), random.pick([300, 4_000, 30_000])]
        case .step: [random.pick([-1_500, -200, 3, 200, 1_500])]
        case .ghost: [random.pick([-60_000, 0, 8_000, 12_000, 3_600_000])]
        case .brokerCrash: [random.draw(0...1), random.chance(300) ? 1 : 0, random.pick([200, 5_000])]
        case .erase: [random.draw(0...1)]
        case .replay: [random.draw(0...999), random.chance(300) ? 1 : 0]
        case .garbage: [random.draw(0...(Garbage.count - 1))]
        case .lie:
            [random.draw(0...(Liar.Lie.allCases.count - 1)), random.pick([-60_000, 0, 0, 8_000, 12_000, 3_600_000])]
        case .hoax:
            [
                random.pick(Hoax.base).rawValue,
                random.pick([
                    -3_000, 3_000, -9_000, 9_000, 12_000, -3_600_000, 3_600_000, -Self.year / 2, 5 * Self.year,
                    30 * Self.year,
                ]),
            ]
        case .refuse: [random.draw(0...3), random.pick([500, 5_000, 30_000])]
        case .barrage: [random.pick([10, 30, 60])]
        case .say: [random.draw(0...1)]
        case .acknowledge, .take, .hangUp, .kick, .zombie, .save, .flood, .lose, .revoke: []
        }
    }

    /// A year of 365.25 days, in milliseconds.
    static let year = 31_557_600_000

    private func loss(_ random: inout RandomStream) -> Int {
        random.chance(300) ? random.draw(1...2) : 0
    }
}
