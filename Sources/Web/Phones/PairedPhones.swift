// SPDX-License-Identifier: Apache-2.0

import API
import HTTPTypes
package import Logging
import NIOCore
import Platform
import Session
import Synchronization

/// The paired phones of a running node, with their open connections.
package final class PairedPhones: Sendable {
    /// The phones and their open connections.
    private struct State {
        var book: PhoneBook
        /// The connections that have had a request with the key of a phone, and the phone of the last request. A proxy
        /// uses one connection for several clients, one after the other.
        var connections: [ObjectIdentifier: (phone: PhoneBook.Phone?, channel: any Channel)] = [:]
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Instant
    private let log: Logger

    /// Reads the phones from their file in a state directory. A damaged file is kept aside, with a warning.
    package convenience init(stateDirectory: String, log: Logger) throws {
        try self.init(path: stateDirectory + "/phones", log: log) {
            Instant(
                boot: BootTime(SystemClock.bootMilliseconds()), wall: WallTime(SystemClock.wallMilliseconds()))
        }
    }

    init(path: String, log: Logger, now: @escaping @Sendable () -> Instant) throws(FileError) {
        let book = try PhoneBook(path: path, at: now())
        if let kept = book.damagedFile {
            log.warning(
                "the list of phones was damaged, and no phone is paired now: pair them again with lockstep phone add",
                metadata: ["kept": "\(kept)"])
        }
        state = Mutex(State(book: book))
        self.now = now
        self.log = log
    }

    var report: PhonesReport {
        state.withLock { state in
            let online = Set(state.connections.values.compactMap(\.phone?.hash))
            return PhonesReport(
                state.book.phones.map {
                    PhoneReport(
                        name: $0.name, mayPress: $0.mayPress, since: $0.since, lastSeen: $0.lastSeen,
                        online: online.contains($0.hash))
                })
        }
    }

    /// Returns the code of a new link that pairs one phone.
    func invite(_ name: String, mayPress: Bool) throws(HTTPProblem) -> PairingCode {
        let now = now()
        let code = try state.withLock { state throws(HTTPProblem) in
            try state.book.invite(name, mayPress: mayPress, at: now)
        }
        return PairingCode(code: code, expires: now.wall + PhoneBook.linkLife)
    }

    /// Pairs the phone that opened a link.
    /// - Returns: Its key; `nil` if the link does not work.
    func pair(_ code: String) throws(HTTPProblem) -> String? {
        let now = now()
        let key = try state.withLock { state throws(HTTPProblem) in try state.book.pair(code, at: now) }
        if key != nil { log.info("phone paired") }
        return key
    }

    /// Removes a phone and closes its connections at once.
    func remove(_ name: String) throws(HTTPProblem) {
        let now = now()
        var failure: FileError?
        let removed = try state.withLock { state throws(HTTPProblem) in
            let removed = try state.book.remove(name)
            do throws(FileError) {
                if removed != nil || state.book.isUnsaved { try state.book.save(at: now) }
            } catch {
                failure = error
            }
            return removed
        }
        if let removed {
            let channels = state.withLock { state in
                state.connections.values.filter { $0.phone?.hash == removed.hash }.map(\.channel)
            }
            for channel in channels { channel.close(promise: nil) }
            log.info("phone removed", metadata: ["name": "\(name)"])
        }
        if let failure {
            throw HTTPProblem(
                .serviceUnavailable,
                "“\(name)” is removed, but that is not saved: \(failure). It is back when the node restarts; free space"
                    + " there and remove it again")
        }
    }

    /// Returns the phone whose key a request has, and remembers it with the connection of the request.
    func admit(_ key: String?, on channel: any Channel) -> PhoneBook.Phone? {
        let (id, now) = (ObjectIdentifier(channel), now())
        let (phone, isNew) = state.withLock { state in
            let phone = key.flatMap { state.book.phone(withKey: $0, at: now) }
            let isNew = state.connections[id] == nil
            if phone != nil || !isNew { state.connections[id] = (phone, channel) }
            return (phone, isNew && phone != nil)
        }
        if isNew { channel.closeFuture.whenComplete { [self] _ in forget(id) } }
        return phone
    }

    func hasPhone(withKey key: String) -> Bool {
        let hash = PhoneBook.hash(of: key)
        return state.withLock { $0.book.phones.contains { $0.hash == hash } }
    }

    func isPaired(_ phone: PhoneBook.Phone) -> Bool {
        state.withLock { $0.book.phones.contains { $0.hash == phone.hash } }
    }

    private func forget(_ id: ObjectIdentifier) {
        let now = now()
        state.withLock { state in
            guard let phone = state.connections.removeValue(forKey: id)?.phone else { return }
            state.book.see(phone, at: now)
        }
    }
}
