// SPDX-License-Identifier: Apache-2.0

package import Session

/// A selection of the sessions and phases that count towards the week.
package struct Counting: Hashable, Sendable {
    package var kinds: Set<PhaseKind>
    /// The names of the labels that count, `""` for the default label; `nil` for all.
    package var labels: Set<String>?
    /// The minimum running time of an ended session that counts; 0 for none.
    package var minimum: Milliseconds

    /// Creates a selection; by default focus, work and phase of any label, and sessions of a minute or more.
    package init(
        kinds: Set<PhaseKind> = [.focus, .work, .phase], labels: Set<String>? = nil, minimum: Milliseconds = 60_000
    ) {
        self.kinds = kinds
        self.labels = labels
        self.minimum = minimum
    }

    func includes(_ label: Label?) -> Bool { labels?.contains(CleanText.trimmed(label?.name ?? "")) ?? true }
}
