// SPDX-License-Identifier: Apache-2.0

package import Wire

/// A request to add or remove a phone. Only the control socket takes it.
package struct PhoneRequest: Hashable, Sendable, Described {
    package var name: String
    /// Whether an added phone may only look; `false` when absent.
    package var look: Bool?

    package init(name: String, look: Bool? = nil) {
        self.name = name
        self.look = look
    }

    package static let blank = PhoneRequest(name: "")

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("name", &name, .string)
        try coder.field("look", optional: &look, .bool)
    }
}
