// SPDX-License-Identifier: Apache-2.0

/// A person or a program on this machine moves the current session here. There is nothing to say about how: an empty
/// body stands for it, or `{}`.
public struct TakeRequest: Codable, Hashable, Sendable {
    /// Makes a request.
    public init() {}

    /// Reads a request; a field is an error, since nobody would look at it.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(otherThan: [])
    }

    /// Reads a body.
    /// - Throws: ``RequestError`` when it is neither empty nor `{}`.
    public init(body: [UInt8]) throws(RequestError) {
        self = body.isEmpty ? TakeRequest() : try ReportJSON.decode(from: body)
    }
}
