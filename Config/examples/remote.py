#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A remote for Lockstep that shares no code with it. It shows and asks, and owns no session.

It follows the page Protocol of the sources (Sources/Wire/Wire.docc/Protocol.md).

Needs Debian's python3-paho-mqtt. LOCKSTEP_PASSWORD_FILE and LOCKSTEP_TLS_CA name files with the password and the authority.
Exit codes: 0 applied or nothing to change, 3 refused, 4 no answer, 5 no session, 6 no broker."""
import argparse
import contextlib
import json
import os
import pathlib
import secrets
import sys
import time
from urllib.parse import urlparse
try:
    import paho.mqtt.client as mqtt
except ImportError:
    sys.exit("remote.py needs paho, the MQTT client for Python: install python3-paho-mqtt")

PORTS = {"mqtt": 1883, "mqtts": 8883}
OPERATIONS = {"break": "startBreak", "focus": "startFocus", **{op: op for op in "pause resume stop extend skip correct".split()}}
LIVE, ENDED = {"running", "paused", "ready"}, {"completed", "stopped", "superseded"}
EARLIEST, LATEST, LEAD = 1_767_225_600_000, 7_258_118_400_000, 10_000  # 2026, 2200, and 10 s: bounds of a stamp
BARRIER, AGAIN, PATIENCE = 2, 1, 5  # seconds: for the barrier, between two sendings of an intent, for its answer


def is_register(value, sender):
    """Whether the fields that this program reads are there and in their bounds."""
    (at, counter, node), anchor, plan = value["stamp"], value["anchor"], value["plan"]
    numbers = [(at, 0, LATEST), (anchor["at"], 0, LATEST), (anchor["elapsed"], 0, 86_400_000),
               (len(plan), 1, 80), (value["phase"], 0, len(plan) - 1), *((p["seconds"], 1, 86_400) for p in plan),
               *((number, 0, 10 ** 12) for number in (counter, value["epoch"], value["rev"]))]
    return (value["owner"] == node == sender and value["status"] in LIVE | ENDED
            and value["mode"] in {"countdown", "countup"} and value["autoAdvance"] in {True, False}
            and all(type(number) is int and least <= number <= most for number, least, most in numbers)
            and all(isinstance(t, str) for t in (value["id"], value.get("lineage") or "", value.get("title") or "")))


class Space:
    """The registers of a space, and the answers of owners by sender and intent."""
    def __init__(self, broker, space, node):
        self.top, self.node, self.conn = f"lockstep/1/{space}", node, secrets.token_hex(8)
        self.registers, self.answers, self.is_ready = {}, {}, False
        self.client = mqtt.Client(f"remote-{node}-{self.conn}")
        if path := os.environ.get("LOCKSTEP_PASSWORD_FILE"):
            self.client.username_pw_set(node, pathlib.Path(path).read_text(encoding="utf-8").strip())
        self.client.on_connect, self.client.on_message = self.connected, self.received
        if broker.scheme == "mqtts":
            self.client.tls_set(os.environ.get("LOCKSTEP_TLS_CA"))
        self.client.connect(broker.hostname, broker.port or PORTS[broker.scheme], keepalive=10)

    def connected(self, client, _data, _flags, code):
        if code:
            raise ConnectionError(mqtt.connack_string(code))
        client.subscribe([(f"{self.top}/node/{t}", 0) for t in ("+/session", "+/ack", f"{self.node}/ping/{self.node}")])
        self.send(f"ping/{self.node}", {"v": 1, "conn": self.conn})  # the barrier

    def send(self, leaf, payload):
        self.client.publish(f"{self.top}/node/{self.node}/{leaf}", json.dumps(payload), qos=1)

    def received(self, _client, _data, message):
        with contextlib.suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):  # an invalid message
            _, sender, leaf = message.topic[len(self.top) + 1:].split("/", 2)
            if len(message.payload) > 16_384 or (value := json.loads(message.payload))["v"] != 1:
                return
            if leaf == "session" and is_register(value, sender):
                held = self.registers.get(sender, value)
                self.registers[sender] = max(held, value, key=lambda r: (r["epoch"], r["rev"]))
            elif leaf == "ack" and value["kind"] == "intent" and not message.retain:
                self.answers[sender, value["id"]] = str(value["outcome"]), str(value.get("reason"))
            elif leaf.startswith("ping/") and value["conn"] == self.conn:
                self.is_ready = True

    def run(self, seconds, condition=lambda: False):  # handles messages for a time, or until the condition holds
        end = time.monotonic() + seconds
        while not condition() and (left := end - time.monotonic()) > 0:
            if error := self.client.loop(min(left, 0.2)):
                raise ConnectionError(mqtt.error_string(error))

    def current(self):
        """The session that started last, of those whose stamp is admitted."""
        admitted = [r for r in self.registers.values() if EARLIEST <= r["stamp"][0] <= time.time() * 1000 + LEAD]
        return max(admitted, key=lambda r: (r["stamp"][0], r["stamp"][1], r["stamp"][2].encode()), default=None)


def shown(register):
    """One line for people. Time is counted from the anchor, through all phases that started by themselves."""
    phase, status, plan, since = register["phase"], register["status"], register["plan"], register["anchor"]
    elapsed = since["elapsed"] + (max(0, int(time.time() * 1000) - since["at"]) if status == "running" else 0)
    while status == "running" and elapsed >= (length := plan[phase]["seconds"] * 1000):
        is_last, goes_on = phase + 1 == len(plan), register["autoAdvance"]
        status = "completed" if is_last else "running" if goes_on else "ready"
        phase, elapsed = (phase, length) if is_last else (phase + 1, (elapsed - length) * goes_on)
    seconds = elapsed // 1000 if register["mode"] == "countup" else plan[phase]["seconds"] - elapsed // 1000
    return f"{seconds // 60:02}:{seconds % 60:02} {status} {register.get('title') or ''} ({register['owner']})"


def press(space, operation, arguments):
    """Asks the owner each second until it answers; follows the session if another node takes it over."""
    target, asked, end, is_refused = space.current(), None, 0, False
    if target is None or target["status"] in ENDED:
        return 5, "there is no session"
    lineage, phase, intent = target.get("lineage") or target["id"], target["phase"], secrets.token_hex(12)
    while asked != target["id"] or time.monotonic() < end:
        if asked != target["id"]:
            asked, end = target["id"], time.monotonic() + PATIENCE
        space.send("intent", {"v": 1, "id": intent, "lineage": lineage, "session": target["id"], "phase": phase,
                              "op": operation, "args": arguments, "from": space.node})
        question = (target["owner"], intent)
        space.run(AGAIN, lambda: question in space.answers)
        outcome, reason = space.answers.pop(question, (None, None))
        if outcome and (outcome, reason) != ("refused", "superseded"):
            return (3, reason) if outcome == "refused" else (0, outcome)
        is_refused = is_refused or outcome == "refused"
        target = space.current() or target
        if (target.get("lineage") or target["id"]) != lineage:
            return 3, "superseded"
    return (3, "superseded") if is_refused else (4, "no answer; the press can still take effect within 30 s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--broker", default="mqtt://127.0.0.1:1883", type=urlparse, help="mqtt:// or mqtts://host[:port]")
    parser.add_argument("--space", default="home")
    parser.add_argument("--node", default="remote", help="the id of this remote; also the user name at the broker")
    parser.add_argument("command", choices=["status", "watch", *OPERATIONS])
    parser.add_argument("seconds", nargs="?", type=int, default=60, help="the seconds that `extend` adds")
    parser.add_argument("--title", help="the title that `correct` writes")
    parser.add_argument("--label", help="the label that `correct` writes")
    options = parser.parse_args()
    if options.broker.scheme not in PORTS or not options.broker.hostname:
        parser.error(f"--broker begins with mqtt:// or mqtts:// and names a host, not {options.broker.geturl()}")
    try:
        space = Space(options.broker, options.space, options.node)
        space.run(BARRIER, lambda: space.is_ready)
        if options.command in OPERATIONS:
            code, text = press(space, OPERATIONS[options.command], {k: vars(options)[k] for k in ("seconds", "title", "label")})
            print("".join(filter(str.isprintable, text)), file=sys.stderr if code else sys.stdout)
            return code
        while True:
            register = space.current()
            print("".join(filter(str.isprintable, shown(register))) if register else "no session", flush=True)
            if options.command == "status":
                return 0 if register else 5
            space.run(1)
    except OSError as error:
        print(f"{options.broker.geturl()}: {error}", file=sys.stderr)
        return 6


if __name__ == "__main__":
    sys.exit(main())
