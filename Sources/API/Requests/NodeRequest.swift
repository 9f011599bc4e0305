// SPDX-License-Identifier: Apache-2.0

package import Session

/// A request of a person to a node, whichever node owns the session.
package enum NodeRequest: Sendable {
    case start(Start)
    /// Presses with the same id take effect once.
    case press(Press, id: IntentID? = nil)
    /// Moves the session to the node.
    case take
    /// Ends the alarm on every device.
    case acknowledge
    /// Shows a text on all screens for a time; an empty text removes the present one.
    case say(String, for: Milliseconds)
}
