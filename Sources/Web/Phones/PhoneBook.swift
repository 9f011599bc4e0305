// SPDX-License-Identifier: Apache-2.0

import API
import COpenSSL
import Glibc
import HTTPTypes
import Platform
import Session

/// The phones that are paired with a node, with their file, and the links that can still pair one.
///
/// A key is kept only as its SHA-256. Each has 192 random bits, so its hash needs no salt. Links are lost at a restart.
struct PhoneBook {
    /// The limit of phones and open links together.
    static let limit = 32
    /// The time in which a link works.
    static let linkLife: Milliseconds = .minutes(10)
    /// The limit of wrong links in a minute. It bounds the node's work: guesses cannot find a code. A right link is
    /// exempt.
    static let wrongLinksPerMinute = 20
    /// The least interval between two saves of new ``Phone/lastSeen`` values.
    private static let sightingSaveInterval: Milliseconds = .minutes(60)
    private static let fileLimit = 65_536

    /// A paired phone.
    struct Phone: Codable, Hashable, Sendable {
        var name: String
        /// The SHA-256 of its key, in hexadecimal digits.
        var hash: String
        var mayPress: Bool
        /// When it was paired.
        var since: WallTime
        /// When it last sent a request or closed a connection.
        var lastSeen: WallTime
    }

    /// A link that pairs a phone, until it is used or expires.
    private struct Pairing {
        var name: String
        var hash: String
        var mayPress: Bool
        /// The end of the link.
        var until: BootTime
    }

    private(set) var phones: [Phone] = []
    /// The path at which a damaged file was kept; `nil` if the file was whole.
    private(set) var damagedFile: String?
    private let path: String
    private var links: [Pairing] = []
    private var wrongLinks = RateLimiter(perMinute: PhoneBook.wrongLinksPerMinute)
    private var sightingsSavedAt: BootTime = 0
    /// Whether a removed phone may still be in the file.
    private(set) var isUnsaved = false

    /// Reads the file. A damaged one is renamed, and the book is then empty.
    init(path: String, at now: Instant) throws(FileError) {
        self.path = path
        var bytes: [UInt8]?
        do throws(FileError) {
            bytes = try Files.read(path, limit: Self.fileLimit)
        } catch {
            if error.isMissing { return }
            guard error.code == EFBIG else { throw error }
        }
        if let bytes, let phones = Self.phones(in: bytes) {
            self.phones = phones
        } else {
            let kept = "\(path).damaged-\(now.wall)"
            try Files.move(path, to: kept, path: path)
            damagedFile = kept
        }
    }

    private static func phones(in bytes: [UInt8]) -> [Phone]? {
        guard let phones = try? ReportJSON.decode([String: [Phone]].self, from: bytes)["phones"] else { return nil }
        let isValid = phones.allSatisfy {
            CleanText.accepts($0.name, bytes: Limits.nameBytes) && $0.hash.utf8.count == hash(of: "").utf8.count
        }
        let isUnique = Set(phones.map(\.name)).count == phones.count
        return isValid && isUnique && phones.count <= limit ? phones : nil
    }

    // MARK: Pairing

    /// Returns the code of a new link for a phone. An open link for the same name ends.
    mutating func invite(_ name: String, mayPress: Bool, at now: Instant) throws(HTTPProblem) -> String {
        guard CleanText.accepts(name, bytes: Limits.nameBytes) else {
            throw HTTPProblem(
                .unprocessableContent, field: "name",
                "must have 1 to \(Limits.nameBytes) bytes without control characters")
        }
        guard !phones.contains(where: { $0.name == name }) else {
            throw HTTPProblem(
                .conflict, "a phone is already named “\(name)”: choose another name, or remove that phone first")
        }
        links.removeAll { $0.name == name || $0.until <= now.boot }
        guard phones.count + links.count < Self.limit else {
            throw HTTPProblem(
                .conflict, "there are \(Self.limit) phones and open links, which is the limit; remove one")
        }
        let code = RandomKey.make()
        links.append(
            Pairing(
                name: name, hash: Self.hash(of: code), mayPress: mayPress, until: now.boot + Self.linkLife))
        return code
    }

    /// Adds the phone that opened a link, and uses the link up.
    /// - Returns: The phone's key; `nil` if the link was used, is too old or never existed.
    /// - Throws: ``HTTPProblem`` after too many wrong links, or if the phone cannot be saved: the link then stays open.
    mutating func pair(_ code: String, at now: Instant) throws(HTTPProblem) -> String? {
        links.removeAll { $0.until <= now.boot }
        let hash = Self.hash(of: code)
        guard let index = links.firstIndex(where: { $0.hash == hash }) else {
            guard wrongLinks.admit(at: now.boot.milliseconds) != nil else {
                throw HTTPProblem(.tooManyRequests, "too many wrong links were opened; wait a minute")
            }
            return nil
        }
        let key = RandomKey.make()
        let link = links[index]
        phones.append(
            Phone(
                name: link.name, hash: Self.hash(of: key), mayPress: link.mayPress, since: now.wall, lastSeen: now.wall)
        )
        do throws(FileError) {
            try save(at: now)
        } catch {
            phones.removeLast()
            throw HTTPProblem(.serviceUnavailable, "the phone cannot be paired: \(error)")
        }
        links.remove(at: index)
        return key
    }

    /// Removes a phone and its open link. The caller saves; if that fails, the removal holds until the next start.
    ///
    /// While the file lacks a removal, an unknown name is no error, so that the removal can be repeated.
    /// - Returns: The phone; `nil` if there was only a link, or the phone was removed before.
    mutating func remove(_ name: String) throws(HTTPProblem) -> Phone? {
        let isKnown = phones.contains { $0.name == name } || links.contains { $0.name == name }
        guard isKnown || isUnsaved else {
            throw HTTPProblem(.notFound, "no phone is named “\(name)”; see lockstep phone list")
        }
        links.removeAll { $0.name == name }
        guard let index = phones.firstIndex(where: { $0.name == name }) else { return nil }
        isUnsaved = true
        return phones.remove(at: index)
    }

    // MARK: Use

    /// Returns the phone with a key, and notes that it was seen.
    mutating func phone(withKey key: String, at now: Instant) -> Phone? {
        let hash = Self.hash(of: key)
        guard let phone = phones.first(where: { $0.hash == hash }) else { return nil }
        see(phone, at: now)
        return phone
    }

    /// Notes that a phone was seen. The file gets it within an hour; a failed write is left to the next one.
    mutating func see(_ phone: Phone, at now: Instant) {
        guard let index = phones.firstIndex(where: { $0.hash == phone.hash }) else { return }
        phones[index].lastSeen = now.wall
        guard now.boot - sightingsSavedAt >= Self.sightingSaveInterval else { return }
        sightingsSavedAt = now.boot
        try? save(at: now)
    }

    mutating func save(at now: Instant) throws(FileError) {
        try Files.replace(path, with: ReportJSON.pretty(ReportJSON.encode(["phones": phones])))
        sightingsSavedAt = now.boot
        isUnsaved = false
    }

    static func hash(of key: String) -> String {
        let bytes = Array(key.utf8)
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(bytes, bytes.count, &digest)
        return digest.map { $0.padded(to: 2, radix: 16) }.joined()
    }
}
