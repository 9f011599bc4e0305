// SPDX-License-Identifier: Apache-2.0

import Core
package import Logging
package import Mosquitto
package import Session
package import Settings
import Wire

/// The broker connection of a service, and the spaces that it serves. It is used on the loop's thread. It registers the
/// will, subscribes, and passes events to each space. A will is for one space; a service for every space has none.
package final class ServiceLink<Space: ServiceSpace> {
    private static var spacesLimit: Int { 4_096 }

    package private(set) var spaces: [SpaceID: Space] = [:]
    private let link: BrokerLink
    private let settings: NodeSettings
    private let filters: [String]
    private let servesEverySpace: Bool
    private let log: Logger
    private let makeSpace: (SpaceID, ServiceOutput) -> Space

    package init(
        settings: NodeSettings, servesEverySpace: Bool, filters: [String], loop: EventLoop, log: Logger,
        makeSpace: @escaping (SpaceID, ServiceOutput) -> Space
    ) {
        self.settings = settings
        self.servesEverySpace = servesEverySpace
        self.filters = filters
        self.log = log
        self.makeSpace = makeSpace
        link = BrokerLink(of: .service, on: loop, log: log)
    }

    package var isConnected: Bool { link.connection != nil }
    package var problems: ProblemLog { link.problems }

    /// Connects and reconnects until ``leave()``. On the loop's thread, `makeWill` returns ``will()``, and `onEvent`
    /// passes an event to ``handle(_:)``.
    package func run(
        _ configuration: MQTTConfiguration,
        makeWill: @escaping @Sendable () -> MQTTMessage?, onEvent: @escaping @Sendable (MQTTEvent) -> Void
    ) async throws {
        if !servesEverySpace { _ = openSpace(settings.space) }
        try await link.run(configuration, makeWill: servesEverySpace ? nil : makeWill, onEvent: onEvent)
    }

    /// Publishes in each space that the service goes offline, and closes the connection.
    package func leave() async { await link.close { id in spaces.values.map { $0.core.will(id) } } }
    /// Returns the will of the connection that is attempted next; `nil` for a service for every space.
    package func will() -> MQTTMessage? { home?.core.will(link.nextConnection(at: Clocks.now().told)) }

    /// Handles a change of the connection. Messages are left to the service.
    package func handle(_ event: MQTTEvent) {
        switch link.receive(event, at: Clocks.now().told) {
        case .connected(let id, _):
            // At QoS 0, because nodes send again what is lost. At QoS 1 a broker would hold back all but a few messages
            // until they are acknowledged, and drop what exceeds its queue.
            link.subscribe(filters.map { Subscription($0, qos: .atMostOnce) })
            // After subscribing, so that the spaces' barriers arrive after the retained messages.
            for space in spaces.values { space.handle(.connected(id, hearsItself: true)) }
        case .disconnected(let willRetry):
            for space in spaces.values { space.handle(.disconnected(willRetry: willRetry)) }
        default: break
        }
    }

    /// Returns a space, which is opened at its first message; `nil` beyond the maximum number of spaces.
    package func openSpace(_ id: SpaceID) -> Space? {
        if let space = spaces[id] { return space }
        guard spaces.count < Self.spacesLimit else {
            problems.report("there are more than \(Self.spacesLimit) spaces; \(id) is not served")
            return nil
        }
        let space = makeSpace(id, ServiceOutput(log: log, makeWay: link.makeWay, send: link.send))
        spaces[id] = space
        space.handle(.restored(NodeCore.Restored()))
        if let connection = link.connection { space.handle(.connected(connection, hearsItself: true)) }
        return space
    }

    private var home: Space? { servesEverySpace ? nil : spaces[settings.space] }
}
