// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// Appends an element, and removes the first ones beyond a limit.
    mutating func append(_ element: Element, limit: Int) {
        append(element)
        if count > limit { removeFirst(count - limit) }
    }
}
