// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// A text for all screens of the space, from a person or a program on this machine.
package struct MessageRequest: Hashable, Sendable, Described {
    private static let defaultSeconds = 600
    private static let life = 1...Limits.messageLife.wholeSeconds

    package var text: String
    package var seconds: Int?

    package init(text: String, seconds: Int? = nil) {
        self.text = text
        self.seconds = seconds
    }

    package static let blank = MessageRequest(text: "")

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field(
            "text", &text, .clean(0...Limits.titleBytes),
            "At most 160 bytes of UTF-8; an empty one removes the present text.")
        try coder.field("seconds", optional: &seconds, .whole(Self.life), "By default 600.")
    }

    package func checked() throws(RequestError) -> (text: String, life: Milliseconds) {
        let text = CleanText.trimmed(text)
        guard text.isEmpty || CleanText.accepts(text, bytes: Limits.titleBytes) else {
            throw RequestError("text", "must have at most \(Limits.titleBytes) bytes, and no control characters")
        }
        let seconds = seconds ?? Self.defaultSeconds
        guard Self.life.contains(seconds) else {
            throw RequestError("seconds", "must be \(Self.life.lowerBound) to \(Self.life.upperBound)")
        }
        return (text, .seconds(Int64(seconds)))
    }
}
