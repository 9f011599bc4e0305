// SPDX-License-Identifier: Apache-2.0

import Session

/// What displays were told of the engine's view.
struct Told {
    var outline: Outline?
    var changes: Int
    var isCatchingUp: Bool

    init(_ view: View, changes: Int, isCatchingUp: Bool) {
        outline = Outline(view)
        self.changes = changes
        self.isCatchingUp = isCatchingUp
    }
}

/// What the log tells of a view.
struct Outline: Equatable {
    var id: SessionID
    var status: Status

    init?(_ view: View) {
        guard let register = view.register else { return nil }
        id = register.id
        status = register.status
    }
}
