// SPDX-License-Identifier: Apache-2.0

package import Wire

/// A request without fields, such as to move the current session here. Its body is empty or `{}`.
package struct EmptyRequest: Hashable, Sendable, Described {
    package init() {}

    /// Reads a body: nothing, or `{}`.
    package init(body: [UInt8]) throws(RequestError) {
        self = body.isEmpty ? EmptyRequest() : try EmptyRequest(request: body)
    }

    package static let blank = EmptyRequest()

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) {}
}
