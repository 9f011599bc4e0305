// SPDX-License-Identifier: Apache-2.0

/// The properties of a world: its size, network, clocks and broker. All are integers, as a trace states them.
package struct Mix: Hashable, Sendable {
    package var nodes = 3
    /// The shortest delay of a frame between a client and the broker, in microseconds.
    package var latency = 1_000
    /// The largest addition to it, in microseconds.
    package var jitter = 1_000
    /// Packets to a client that arrive twice, in thousandths.
    package var duplicates = 0
    /// Packets to a client that are lost while the connection holds, in thousandths.
    package var drops = 0
    /// Packets to a client that others overtake, in thousandths.
    package var reorders = 0
    /// The longest delay of such a packet, in milliseconds.
    package var reorderBy = 0
    /// 1 if the broker sends no retained messages to wildcard subscriptions (RabbitMQ), 2 if it keeps none.
    package var noRetained = 0
    /// 1, or 2 for a broker of two halves with a bridge between them.
    package var halves = 1
    /// Whether the halves keep retained messages separately, like the members of some clusters.
    package var unshared = 0
    /// Packets in flight to a client before the broker drops further ones; 0 for no limit.
    package var inflight = 0
    /// The largest delay of a timer, in milliseconds.
    package var wakeLate = 0
    /// The largest error of a wall clock, in milliseconds.
    package var skew = 0
    /// The kernels' claims about wall clocks: 0 the truth, 1 none is synchronised, 2 all are.
    package var sync = 0
    /// The largest rate error of a boot clock, in millionths.
    package var drift = 0
    /// Whether nodes use older and newer minor versions of the protocol.
    package var dialects = 0
    /// The length of the first part, in which everything may fail, in milliseconds.
    package var trouble = 60_000
    /// Whether the broker honours no-local (MQTT 5).
    package var noLocal = 0
    /// Whether the last node is a service, which owns no session.
    package var service = 0
    /// Whether the end must be reported as a violation: the canary.
    package var canary = 0

    /// Creates the mix of a world without faults.
    package init() {}

    private static let fields: [(name: String, path: any WritableKeyPath<Mix, Int> & Sendable)] = [
        ("nodes", \.nodes), ("latency", \.latency), ("jitter", \.jitter), ("duplicates", \.duplicates),
        ("drops", \.drops), ("reorders", \.reorders), ("reorderBy", \.reorderBy), ("noRetained", \.noRetained),
        ("halves", \.halves), ("unshared", \.unshared),
        ("inflight", \.inflight), ("wakeLate", \.wakeLate), ("skew", \.skew), ("sync", \.sync),
        ("drift", \.drift), ("dialects", \.dialects), ("trouble", \.trouble), ("noLocal", \.noLocal),
        ("service", \.service), ("canary", \.canary),
    ]

    /// The properties that differ from a world without faults, as a trace states them.
    var text: String {
        let plain = Mix()
        return Self.fields.filter { self[keyPath: $0.path] != plain[keyPath: $0.path] }
            .map { "\($0.name)=\(self[keyPath: $0.path])" }.joined(separator: " ")
    }

    /// Sets a property by its name. Returns whether there is such a property.
    mutating func set(_ name: Substring, to value: Int) -> Bool {
        guard let field = Self.fields.first(where: { $0.name == name }) else { return false }
        self[keyPath: field.path] = value
        return true
    }

    /// Draws a world with about half of the faults.
    init(drawnFrom random: inout RandomStream) {
        nodes = random.draw(2...5)
        latency = random.pick([100, 1_000, 5_000, 40_000])
        jitter = random.pick([0, 500, 5_000, 200_000, 1_500_000])
        if random.chance(400) { duplicates = random.pick([10, 100, 400]) }
        if random.chance(250) { drops = random.pick([5, 50, 200]) }
        if random.chance(350) {
            reorders = random.pick([20, 200, 500])
            reorderBy = random.pick([5, 100, 3_000])
        }
        if random.chance(120) { noRetained = 1 }
        if random.chance(250) { halves = 2 }
        if random.chance(150) { inflight = random.pick([4, 20]) }
        if random.chance(500) { wakeLate = random.pick([1, 20, 400]) }
        if random.chance(700) { skew = random.pick([5, 300, 2_000]) }
        if random.chance(300) {
            skew = random.pick([60_000, 3_600_000, 2_400_000_000_000])
            sync = random.pick([0, 0, 1, 2])
        } else if random.chance(150) {
            sync = 1
        }
        if random.chance(700) { drift = random.pick([10, 100]) }
        if random.chance(300) { dialects = 1 }
        trouble = random.pick([20_000, 60_000, 180_000])
    }
}
