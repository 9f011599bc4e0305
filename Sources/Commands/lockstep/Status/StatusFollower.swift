// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Display
import Glibc
import Session
import Shell
import Synchronization
import Wire

/// `lockstep status --follow`: keeps in touch with a node and prints a line for each change of what is shown.
enum StatusFollower {
    private static let retry = Duration.seconds(1)

    /// Runs until a signal, or until nobody reads any more.
    static func follow(access: AccessOptions, line: WantedLine) async throws {
        // What is wrong with the settings is said once and not every second.
        if access.socket.localNode == nil { _ = try access.remoteSettings() }
        // A bar that goes away is a normal end, which a write tells.
        signal(SIGPIPE, SIG_IGN)
        let mailbox = try Mailbox()
        let node = Known()
        let end = await withTaskGroup(of: Void.self) { group in
            group.addTask { await keepInTouch(access, node: node, mailbox: mailbox) }
            defer { group.cancelAll() }
            return await BlockingThread.run {
                StatusThread.run(mailbox: mailbox) { view, boot in
                    line.line(of: view, at: boot, node: node.id.withLock(\.self))
                        .formatted(line.format, isFollowed: true)
                }
            }
        }
        let code = try end.get()
        if code != 0 { throw ExitCode(code) }
    }

    /// Hands views on. While there is no node, the time goes on by date and the line says that contact is lost.
    private static func keepInTouch(_ access: AccessOptions, node: Known, mailbox: Mailbox) async {
        var last = NodeView(View())
        while !Task.isCancelled {
            try? await access.withAccessIfReached { access in
                let id = NodeID(try await access.status().node)
                node.id.withLock { $0 = id }
                try await access.views { view in
                    last = view
                    mailbox.put(view)
                }
            }
            last.view.isLinked = false
            last.worksAlone = false
            last.view.contactLostAt = last.view.contactLostAt ?? Clocks.now().boot
            mailbox.put(last)
            try? await Task.sleep(for: retry)
        }
    }
}

/// The node that the bar belongs to, once it is known.
private final class Known: Sendable {
    let id = Mutex<NodeID?>(nil)
}
