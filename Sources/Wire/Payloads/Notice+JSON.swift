// SPDX-License-Identifier: Apache-2.0

package import Session

extension Notice: Described {
    package static let blank = Notice()
    package var contradiction: String? { message.map(\.isConsistent) ?? true ? nil : "message" }

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("rev", &rev, .counter, absent: 0)
        try form.field("ok", optional: &acknowledgement, .object())
        try form.field("message", optional: &message, .object())
    }
}

extension Acknowledgement: Described {
    package static let blank = Acknowledgement(lineage: .blank, at: 0)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("lineage", &lineage, .id())
        try form.field("at", &at, .time)
    }
}

extension ScreenMessage: Described {
    package static let objectName = "message"
    package static let blank = ScreenMessage(text: "", at: 0, until: 0)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("text", &text, .textOrEmpty(Limits.titleBytes), absent: "")
        try form.field("at", &at, .time)
        try form.field("until", &until, .time)
    }
}
