// SPDX-License-Identifier: Apache-2.0

package import API
import Platform
import Session

/// The views of a node that may come and go.
package enum ReconnectingViews {
    /// Passes views on until the task is cancelled. While there is no node, the last view counts on, marked as not
    /// connected.
    package static func follow(
        retry: Duration = .seconds(1), show: @escaping (NodeView) -> Void,
        reach: (_ receive: (NodeView) -> Void) async throws -> Void
    ) async {
        var last = NodeView(View())
        while !Task.isCancelled {
            try? await reach { view in
                last = view
                show(view)
            }
            last = last.withoutContact(at: BootTime(SystemClock.bootMilliseconds()))
            show(last)
            try? await Task.sleep(for: retry)
        }
    }
}

extension NodeView {
    /// Returns the view without a connection to its node.
    /// - Parameter boot: The present, which becomes the instant of the loss unless contact was lost before.
    func withoutContact(at boot: BootTime) -> NodeView {
        var shown = self
        shown.view.isLinked = false
        shown.worksAlone = false
        shown.view.contactLostAt = shown.view.contactLostAt ?? boot
        return shown
    }
}
