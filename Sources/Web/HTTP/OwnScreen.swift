// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whether this machine's own screen shows the node's page: whether a page with the parameter `screen` has its stream open.
///
/// Such a page opens the stream when the browser has drawn its first frames.
public final class OwnScreen: Sendable {
    private let pages = Atomic(0)

    /// A screen that shows no page.
    public init() {}

    var isShown: Bool { pages.load(ordering: .relaxed) > 0 }

    func begin() { pages.add(1, ordering: .relaxed) }
    func end() { pages.subtract(1, ordering: .relaxed) }
}
