// SPDX-License-Identifier: Apache-2.0

import Session

/// The place of a part within a value.
package typealias Path<Whole, Part> = any WritableKeyPath<Whole, Part> & Sendable

/// Reads and writes the part of a value that a key path names.
///
/// A stored part is accessed at its offset, because a key path looks up type metadata at each access. Without this, reading
/// and writing registers makes a press a tenth longer.
struct Place<Whole, Part>: Sendable {
    private let path: Path<Whole, Part>
    /// The offset of the part in memory; `nil` for a computed part.
    private let offset: Int?

    init(_ path: Path<Whole, Part>) {
        self.path = path
        offset = MemoryLayout<Whole>.offset(of: path)
    }

    func get(from whole: UnsafePointer<Whole>) -> Part {
        guard let offset else { return whole.pointee[keyPath: path] }
        return UnsafeRawPointer(whole).advanced(by: offset).assumingMemoryBound(to: Part.self).pointee
    }

    func update<Result>(
        in whole: inout Whole, _ body: (inout Part) throws(Rejection) -> Result
    ) throws(Rejection) -> Result {
        guard let offset else { return try body(&whole[keyPath: path]) }
        return try withUnsafeMutablePointer(to: &whole) { whole throws(Rejection) in
            try body(&UnsafeMutableRawPointer(whole).advanced(by: offset).assumingMemoryBound(to: Part.self).pointee)
        }
    }
}
