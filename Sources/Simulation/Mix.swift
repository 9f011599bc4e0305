// SPDX-License-Identifier: Apache-2.0

/// What a world is like: its size, its network, its broker. Every number is a whole one, so that a trace can say it.
public struct Mix: Hashable, Sendable {
    /// Engines.
    public var nodes = 3
    /// The shortest way of a frame between a client and the broker, in microseconds.
    public var latency = 1_000
    /// What is added to it at most, in microseconds.
    public var jitter = 1_000
    /// Of a thousand packets to a client, how many come twice.
    public var duplicates = 0
    /// Of a thousand packets to a client, how many are lost although the connection holds.
    public var drops = 0
    /// Of a thousand packets to a client, how many are held back while others overtake them.
    public var reorders = 0
    /// How long such a packet is held back at most, in milliseconds.
    public var reorderBy = 0
    /// Whether the broker keeps retained messages from wildcard subscriptions (RabbitMQ).
    public var noRetained = 0
    /// 1, or 2 for a broker of two halves with a bridge between them.
    public var halves = 1
    /// Packets on their way to one client at most before the broker drops further ones; 0 for any number.
    public var inflight = 0
    /// How late a timer fires at most, in milliseconds.
    public var wakeLate = 0
    /// How far a wall clock is wrong at most, in milliseconds.
    public var skew = 0
    /// What the kernels say of the wall clocks: 0 the truth, 1 that none is synchronised, 2 that all are.
    public var sync = 0
    /// How much a quartz runs fast or slow at most, in millionths.
    public var drift = 0
    /// Whether nodes speak older and newer minor versions of the protocol.
    public var dialects = 0
    /// How long everything may fail, in milliseconds.
    public var trouble = 60_000
    /// Set in a world whose end must be reported as a violation: the canary.
    public var canary = 0

    /// A world without faults.
    public init() {}

    private static let fields: [(name: String, path: any WritableKeyPath<Mix, Int> & Sendable)] = [
        ("nodes", \.nodes), ("latency", \.latency), ("jitter", \.jitter), ("duplicates", \.duplicates),
        ("drops", \.drops), ("reorders", \.reorders), ("reorderBy", \.reorderBy), ("noRetained", \.noRetained),
        ("halves", \.halves), ("inflight", \.inflight), ("wakeLate", \.wakeLate), ("skew", \.skew), ("sync", \.sync),
        ("drift", \.drift), ("dialects", \.dialects), ("trouble", \.trouble), ("canary", \.canary),
    ]

    /// The numbers that differ from a world without faults, as they stand in a trace.
    var text: String {
        let plain = Mix()
        return Self.fields.filter { self[keyPath: $0.path] != plain[keyPath: $0.path] }
            .map { "\($0.name)=\(self[keyPath: $0.path])" }.joined(separator: " ")
    }

    /// Sets a number by its name.
    /// - Returns: Whether there is one of that name.
    mutating func set(_ name: Substring, to value: Int) -> Bool {
        guard let field = Self.fields.first(where: { $0.name == name }) else { return false }
        self[keyPath: field.path] = value
        return true
    }

    /// Draws a world. About half of the faults are off in each.
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
