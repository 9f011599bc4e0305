// SPDX-License-Identifier: Apache-2.0

/// The latest registers of the other nodes. The one with the largest admitted stamp is current.
struct Replicas: Hashable, Sendable {
    private var held: [NodeID: HeldRegister] = [:]
    private(set) var current: HeldRegister?
    /// When the next register that is ahead of group time becomes admissible.
    private(set) var nextWake: BootTime?

    subscript(node: NodeID) -> HeldRegister? { held[node] }

    var registers: some Sequence<Register> { held.values.lazy.map(\.register) }
    /// The registers with their positions, ordered by node.
    var all: [HeldRegister] { held.keys.sorted().compactMap { held[$0] } }

    /// How a received register compares with the one that is held.
    enum Merge {
        /// It is the one that is held.
        case known
        /// It differs from the held register, although its version is not higher: one of the two is an error. The value
        /// is the version that is held.
        case contradicted(Version)
        /// It replaces the one before, and counts.
        case admitted
        /// It replaces the one before, but its stamp is too far from group time.
        case notAdmitted(isNews: Bool)
    }

    /// Holds a register if its version is larger, and returns how it compares with the held one. `measured` is the
    /// owner's boot clock minus this node's, if it was measured.
    mutating func receive(_ register: Register, measured: Milliseconds?, _ context: Context) -> Merge {
        let known = held[register.owner]
        if let known, register.version <= known.version {  // rule: versionOrder
            if register == known.register { return .known }
            return .contradicted(known.version)  // rule: forkObjection, else: .known
        }
        let fresh = HeldRegister(register, after: known, measured: measured, context)
        hold(fresh)
        return fresh.isAdmitted ? .admitted : .notAdmitted(isNews: known?.stamp != register.stamp)
    }

    private mutating func hold(_ register: HeldRegister) {
        held[register.owner] = register
        if nextWake != nil || register.admissibleAt != nil {
            nextWake = held.values.lazy.compactMap(\.admissibleAt).min()
        }
        // Most registers are newer ones of the current session, or of one that has lost: both need no search.
        if current?.owner == register.owner, !register.isAdmitted || !register.isAtLeast(current) {
            current = held.values.lazy.filter(\.isAdmitted).max { $0.stamp < $1.stamp }
        } else if register.isAdmitted, register.isAtLeast(current) {
            current = register
        }
    }

    /// Forgets the register of a node. It must not be the current one.
    mutating func remove(_ node: NodeID) {
        guard held.removeValue(forKey: node)?.admissibleAt != nil else { return }
        nextWake = held.values.lazy.compactMap(\.admissibleAt).min()
    }

    mutating func measure(_ offset: Milliseconds, of node: NodeID, in boot: BootID) {
        guard var register = held[node], register.anchor.bootID == boot, register.measure(offset) else { return }
        hold(register)
    }

    /// Judges all registers, or all but the admitted ones, again after group time has jumped.
    mutating func judgeAgain(keepsAdmitted: Bool, _ context: Context) {
        for held in all {
            var again = held.judgedAgain(context)
            if keepsAdmitted, held.isAdmitted { again.admitAnyway() }
            hold(again)
        }
    }

    /// Admits registers whose stamp is no longer ahead of group time, and returns their stamps.
    mutating func admitDue(_ context: Context) -> [Stamp] {
        var stamps: [Stamp] = []
        for held in all where !held.isAdmitted {
            let again = held.judgedAgain(context)
            hold(again)
            if again.isAdmitted { stamps.append(again.stamp) }
        }
        return stamps
    }
}
