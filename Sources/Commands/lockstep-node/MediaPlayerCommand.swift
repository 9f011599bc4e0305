// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Glibc
import NodeRuntime
import Platform
import Settings

/// `lockstep-node desktop`: shows the session as a media player of the desktop. `lockstep desktop` runs it, so that
/// `lockstep` itself does not link libsystemd and starts fast.
struct MediaPlayerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lockstep-node desktop")
    /// The pause before a node is looked for again.
    private static let retry: Duration = .seconds(1)

    @Argument(help: "The sockets on which the node may listen.")
    var sockets: [String]

    func run() async throws {
        let box = try PlayerViewBox()
        let strings = Catalogue.ofEnvironment
        let (requests, feeder) = AsyncStream.makeStream(of: Player.Request.self)
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask { for await request in requests { try? await Self.send(request, to: node) } }
            group.addTask {
                while !Task.isCancelled {
                    try? await node?.views { box.store($0) }
                    box.store(nil)
                    try? await Task.sleep(for: Self.retry)
                }
            }
            defer { group.cancelAll() }
            return await Thread.run(name: "desktop") {
                Result { () throws(BusError) in
                    try PlayerBus(strings: strings) { feeder.yield($0) }.run(box)
                }
            }
        }
        if case .failure(let failure) = result {
            CommandLineRunner.say("lockstep: \(failure.description)")
            throw ExitStatus.unreachable.code
        }
    }

    private static func send(_ request: Player.Request, to node: ControlClient?) async throws {
        switch request {
        case .press(let press): _ = try await node?.press(IntentRequest(press))
        case .acknowledge: _ = try await node?.acknowledge()
        }
    }

    private var node: ControlClient? { sockets.first(where: ControlClient.isServed).map(ControlClient.init) }
}
