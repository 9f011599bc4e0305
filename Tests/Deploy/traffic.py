#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Tests/Deploy/traffic.py [DIR] [SESSIONS] [MINUTES]: a day in fast motion against the model in Deploy/SCALE.md.
#
# Runs a broker, five nodes and twenty displays; the programs are in DIR (.build/release). Each of SESSIONS (24) has a start at
# one node and four presses at another one. A second space runs one session for MINUTES (5), for the pings. Prints messages
# and bytes of each topic, as predicted and as counted, and ends with 1 if a number of messages is off by a tenth or more.

import collections, os, subprocess, sys, tempfile, time

DIR, SESSIONS, MINUTES = (sys.argv[1:] + [".build/release", "24", "5"][len(sys.argv) - 1 :])[:3]
SESSIONS, MINUTES, NODES, DISPLAYS, PORT = int(SESSIONS), float(MINUTES), 5, 20, 18971
PRESSES = [["pause"], ["resume"], ["extend", "1m"], ["stop"]]
home, running = tempfile.mkdtemp(), []


def run(*command, output=subprocess.DEVNULL):
    running.append(subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL))


def subscribe(name, topic, text):
    run("mosquitto_sub", "-p", str(PORT), "-V", "5", "-t", topic, "-F", text, output=open(f"{home}/{name}", "w"))


def press(node, *words):
    subprocess.run([f"{DIR}/lockstep", *words, "--socket", f"{home}/{node}.sock"], check=True, stdout=subprocess.DEVNULL)


def counted(name):
    count, size = collections.Counter(), collections.Counter()
    for line in open(f"{home}/{name}"):
        topic, length = line.split()
        kind = topic.split("/")[5]
        count[kind], size[kind] = count[kind] + 1, size[kind] + int(length)
    return count, size


try:
    run("mosquitto", "-p", str(PORT))
    time.sleep(1)
    for space in ["day", "long"]:
        subscribe(space, f"lockstep/1/{space}/node/#", "%t %l")
        for i in range(NODES):
            node = f"{space}{i}"
            run(f"{DIR}/lockstep-node", "--config", "/dev/null", "--broker", f"mqtt://127.0.0.1:{PORT}", "--space", space,
                "--node", node, "--state-dir", f"{home}/{node}", "--socket", f"{home}/{node}.sock")
    for i in range(DISPLAYS):
        subscribe(f"display{i}", "lockstep/1/day/node/+/session", "%t %l")
    time.sleep(25)
    before = {space: counted(space)[0] for space in ["day", "long"]}
    press("long0", "start", "Reading", "--for", "60m")
    began = time.monotonic()
    for i in range(SESSIONS):
        press(f"day{i % NODES}", "start", "Reading", "--for", "25m")
        for words in PRESSES:
            press(f"day{(i + 1) % NODES}", *words)
    time.sleep(max(3, MINUTES * 60 + 20 - (time.monotonic() - began)))
    count, size = counted("day")
    changes, presses = SESSIONS * (1 + len(PRESSES)), SESSIONS * len(PRESSES)
    rows = [("session", changes), ("record", changes), ("intent", presses), ("ack", presses)]
    table = [(kind, n, count[kind] - before["day"][kind], size[kind] / max(1, count[kind])) for kind, n in rows]
    shown = [counted(f"display{i}")[0]["session"] for i in range(DISPLAYS)]
    table.append(("session, to all displays", changes * DISPLAYS, sum(shown), size["session"] / count["session"]))
    count, size = counted("long")
    pings = (NODES - 1) * (8 + int(MINUTES / 2))
    for kind in ["ping", "pong"]:
        table.append((f"{kind}, {MINUTES:g} min", pings, count[kind] - before["long"][kind], size[kind] / count[kind]))
    print(f"{'':28}{'predicted':>10}{'counted':>10}{'bytes each':>12}")
    for name, predicted, measured, each in table: print(f"{name:28}{predicted:10}{measured:10}{each:12.0f}")
    sys.exit(any(abs(row[1] - row[2]) * 10 > row[1] for row in table))
finally:
    for process in running: process.terminate()
    for process in running: process.wait()
