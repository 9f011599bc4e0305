// SPDX-License-Identifier: Apache-2.0

import API
import Session

/// The node's counters in the Prometheus text format.
struct PrometheusText {
    private(set) var text = ""

    init(_ node: NodeMetrics, displays: Int) {
        gauge("lockstep_link_up", "Whether the node is connected to the broker.", node.isLinked ? 1 : 0)
        counter("lockstep_connections_total", "Connections to the broker since the node started.", node.connections)
        counter("lockstep_messages_received_total", "Messages received from the broker.", node.received)
        counter("lockstep_messages_published_total", "Messages published to the broker.", node.published)
        counters("lockstep_messages_dropped_total", "Messages discarded, by reason.", label: "reason", node.dropped)
        counters(
            "lockstep_replies_total", "Requests from programs and pages of this node, by outcome.",
            label: "outcome", node.replies)
        counters(
            "lockstep_answers_total", "Intents that this node answered as the owner, by outcome.", label: "outcome",
            node.answers)
        counter("lockstep_journal_failures_total", "Writes of the journal that failed.", node.failedWrites)
        gauge("lockstep_journal_saved", "Whether the last change is on disk.", node.isSaved ? 1 : 0)
        if let bound = node.clockBound {
            gauge("lockstep_clock_bound_seconds", "Error bound of the kernel's clock.", Double(bound.count) / 1_000)
        }
        gauge(
            "lockstep_clock_ahead_seconds", "Offset of the wall clock from group time, positive if ahead.",
            Double(node.clockAhead.count) / 1_000)
        if let bound = node.errorBound {
            gauge(
                "lockstep_error_bound_seconds", "Error bound of the displayed session time.",
                Double(bound.count) / 1_000)
        }
        gauge("lockstep_peers", "Other nodes and displays that are online, without services.", Double(node.peers))
        gauge(
            "lockstep_records_waiting", "Ledger records that the debt service has not acknowledged.",
            Double(node.recordsWaiting))
        gauge("lockstep_session_live", "Whether a session is live.", node.isLive ? 1 : 0)
        gauge("lockstep_displays", "Open event streams of displays and programs.", Double(displays))
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        head(name, help, "gauge")
        text += "\(name) \(value)\n"
    }

    private mutating func counter(_ name: String, _ help: String, _ value: Int) {
        head(name, help, "counter")
        text += "\(name) \(value)\n"
    }

    private mutating func counters(_ name: String, _ help: String, label: String, _ values: [String: Int]) {
        head(name, help, "counter")
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { text += "\(name){\(label)=\"\(key)\"} \(value)\n" }
    }
}
