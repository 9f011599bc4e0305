// SPDX-License-Identifier: Apache-2.0

import Session

/// State and progress as one character that takes one column and stands in almost every font.
enum StatusSign {
    static let idle = "◌"
    static let paused = "‖"
    static let ready = "▷"
    static let completed = "✓"
    static let superseded = "⇢"
    static let countUp = "↑"
    /// Follows the sign of a session whose owner has not been heard for a while.
    static let stale = "!"
    private static let quarters = ["○", "◔", "◑", "◕", "●"]

    static func sign(of screen: Screen) -> String {
        let sign =
            switch screen.status {
            case .running: screen.progress.map(quarter) ?? countUp
            case .paused: paused
            case .ready: ready
            case .completed: completed
            case .superseded: superseded
            case .stopped, nil: idle
            }
        return screen.isStale ? sign + stale : sign
    }

    private static func quarter(_ progress: Double) -> String {
        quarters[Int((min(max(progress, 0), 1) * 4).rounded())]
    }
}
