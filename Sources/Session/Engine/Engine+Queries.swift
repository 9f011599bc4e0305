// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// The latest register of a node, this one included, as far as it is known here.
    public func register(of subject: NodeID) -> Register? {
        isSelf(subject) ? journal.own : registers[subject]?.register
    }
}
