// SPDX-License-Identifier: Apache-2.0

/// The label that the time of a session is booked on.
public struct Label: Hashable, Sendable {
    /// The name: 1 to ``Limits/nameBytes`` bytes of clean text.
    public var name: String
    /// The colour; grey if the writer's was invalid.
    public var colour: Colour

    /// The caller must check the name.
    public init(name: String, colour: Colour = .grey) {
        self.name = name
        self.colour = colour
    }
}
