// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A failed call of sd-bus.
package struct BusError: Error {
    package let description: String
    private let code: Int32

    /// - Parameter code: The negative error number that sd-bus returned.
    package init(_ context: String, _ code: Int32) {
        description = "\(context): \(String(cString: strerror(-code)))"
        self.code = code
    }

    /// Whether there is no such service on the bus, as in a container.
    var isServiceMissing: Bool { [-EHOSTUNREACH, -ENXIO, -ENOENT].contains(code) }

    /// Returns a code of sd-bus, or throws it with its context if it is negative.
    @discardableResult
    package static func check(_ code: Int32, _ context: String) throws(BusError) -> Int32 {
        if code < 0 { throw BusError(context, code) }
        return code
    }
}
