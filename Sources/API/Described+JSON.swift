// SPDX-License-Identifier: Apache-2.0

package import Wire

extension Described {
    package var encoded: [UInt8] { ObjectFormat<Self>.object().json(self) }

    package init(encoded json: [UInt8]) throws(PayloadError) { self = try ObjectFormat<Self>.object().value(of: json) }

    /// Reads a request. An unknown field is an error.
    package init(request json: [UInt8]) throws(RequestError) {
        do throws(PayloadError) {
            self = try ObjectFormat<Self>.object().value(of: json, isRequest: true)
        } catch {
            throw RequestError(error.path, error.path.isEmpty ? "the request \(error.detail)" : error.detail)
        }
    }
}
