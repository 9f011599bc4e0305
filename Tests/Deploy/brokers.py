# SPDX-License-Identifier: Apache-2.0
"""The test of Tests/Deploy/brokers, in namespaces that end with it: clusters of brokers, and real nodes at each member.

    brokers.py FOLDER-OF-PROGRAMS WORK-FOLDER [NAME-OF-CLUSTER…]

Member i is a broker in the network namespace mi, with the address 10.99.0.i among the members and 10.98.i.2 for clients. Nodes and
probes run outside of it, so a partition (the link of 10.99.0.i is taken down) cuts members from each other and from no client."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import paho.mqtt.client as mqtt

PROGRAMS, WORK = map(pathlib.Path, sys.argv[1:3])
#: What a cluster needs after a fault is its own affair, within this; Lockstep's views then agree within AGREE seconds.
CLUSTER, AGREE = 180, 2
PASSWORD = "guest"
results, failures = {}, []


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, **options)


def network(size):
    """Makes a network namespace for each member."""
    run("ip", "link", "del", "members")
    run("ip", "link", "add", "members", "type", "bridge")
    run("ip", "link", "set", "members", "up")
    for i in range(1, size + 1):
        run("ip", "netns", "del", f"m{i}")
        for words in (f"netns add m{i}", f"-n m{i} link set lo up",
                      f"link add cluster{i} type veth peer name cluster netns m{i}", f"link set cluster{i} master members up",
                      f"-n m{i} addr add 10.99.0.{i}/24 dev cluster", f"-n m{i} link set cluster up",
                      f"link add client{i} type veth peer name client netns m{i}", f"addr add 10.98.{i}.1/24 dev client{i}",
                      f"link set client{i} up", f"-n m{i} addr add 10.98.{i}.2/24 dev client", f"-n m{i} link set client up"):
            said = run("ip", *words.split())
            if said.returncode:
                raise SystemExit(f"ip {words}: {said.stderr}")


class Program:
    """A process with a log, in a session of its own, so that all its children are killed with it."""
    def __init__(self, name, command, env=None):
        self.log, self.process = WORK / f"{name}.log", None
        self.command, self.env = command, {**os.environ, **(env or {})}

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env,
                                            start_new_session=True)

    def kill(self):
        if self.process:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(30)
            self.process = None


class Cluster:
    """Brokers that are one; `command` says how member `i` starts in its empty folder."""
    name, size = "", 1

    def __init__(self):
        network(self.size)
        self.members = []
        for i in range(1, self.size + 1):
            folder = WORK / f"{self.name}{i}"
            folder.mkdir()
            command, env = self.command(i, folder)
            self.members.append(Program(f"{self.name}{i}-broker", ["ip", "netns", "exec", f"m{i}", *command], env))

    def start(self, i):
        self.members[i - 1].start()

    def join(self):
        """Makes the members one after they have started for the first time; returns whether they are."""
        return True

    def address(self, i, user):
        return f"mqtt://{self.user(user)}@10.98.{i}.2"

    def user(self, name):
        return name

    @staticmethod
    def answers(i):
        try:
            socket.create_connection((f"10.98.{i}.2", 1883), 0.2).close()
            return True
        except OSError:
            return False


class Nats(Cluster):
    name, size = "nats", 3

    def command(self, i, folder):
        (folder / "conf").write_text(f"""
            server_name: m{i}
            port: 4222
            ping_interval: "2s"
            jetstream {{ store_dir: "{folder}/store" }}
            mqtt {{ host: "0.0.0.0", port: 1883 }}
            cluster {{ name: lockstep, listen: "10.99.0.{i}:6222", routes: [{", ".join(f'"nats://10.99.0.{k}:6222"' for k in (1, 2, 3))}] }}
            """)
        return ["nats-server", "-c", str(folder / "conf")], None


class Ejabberd(Cluster):
    name, size = "ejabberd", 2

    def command(self, i, folder):
        (folder / "ejabberd.yml").write_text("""
