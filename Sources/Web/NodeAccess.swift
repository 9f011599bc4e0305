// SPDX-License-Identifier: Apache-2.0

public import Session
public import Wire

/// What the HTTP API needs of a node.
public protocol NodeAccess: Sendable {
    /// Starts a session here.
    func start(_ start: Start) async -> Reply
    /// Asks something of the current session.
    func press(_ press: Press) async -> Reply
    /// Moves the current session here.
    func take() async -> Reply
    /// The session as it stands now.
    func status() async -> StatusReport
    /// The nodes that were heard of.
    func nodes() async -> NodesReport
    /// The view and every later one.
    func views() async -> AsyncStream<View>
    /// The plan of a preset, or the names that there are.
    func preset(_ name: String) async -> PresetLookup
}

/// What came of looking for a preset.
public enum PresetLookup: Sendable {
    /// Its plan.
    case found([Phase])
    /// There is none of that name; these there are.
    case unknown(names: [String])
}
