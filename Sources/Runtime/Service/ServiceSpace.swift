// SPDX-License-Identifier: Apache-2.0

package import Core

/// A service's part for one space.
package protocol ServiceSpace: AnyObject {
    var core: ServiceCore { get }

    /// Handles `restored` before any other event, then `connected` and `disconnected`.
    func handle(_ event: NodeCore.Event)
}
