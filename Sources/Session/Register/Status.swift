// SPDX-License-Identifier: Apache-2.0

/// The state of a session.
public enum Status: String, CaseIterable, Codable, Sendable {
    /// Time passes.
    case running
    /// A person has frozen the time.
    case paused
    /// A phase has ended; the next one, which `phase` names, waits for a person.
    case ready
    /// The plan has ended.
    case completed
    /// A person has ended it.
    case stopped
    /// A later start has ended it.
    case superseded

    public var isLive: Bool {
        switch self {
        case .running, .paused, .ready: true
        case .completed, .stopped, .superseded: false
        }
    }
}
