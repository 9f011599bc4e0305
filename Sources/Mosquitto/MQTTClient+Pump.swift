// SPDX-License-Identifier: Apache-2.0

import Glibc

extension MQTTClient {
    /// Reads, or writes, after the descriptor has become readable or writable.
    func ready(_ number: Int, _ ready: Poll.Ready) {
        guard let link, link.number == number else { return }
        // A TLS handshake progresses by reading, also when it waits to write.
        guard ready.readable || isOpening && configuration.tls != nil else {
            pump(link)
            return
        }
        var code = link.handle.read()
        // After an acknowledgement the next packet has often arrived: one more read costs less than another wait.
        if code == 0, link.handle.inbox.hasOnlyAcknowledgement { code = link.handle.read() }
        if isOpening, configuration.tls != nil {
            // A server that refuses our certificate sends an alert and hangs up: read it before a write fails.
            var tries = 0
            while code == 0, tries < 8, peek(link) == .bytes {
                code = link.handle.read()
                tries += 1
            }
        }
        let hasItems = !link.handle.inbox.items.isEmpty
        if code == 0, isOpening, !hasItems, link.handle.socket >= 0, peek(link) == .end {
            lost(link, code)
            return
        }
        link.isReadUnacknowledged = true
        if case .connected = phase { handOver(link) }
        guard isCurrent(link) else { return }
        if case .connected = phase, code == 0, link.handle.wantsToWrite { writeLast(link) } else { pump(link, code) }
        // The library may hold decrypted data, for which epoll does not fire.
        if hasItems, configuration.tls != nil, isCurrent(link) {
            loop.execute { [weak self] in
                self?.assumeIsolated { $0.ready(number, Poll.Ready(token: 0, writable: false, readable: true)) }
            }
        }
    }

    /// Processes the inbox, then writes what is queued, until both are done or the socket is full.
    ///
    /// This also sends the acknowledgements, after the application has handled the messages.
    ///
    /// - Parameter code: The library's last return code.
    func pump(_ link: Link, _ code: Int32 = 0) {
        var code = code
        repeat {
            handOver(link)
            guard isCurrent(link) else { return }
            if code == 0, link.handle.socket >= 0, link.handle.wantsToWrite { code = link.handle.write() }
        } while !link.handle.inbox.items.isEmpty
        guard code == 0, link.handle.socket >= 0 else {
            lost(link, code)
            return
        }
        updateInterest(link)
        leaveIfDrained()
        if isCurrent(link), link.handle.socket >= 0 { quickAcknowledge(link) }
    }

    private func handOver(_ link: Link) {
        for item in link.handle.inbox.take() {
            guard isCurrent(link) else { break }
            process(item, link)
        }
        if isCurrent(link) { publishWaiting(link) }
    }

    /// Schedules a flush as the last work before the loop waits.
    ///
    /// On a machine with few cores the kernel often wakes the receiver of a message on the sender's core. A sender that
    /// still has work then competes with it, and the next one to be woken runs on another core with cold caches. With
    /// the flush as the last work the sender sleeps by then, which makes the slowest presses about a sixth faster.
    func writeLast(_ link: Link) {
        guard !link.isWriteDue else { return }
        link.isWriteDue = true
        loop.executeLast(link.writeOut)
    }

    func writeOut(_ number: Int) {
        guard let link, link.number == number else { return }
        link.isWriteDue = false
        pump(link)
    }

    func updateInterest(_ link: Link) {
        let interest: Poll.Interest = link.handle.wantsToWrite ? [.read, .write] : .read
        guard interest != link.interest else { return }
        link.interest = interest
        loop.poll.change(link.descriptor, interest, link.token)
    }

    private func process(_ item: Inbox.Item, _ link: Link) {
        switch item {
        case .accepted:
            accepted(link)
        case .refused(let reason):
            link.refusal = reason
        case .disconnected(let reason):
            if link.end == nil { link.end = reason }
        case .message(let message):
            deliver(.message(message))
        case .published(let id, let reason):
            guard case .publish(let completion) = pending.remove(id) else { return }
            completion?(Self.outcome(reason))
        case .subscribed(let id, let reasons):
            guard case .subscribe(let group, let range) = pending.remove(id) else { return }
            granted(group, range, reasons)
        case .unsubscribed(let id):
            guard case .unsubscribe(let completion) = pending.remove(id) else { return }
            completion?(.success(()))
        }
    }

    private static func outcome(_ reason: Int32) -> Result<PublishOutcome, MQTTError> {
        switch reason {
        case 16: .success(.noSubscribers)
        case 128...:
            .failure(
                MQTTError(.publishRefused, reason: Int(reason), "message refused: \(MQTTError.words(reason: reason))")
            )
        default: .success(.delivered)
        }
    }

    private func granted(_ group: PendingRequests.SubscribeGroup, _ range: Range<Int>, _ reasons: [Int32]) {
        for (index, reason) in zip(range, reasons) {
            group.grants[index] =
                QoS(rawValue: reason).map(Grant.granted)
                ?? .refused(
                    MQTTError(
                        .subscribeRefused,
                        reason: Int(reason),
                        "subscription refused: \(MQTTError.words(reason: reason))"
                    )
                )
        }
        group.missingAnswers -= 1
        if group.missingAnswers == 0 { group.complete(.success(group.grants)) }
    }

    /// Sets `TCP_QUICKACK`, so that the kernel does not delay the TCP acknowledgement by 40 ms.
    ///
    /// A sender with Nagle's algorithm would wait for it. The kernel clears the option, so it is set after each read,
    /// and after the writes that the read caused, which carry the acknowledgement along.
    func quickAcknowledge(_ link: Link) {
        guard link.isReadUnacknowledged else { return }
        link.isReadUnacknowledged = false
        var on: Int32 = 1
        unsafe setsockopt(link.descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The unread content of the socket.
    private enum Unread {
        case nothing
        case bytes
        case end
    }

    /// Returns what a read would find. During the TLS handshake the library would retry a read at the end endlessly.
    private func peek(_ link: Link) -> Unread {
        var byte: UInt8 = 0
        let count = unsafe recv(link.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count > 0 { return .bytes }
        return count == 0 || errno != EAGAIN && errno != EINTR ? .end : .nothing
    }
}
