// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Testing

@Suite(.timeLimit(.minutes(15))) struct NamedColourTests {
    @Test func colourHasAName() {
        let labels = NamedColours.labels
        #expect(labels.count == 24)
        #expect(Set(NamedColours.names).count == 25)
        #expect(Set(labels.map(\.colour) + [NamedColours.rest]).count == 25)
        for name in NamedColours.names {
            #expect(Colour(hex: name) == nil, "\(name) is not also digits")
            #expect(Colour(typed: name) == NamedColours[name])
            #expect(Colour(typed: name.uppercased()) == NamedColours[name])
        }
        #expect(Colour(typed: "break") == NamedColours.rest)
        #expect(Colour(typed: "#0a0a0a80")?.description == "#0a0a0a80")
        for bad in ["", "reddish", "#teal", " teal"] { #expect(Colour(typed: bad) == nil, "\(bad)") }
    }
}
