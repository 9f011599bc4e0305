// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A record of whether this machine's own screen shows the node's page.
///
/// A page with the parameter `screen` opens its stream when the browser has drawn its first frames. It counts as shown
/// until the stream ends.
package final class OwnScreen: Sendable {
    private let pages = Atomic(0)

    package init() {}

    var isShown: Bool { pages.load(ordering: .relaxed) > 0 }

    func begin() { pages.add(1, ordering: .relaxed) }
    func end() { pages.subtract(1, ordering: .relaxed) }
}
