// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPTypes
import Platform
import Session
import Support
import Testing

@testable import Web

/// The list of phones, its file and its links.
@Suite(.timeLimit(.minutes(15))) struct PhoneBookTests {
    private let home: TemporaryDirectory
    private let start = Instant(boot: 1_000, wall: 1_800_000_000_000)

    init() throws { home = try TemporaryDirectory() }

    private func book() throws -> PhoneBook { try PhoneBook(path: home.file("phones"), at: start) }

    private func after(_ time: Milliseconds) -> Instant { Instant(boot: start.boot + time, wall: start.wall + time) }

    /// Returns the key of a phone that opens a link at once.
    private func pair(_ name: String, in book: inout PhoneBook, mayPress: Bool = true) throws -> String {
        let code = try book.invite(name, mayPress: mayPress, at: start)
        let key = try book.pair(code, at: start)
        return try #require(key)
    }

    private func status(_ body: () throws(HTTPProblem) -> Void) -> Int {
        do throws(HTTPProblem) {
            try body()
            return 200
        } catch {
            return error.status.code
        }
    }

    @Test func aLinkPairsOnePhoneOnce() throws {
        var book = try book()
        let code = try book.invite("kitchen phone", mayPress: true, at: start)
        let paired = try book.pair(code, at: start)
        let key = try #require(paired)
        #expect(try book.pair(code, at: start) == nil)
        #expect(key != code)
        let found = book.phone(withKey: key, at: start)
        let phone = try #require(found)
        #expect(phone.name == "kitchen phone")
        #expect(phone.mayPress)
        #expect(book.phone(withKey: code, at: start) == nil)
        #expect(book.phone(withKey: "", at: start) == nil)
        let look = try pair("tablet", in: &book, mayPress: false)
        #expect(book.phone(withKey: look, at: start)?.mayPress == false)
    }

    @Test func aLinkEndsAfterItsTime() throws {
        var book = try book()
        let first = try book.invite("first", mayPress: true, at: start)
        #expect(try book.pair(first, at: after(PhoneBook.linkLife - 1)) != nil)
        let second = try book.invite("second", mayPress: true, at: start)
        #expect(try book.pair(second, at: after(PhoneBook.linkLife)) == nil)
        #expect(book.phones.map(\.name) == ["first"])
    }

    @Test func aNewLinkEndsTheOldOneOfItsName() throws {
        var book = try book()
        let old = try book.invite("phone", mayPress: true, at: start)
        let new = try book.invite("phone", mayPress: false, at: start)
        #expect(try book.pair(old, at: start) == nil)
        #expect(try book.pair(new, at: start) != nil)
        #expect(book.phones.map(\.mayPress) == [false])
    }

    @Test func namesAreBounded() throws {
        var book = try book()
        let most = String(repeating: "é", count: Limits.nameBytes / 2)
        for name in ["", most + "e", "a\u{7}b", "a\nb", "a\u{202E}b"] {
            #expect(status { () throws(HTTPProblem) in _ = try book.invite(name, mayPress: true, at: start) } == 422)
        }
        _ = try pair(most, in: &book)
        #expect(status { () throws(HTTPProblem) in _ = try book.invite(most, mayPress: true, at: start) } == 409)
    }

    @Test func phonesAndLinksAreBounded() throws {
        var book = try book()
        for number in 1..<PhoneBook.limit { _ = try pair("phone \(number)", in: &book) }
        _ = try book.invite("last", mayPress: true, at: start)
        #expect(status { () throws(HTTPProblem) in _ = try book.invite("more", mayPress: true, at: start) } == 409)
        #expect(try book.invite("more", mayPress: true, at: after(PhoneBook.linkLife)) != "")
        _ = try book.remove("more")
        _ = try book.remove("phone 1")
        #expect(try book.invite("new", mayPress: true, at: start) != "")
        #expect(book.phones.count == PhoneBook.limit - 2)
    }

    @Test func wrongLinksAreBoundedAndARightOneWorks() throws {
        var book = try book()
        let code = try book.invite("phone", mayPress: true, at: start)
        for _ in 0..<PhoneBook.wrongLinksPerMinute { #expect(try book.pair("guess", at: start) == nil) }
        #expect(status { () throws(HTTPProblem) in _ = try book.pair("guess", at: start) } == 429)
        #expect(try book.pair(code, at: start) != nil)
        #expect(try book.pair("guess", at: after(60_000)) == nil)
    }

    @Test func theFileIsPrivateAndHasNoKey() throws {
        var book = try book()
        let key = try pair("phone", in: &book)
        #expect(try Files.mode(of: home.file("phones")) == 0o600)
        let text = home.read("phones")
        #expect(text.contains("phone"))
        #expect(!text.contains(key))
        // The SHA-256 of "abc", from FIPS 180-2.
        #expect(PhoneBook.hash(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func phonesSurviveARestartAndLinksDoNot() throws {
        var old = try book()
        let key = try pair("phone", in: &old)
        let code = try old.invite("other", mayPress: true, at: start)
        var new = try book()
        #expect(new.damagedFile == nil)
        #expect(new.phone(withKey: key, at: start)?.name == "phone")
        #expect(try new.pair(code, at: start) == nil)
    }

    @Test func aRemovedPhoneHasNoAccess() throws {
        var book = try book()
        let (gone, stays) = (try pair("gone", in: &book), try pair("stays", in: &book))
        #expect(try book.remove("gone")?.name == "gone")
        try book.save(at: start)
        var books = [book, try self.book()]
        for index in books.indices {
            #expect(books[index].phone(withKey: gone, at: start) == nil)
            #expect(books[index].phone(withKey: stays, at: start)?.name == "stays")
        }
        #expect(status { () throws(HTTPProblem) in _ = try book.remove("gone") } == 404)
    }

    @Test func aRemovalThatIsNotSavedCanBeRepeated() throws {
        var book = try book()
        let key = try pair("gone", in: &book)
        #expect(try book.remove("gone")?.name == "gone")
        #expect(book.isUnsaved)
        #expect(try book.remove("gone") == nil)
        try book.save(at: start)
        #expect(status { () throws(HTTPProblem) in _ = try book.remove("gone") } == 404)
        var again = try self.book()
        #expect(again.phone(withKey: key, at: start) == nil)
    }

    @Test func aRemovedLinkEnds() throws {
        var book = try book()
        let code = try book.invite("phone", mayPress: true, at: start)
        #expect(try book.remove("phone") == nil)
        #expect(try book.pair(code, at: start) == nil)
    }

    @Test(arguments: [
        "", "{", "[]", #"{"phones":[{"name":"a"}]}"#, file(names: ["a", "a"]), file(names: ["a\\u0007"]),
        file(names: [""]), file(names: ["a"], hash: "00"), file(names: (0...PhoneBook.limit).map { "phone \($0)" }),
        String(repeating: " ", count: 70_000),
    ])
    func aDamagedFileIsKeptAside(text: String) throws {
        try home.write(text, to: "phones")
        var book = try book()
        let kept = try #require(book.damagedFile)
        #expect(kept == home.file("phones.damaged-\(start.wall)"))
        #expect(home.read("phones.damaged-\(start.wall)") == text)
        #expect(book.phones.isEmpty)
        _ = try pair("phone", in: &book)
        #expect(try self.book().phones.map(\.name) == ["phone"])
    }

    private static func file(names: [String], hash: String = String(repeating: "0", count: 64)) -> String {
        let phones = names.map {
            "{\"name\":\"\($0)\",\"hash\":\"\(hash)\",\"mayPress\":true,\"since\":1,\"lastSeen\":1}"
        }
        return "{\"phones\":[\(phones.joined(separator: ","))]}"
    }

    @Test func anUnreadableFileIsAnError() throws {
        mkdir(home.file("phones"), 0o700)
        #expect(throws: FileError.self) { try book() }
    }

    @Test func aPhoneThatIsNotSavedIsNotPaired() throws {
        var book = try PhoneBook(path: home.file("state/phones"), at: start)
        let code = try book.invite("phone", mayPress: true, at: start)
        #expect(status { () throws(HTTPProblem) in _ = try book.pair(code, at: start) } == 503)
        #expect(book.phones.isEmpty)
        mkdir(home.file("state"), 0o700)
        #expect(try book.pair(code, at: start) != nil)
    }

    @Test func lastSeenIsSavedOnceAnHour() throws {
        var book = try book()
        let key = try pair("phone", in: &book)
        let hour: Milliseconds = .minutes(60)
        for (time, saved) in [(hour - 1, 0), (hour, hour), (2 * hour - 1, hour), (2 * hour, 2 * hour)] {
            _ = book.phone(withKey: key, at: after(time))
            #expect(book.phones.map(\.lastSeen) == [start.wall + time])
            #expect(try self.book().phones.map(\.lastSeen) == [start.wall + saved])
        }
    }
}
