// SPDX-License-Identifier: Apache-2.0

package import Session

/// A time that JSON states in whole seconds since 1970.
@propertyWrapper
package struct WholeSeconds: Codable, Hashable, Sendable {
    package var wrappedValue: WallTime

    package init(wrappedValue: WallTime) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws {
        wrappedValue = WallTime(seconds: try UInt32(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.wholeSeconds.encode(to: encoder) }
}