hosts: [localhost]
loglevel: 4
listen: [{port: 1883, ip: "0.0.0.0", module: mod_mqtt}]
auth_method: [anonymous]
anonymous_protocol: login_anon
allow_multiple_connections: true
modules: {mod_mqtt: {}}
""")
        return (["erl", "-noinput", "-name", f"ejabberd@10.99.0.{i}", "-setcookie", "lockstep", "-kernel", "net_ticktime", "8",
                 "-mnesia", "dir", f'"{folder}/store"', "-s", "ejabberd"],
                {"HOME": str(folder), "ERL_LIBS": "/usr/lib/x86_64-linux-gnu", "EJABBERD_CONFIG_PATH": str(folder / "ejabberd.yml"),
                 "EJABBERD_LOG_PATH": str(folder / "log")})

    def call(self, words):
        return run("ip", "netns", "exec", "m2", "erl_call", "-name", "ejabberd@10.99.0.2", "-c", "lockstep", "-a",
                   f"ejabberd_cluster {words}", env={**os.environ, "HOME": str(WORK)}).stdout

    def join(self):
        self.call("join ['ejabberd@10.99.0.1']")
        return "10.99.0.1" in self.call("get_nodes []")


class RabbitMQ(Cluster):
    name = "rabbitmq"

    def user(self, name):
        return "guest"

    def command(self, i, folder):
        (folder / "plugins").write_text("[rabbitmq_mqtt].\n")
        (folder / "rabbit.conf").write_text("loopback_users = none\nmqtt.listeners.tcp.1 = 0.0.0.0:1883\n")
        return (["/usr/lib/rabbitmq/bin/rabbitmq-server"],
                {"HOME": str(folder), "RABBITMQ_USE_LONGNAME": "true", "RABBITMQ_NODENAME": f"rabbit@10.99.0.{i}",
                 "RABBITMQ_MNESIA_BASE": str(folder / "store"), "RABBITMQ_LOG_BASE": str(folder),
                 "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"), "RABBITMQ_CONFIG_FILE": str(folder / "rabbit.conf")})


class Mosquitto(Cluster):
    name, size = "mosquitto", 2

    def command(self, i, folder):
        bridge = """
