// SPDX-License-Identifier: Apache-2.0

import Core
import Session

/// An event at one instant of virtual time.
enum Event {
    /// The act of this index in the scenario.
    case act(Int)
    /// A frame of a client reaches the broker.
    case up(Int, UpFrame)
    /// A frame of the broker reaches a client.
    case down(Int, DownFrame)
    /// A packet crosses the bridge to a half.
    case bridged(Int, Packet)
    /// A node's program dials the broker.
    case dial(Int, life: Int)
    /// A timer of a node's program fires.
    case wake(Int, life: Int, boot: BootTime)
    /// A write to a slow disk completes.
    indirect case written(Int, life: Int, NodeCore.Write)
    /// A client closes its connection and dials again after this time.
    case rest(Int, Milliseconds)
    /// A node's machine or program continues after the nap of this number.
    case goOn(Int, nap: Int)
    /// A node's program is started again.
    case launch(Int, life: Int)
    /// A node's disk works again.
    case repairDisk(Int, trouble: Int)
    /// A connection carries held frames again.
    case unblock(Int)
    /// A client closes a silent connection.
    case clientTimeout(Int)
    /// The broker closes a silent connection.
    case brokerTimeout(Int)
    /// The bridge between the halves of the broker comes up.
    case bridgeUp(Int)
    /// Half of the broker is started again.
    case brokerUp(Int)
    /// The ghost and the liar repeat their registers, as after a hello.
    case haunt
    /// The liar has read a ping, and answers it.
    case lied(Packet)
    /// The faults end.
    case heal
    case ledger(LedgerEvent)
}

/// A priority queue of events, the earliest first. Events of one time come in the order in which they were added.
/// The heap moves small keys, not the events.
struct EventQueue {
    private struct Key {
        var time: VirtualTime
        var number: Int
        var place: Int

        static func < (a: Key, b: Key) -> Bool {
            a.time != b.time ? a.time < b.time : a.number < b.number
        }
    }

    private var heap: [Key] = []
    private var events: [Event?] = []
    private var free: [Int] = []
    private var number = 0

    var nextTime: VirtualTime? { heap.first?.time }

    mutating func add(_ event: Event, at time: VirtualTime) {
        number += 1
        let place: Int
        if let last = free.popLast() {
            place = last
            events[place] = event
        } else {
            place = events.count
            events.append(event)
        }
        heap.append(Key(time: time, number: number, place: place))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func next() -> (time: VirtualTime, event: Event)? {
        guard let first = heap.first, let last = heap.popLast(), let event = events[first.place].take() else {
            return nil
        }
        free.append(first.place)
        guard !heap.isEmpty else { return (first.time, event) }
        heap[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < heap[parent] else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return (first.time, event)
    }
}
