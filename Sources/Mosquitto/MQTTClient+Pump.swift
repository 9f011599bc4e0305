// SPDX-License-Identifier: Apache-2.0

import Glibc

extension MQTTClient {
    /// The connection has something to read, or room to write.
    func ready(_ number: Int, _ ready: Poll.Ready) {
        guard let link, link.number == number else { return }
        // A TLS handshake goes on by reading, whatever it waits for.
        guard ready.readable || isOpening && configuration.tls != nil else {
            pump(link)
            return
        }
        var code = link.handle.read()
        // What it has led to elsewhere is often there by now: to wait for it anew costs more than to look.
        if code == 0, link.handle.inbox.isAcknowledgement { code = link.handle.read() }
        if isOpening, configuration.tls != nil {
            // A server that has refused our certificate says so and hangs up. To write first would find the connection
            // gone, and its words unread.
            var tries = 0
            while code == 0, tries < 8, peek(link) == .bytes {
                code = link.handle.read()
                tries += 1
            }
        }
        let gotSomething = !link.handle.inbox.items.isEmpty
        if code == 0, isOpening, !gotSomething, link.handle.socket >= 0, peek(link) == .end {
            lost(link, code)
            return
        }
        link.isReadUnacknowledged = true
        if case .connected = phase { handOver(link) }
        guard isCurrent(link) else { return }
        if case .connected = phase, code == 0, link.handle.wantsToWrite { writeLast(link) } else { pump(link, code) }
        // Decrypted data may be left inside the library, where the kernel does not see it.
        if gotSomething, configuration.tls != nil, isCurrent(link) {
            loop.execute { [weak self] in
                self?.assumeIsolated { $0.ready(number, Poll.Ready(token: 0, writable: false, readable: true)) }
            }
        }
    }

    /// Hands over what the library has told, then writes what there is to write.
    ///
    /// Acknowledgements go out here: after the application has had the messages.
    ///
    /// - Parameter code: What the library returned last.
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

    /// Writes what is queued as the last thing before the loop waits.
    ///
    /// Who gets it often shares a processor with this thread, and has to wait until it sleeps. A thread that goes on behind
    /// its writing is thrust aside instead, and what is woken next finds two on the processor and moves to a cold one.
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
        case .accepted(let sessionPresent):
            accepted(link, sessionPresent: sessionPresent)
        case .refused(let reason):
            link.refusal = reason
        case .disconnected(let reason):
            if link.end == nil { link.end = reason }
        case .message(let message):
            deliver(.message(message))
        case .published(let id, let reason):
            guard case .publish(let completion) = outbox.remove(id) else { return }
            completion?(Self.outcome(reason))
        case .subscribed(let id, let reasons):
            guard case .subscribe(let group, let range) = outbox.remove(id) else { return }
            granted(group, range, reasons)
        case .unsubscribed(let id):
            guard case .unsubscribe(let completion) = outbox.remove(id) else { return }
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

    private func granted(_ group: Outbox.SubscribeGroup, _ range: Range<Int>, _ reasons: [Int32]) {
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
        group.missing -= 1
        guard group.missing == 0, let completion = group.completion else { return }
        group.completion = nil
        completion(.success(group.grants))
    }

    /// Without it the kernel holds acknowledgements back by 40 ms, and a sender under Nagle's rule waits for them. The
    /// kernel forgets it, so it is set after each read: behind what the read has led to, which carries the acknowledgement
    /// along where it is an answer.
    func quickAcknowledge(_ link: Link) {
        guard link.isReadUnacknowledged else { return }
        link.isReadUnacknowledged = false
        var on: Int32 = 1
        unsafe setsockopt(link.descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private enum Unread {
        case nothing
        case bytes
        case end
    }

    /// What the connection would give. During the TLS handshake the library takes its end for a reason to try again,
    /// and would without end.
    private func peek(_ link: Link) -> Unread {
        var byte: UInt8 = 0
        let count = unsafe recv(link.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count > 0 { return .bytes }
        return count == 0 || errno != EAGAIN && errno != EINTR ? .end : .nothing
    }
}