connection other
address 10.99.0.1:1883
topic # both 1
bridge_protocol_version mqttv50
notifications false
keepalive_interval 5
restart_timeout 1
"""
        (folder / "conf").write_text(f"user root\nlistener 1883\nallow_anonymous true\npersistence true\nautosave_on_changes true\n"
                                     f"autosave_interval 1\npersistence_location {folder}/\n{bridge if i == 2 else ''}")
        return ["mosquitto", "-c", str(folder / "conf")], None


class Probe:
    """A plain client at each member, which finds out when messages cross."""
    def __init__(self, cluster):
        self.heard, self.clients, self.ended = {}, [], False
        for i in range(1, cluster.size + 1):
            client = mqtt.Client(f"probe-{i}-{os.getpid()}", userdata=i)
            client.username_pw_set(cluster.user("probe"), PASSWORD)
            client.reconnect_delay_set(0.2, 0.5)
            client.on_connect = lambda client, *_: client.subscribe("probe/+", 0)
            client.on_message = self.received
            client.connect_async(f"10.98.{i}.2", keepalive=5)
            client.loop_start()
            self.clients.append(client)
        threading.Thread(target=self.publish, daemon=True).start()

    def received(self, _client, here, message):
        if not message.retain:
            self.heard[int(message.topic.split("/")[1]), here] = time.monotonic()

    def publish(self):
        while not self.ended:
            for i, client in enumerate(self.clients, 1):
                if client.is_connected():
                    client.publish(f"probe/{i}", b"", 1)
            time.sleep(0.1)

    def crosses(self, since, members):
        return all(self.heard.get((i, k), 0) > since for i in members for k in members)

    def end(self):
        self.ended = True
        for client in self.clients:
            client.disconnect()
            client.loop_stop()


class Node(Program):
    def __init__(self, cluster, name, member):
        self.name, self.member, self.socket = name, member, WORK / f"{cluster.name}-{name}.sock"
        super().__init__(f"{cluster.name}-{name}", [PROGRAMS / "lockstep-node"], {
            "LOCKSTEP_BROKER": cluster.address(member, name), "LOCKSTEP_NODE": name, "LOCKSTEP_SPACE": "home",
            "LOCKSTEP_STATE_DIR": str(WORK / f"{cluster.name}-{name}"), "LOCKSTEP_SOCKET": str(self.socket)})

    def lockstep(self, *words):
        return run(PROGRAMS / "lockstep", *words, "--socket", str(self.socket))

    def status(self):
        try:
            return json.loads(self.lockstep("status", "--json").stdout)
        except (ValueError, subprocess.TimeoutExpired):
            return {}


def summary(status):
    keys = ("linked", "status", "session", "owner", "phase", "revision", "endsAt", "remainingSeconds", "stale", "linkProblem")
    return {key: status.get(key) for key in keys}


class Test:
    def __init__(self, cluster):
        self.cluster, self.size = cluster, cluster.size
        # At a single broker two nodes, so that a press is between nodes.
        self.nodes = [Node(cluster, f"n{k}", min(k, self.size)) for k in range(1, max(self.size, 2) + 1)]
        self.probe = None

    # --- Checks

    def note(self, what, seconds, detail=""):
        """Prints and keeps the result of a check; `seconds` is None if it failed."""
        said = f"{seconds:6.1f} s" if seconds is not None else "  FAILED"
        print(f"{self.cluster.name:10}{what:34}{said}  {detail}".rstrip(), flush=True)
        results.setdefault(what, {})[self.cluster.name] = seconds
        if seconds is None:
            failures.append(f"{self.cluster.name}: {what}")
        return seconds is not None

    def check(self, what, limit, condition, since=None, explain=lambda: ""):
        """Waits for a condition, which must come within `limit` seconds. Later is a failure, too, but the test goes on from there."""
        since, late = since or time.monotonic(), ""
        while time.monotonic() < since + limit + 60:
            if condition():
                seconds = time.monotonic() - since
                return self.note(what, None if late else seconds, late and f"{seconds:.1f} s, more than {limit}; before: {late}")
            if time.monotonic() > since + limit and not late:
                late = explain() or "-"
            time.sleep(0.05)
        return self.note(what, None, f"never: {explain()}")

    def statuses(self, nodes=None):
        return {node.name: summary(node.status()) for node in nodes or self.nodes if node.process}

    def agreed(self, nodes=None, **wanted):
        """Whether these nodes (all by default) show one session to the same second, with these values."""
        seen = [node.status() for node in nodes or self.nodes if node.process]
        first, seconds = seen[0], [status.get("remainingSeconds") for status in seen]
        return (all(status.get("linked") and not status.get("stale") for status in seen) and first.get("session") is not None
                and len({tuple(json.dumps(status.get(key)) for key in ("session", "status", "phase", "revision", "owner", "endsAt"))
                         for status in seen}) == 1
                and None not in seconds and max(seconds) - min(seconds) <= 1
                and all(first.get(key) == value for key, value in wanted.items()))

    def agree(self, what, limit, since, nodes=None, **wanted):
        return self.check(what, limit, lambda: self.agreed(nodes, **wanted), since, lambda: f"{wanted} {self.statuses(nodes)}")

    def press(self, what, act, nodes=None, limit=5, **wanted):
        """A command must succeed, and all nodes must then agree."""
        def version():
            status = (nodes or self.nodes)[-1].status()
            return status.get("session"), status.get("revision")
        before, since = version(), time.monotonic()
        said = act()
        if said.returncode:
            return self.note(what, None, f"exit code {said.returncode}: {said.stderr.strip()} {self.statuses(nodes)}")
        return self.check(what, limit, lambda: version() != before and self.agreed(nodes, **wanted), since,
                          lambda: f"before {before}, wanted {wanted} {self.statuses(nodes)}")

    def remote(self, member, *words):
        return run(PROGRAMS / "lockstep", *words, "--socket", str(WORK / "none"), "--broker", self.cluster.address(member, "remote"))

    def agree_after_fault(self, what, since, **wanted):
        """The cluster is whole again when each node is connected and plain messages cross; Lockstep has AGREE seconds from then."""
        members = range(1, self.size + 1)

        if not (self.check(f"{what}: brokers cross", CLUSTER, lambda: self.probe.crosses(since, members), since)
                and self.check(f"{what}: nodes connect", 15, lambda: all(node.status().get("linked") for node in self.nodes), None,
                               self.statuses)):
            return False
        return self.agree(f"{what}: agree", AGREE, time.monotonic(), **wanted)

    # --- The steps

    def start_all(self):
        began = time.monotonic()
        for i in range(1, self.size + 1):
            self.cluster.start(i)
        if not self.check("brokers start", CLUSTER, lambda: all(map(self.cluster.answers, range(1, self.size + 1))), began):
            return False
        if not self.check("brokers join", CLUSTER, self.cluster.join):
            return False
        since = time.monotonic()
        self.probe = Probe(self.cluster)
        if not self.check("a plain message crosses", CLUSTER, lambda: self.probe.crosses(since, range(1, self.size + 1)), since):
            return False
        since = time.monotonic()
        for node in self.nodes:
            node.start()
        return self.check("nodes connect", 30, lambda: all(node.status().get("linked") for node in self.nodes), since,
                          self.statuses)

    def presses(self):
        self.press("start", lambda: self.nodes[0].lockstep("start", "Reading", "--for", "50m"), status="running", owner="n1")
        for node, word, then in zip(self.nodes[1:], ("pause", "resume"), ("paused", "running")):
            self.press(f"press at n{node.member}", lambda: node.lockstep(word), status=then)
        self.nodes[0].lockstep("resume")
        for i in range(1, self.size + 1):
            for word, then in (("pause", "paused"), ("resume", "running")):
                self.press(f"passing remote at m{i}: {word}", lambda: self.remote(i, word), status=then)

    def late_joiners(self, label="late joiner"):
        for i in range(1, self.size + 1):
            late = Node(self.cluster, f"{label.split()[0]}{i}", i)
            self.nodes.append(late)
            since = time.monotonic()
            late.start()
            self.check(f"{label} at m{i}: connected", 10, lambda: late.status().get("linked"), since)
            self.agree(f"{label} at m{i}: agree", AGREE, time.monotonic())
            self.press(f"{label} at m{i}: press", lambda: late.lockstep("extend", "1m"))
            self.nodes.remove(late)
            late.kill()

    def quick_presses(self):
        """A node that presses as soon as its socket answers."""
        for i in range(1, self.size + 1):
            quick = Node(self.cluster, f"quick{i}", i)
            quick.start()
            while not quick.status():
                time.sleep(0.01)
            self.press(f"press while joining at m{i}", lambda: quick.lockstep("extend", "1m"))
            quick.kill()

    def takeover(self):
        owner, other = self.nodes[0], self.nodes[1]
        owner.kill()
        self.press("takeover by a press", lambda: other.lockstep("pause"), limit=8, status="paused", owner=other.name)
        since = time.monotonic()
        owner.start()
        self.agree("the old owner is back", 8, since, status="paused", owner=other.name)
        self.press("take", lambda: owner.lockstep("take"), owner=owner.name)
        self.press("resume", lambda: other.lockstep("resume"), status="running", owner=owner.name)

    def member_killed(self):
        """The owner's member is killed; the others go on, if there are others."""
        self.cluster.members[0].kill()
        rest = [node for node in self.nodes if node.member != 1]
        if self.size > 1:
            since = time.monotonic()
            self.check("m1 killed: the others cross", CLUSTER, lambda: self.probe.crosses(since, range(2, self.size + 1)), since)
            self.press("m1 killed: press elsewhere", lambda: rest[0].lockstep("pause"), rest, 30, status="paused", owner=rest[0].name)
        else:
            self.nodes[1].lockstep("pause")
        since = time.monotonic()
        self.cluster.start(1)
        self.agree_after_fault("m1 back", since, status="paused")
        self.press("m1 back: press", lambda: self.nodes[0].lockstep("resume"), limit=10, status="running")

    def partition(self):
        """The last member is cut off until its node has taken the session over, and the others have changed it meanwhile."""
        last, first = self.nodes[-1], self.nodes[0]
        first.lockstep("take")
        self.agree("partition: before", 10, time.monotonic(), owner="n1")
        run("ip", "link", "set", f"cluster{self.size}", "down")
        cut = time.monotonic()
        self.check("partition: nothing crosses", 30, lambda: time.monotonic() - self.probe.heard[1, self.size] > 12, cut)
        for node, word, what in ((last, "pause", "cut off"), (first, "extend", "left")):
            since, said = time.monotonic(), node.lockstep(word, *(["1m"] if word == "extend" else []))
            # An answer, not a hang: applied, or applied here and not known to the others.
            self.note(f"partition: press at the one {what}", time.monotonic() - since if said.returncode in (0, 7) else None,
                      f"exit code {said.returncode} {said.stderr.strip()}")
        self.check("partition: taken over", 10, lambda: last.status().get("owner") == last.name, None, self.statuses)
        since = time.monotonic()
        run("ip", "link", "set", f"cluster{self.size}", "up")
        self.agree_after_fault("partition healed", since, owner=last.name, status="paused")
        self.press("partition healed: press", lambda: first.lockstep("resume"), limit=10, status="running")

    def restart(self):
        for member in self.cluster.members:
            member.kill()
        since = time.monotonic()
        for i in range(1, self.size + 1):
            self.cluster.start(i)
        self.agree_after_fault("restart of all", since, status="running")
        self.press("restart of all: press", lambda: self.nodes[1].lockstep("pause"), limit=10, status="paused")

    def doctor(self):
        words = [word for i in range(1, self.size + 1) for word in ("--broker", self.cluster.address(i, "doctor"))]
        since, said = time.monotonic(), run(PROGRAMS / "lockstep", "doctor", *words)
        print(said.stdout + said.stderr, flush=True)
        self.note("doctor", time.monotonic() - since if said.returncode == 0 else None, f"exit code {said.returncode}")
        self.agree("doctor: nodes undisturbed", AGREE, time.monotonic())

    def run(self):
        try:
            if not self.start_all():
                return
            self.presses()
            self.doctor()
            self.late_joiners()
            self.quick_presses()
            self.takeover()
            self.member_killed()
            if self.size > 1:
                self.partition()
            self.restart()
            self.late_joiners("newcomer after it")
        finally:
            for program in (*self.nodes, *self.cluster.members):
                program.kill()
            if self.probe:
                self.probe.end()


os.umask(0o077)
os.environ["LOCKSTEP_PASSWORD_FILE"] = str(WORK / "password")
(WORK / "password").write_text(PASSWORD)
os.makedirs("/run/netns", exist_ok=True)
run("mount", "-t", "tmpfs", "none", "/run/netns")
run("ip", "link", "set", "lo", "up")
kinds = [kind for kind in (Nats, Ejabberd, RabbitMQ, Mosquitto) if kind.name in (sys.argv[3:] or kind.name)]
for kind in kinds:
    Test(kind()).run()
    run("ip", "netns", "exec", "m1", "epmd", "-kill")
print("\n" + f"{'seconds':36}" + "".join(f"{kind.name:>12}" for kind in kinds))
for row, cells in results.items():
    texts = [f"{cells[kind.name]:.1f}" if cells.get(kind.name) is not None else "FAILED" if kind.name in cells else "" for kind in kinds]
    print(f"{row:36}" + "".join(f"{text:>12}" for text in texts))
if failures:
    print("\nfailed:\n  " + "\n  ".join(failures))
    for log in sorted(WORK.glob("*-n*.log")):
        print(f"\n{log.name}\n{log.read_text(errors='replace')[-1500:]}")
sys.exit(1 if failures else 0)
