// SPDX-License-Identifier: Apache-2.0

package import Session

extension Notice: Described {
    package static let blank = Notice()
    package var contradiction: String? { message.map(\.isConsistent) ?? true ? nil : "message" }

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("rev", &rev, .counter, absent: 0)
        try coder.field("ok", optional: &acknowledgement, .object())
        try coder.field("message", optional: &message, .object())
    }
}

extension Acknowledgement: Described {
    package static let blank = Acknowledgement(lineage: .blank, at: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("lineage", &lineage, .id())
        try coder.field("at", &at, .time)
    }
}

extension ScreenMessage: Described {
    package static let objectName = "message"
    package static let blank = ScreenMessage(text: "", at: 0, until: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("text", &text, .textOrEmpty(Limits.titleBytes), absent: "")
        try coder.field("at", &at, .time)
        try coder.field("until", &until, .time)
    }
}
