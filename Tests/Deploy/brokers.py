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

PROGRAMS, WORK = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
#: What a cluster needs after a fault is its own affair, within this; Lockstep's views then agree within AGREE seconds.
CLUSTER, AGREE = 180, 2
PASSWORD = "guest"
results, failures = {}, []


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, **options)


def network():
    """Makes a network namespace for each member."""
    lines = ["link set lo up", "link add members type bridge", "link set members up"]
    for i in (1, 2, 3):
        lines += [f"netns add m{i}", f"-n m{i} link set lo up"]
        for link, end, own in (("cluster", "master members", f"10.99.0.{i}"), ("client", "", f"10.98.{i}.2")):
            lines += [f"link add {link}{i} type veth peer name {link} netns m{i}", f"link set {link}{i} up {end}",
                      f"-n m{i} addr add {own}/24 dev {link}", f"-n m{i} link set {link} up"]
        lines.append(f"addr add 10.98.{i}.1/24 dev client{i}")
    for line in lines:
        said = run("ip", *line.split())
        if said.returncode:
            raise SystemExit(f"ip {line}: {said.stderr}")


class Program:
    """A process with a log, in a session of its own, so that all its children are killed with it."""
    def __init__(self, name, command, env=None):
        self.log, self.process = WORK / f"{name}.log", None
        self.command, self.env = command, {**os.environ, **(env or {})}

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env,
                                            cwd=WORK, start_new_session=True)

    def kill(self):
        if self.process:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(30)
            self.process = None


class Cluster:
    """Brokers that are one; `command` says how member `i` starts in its folder."""
    name, size = "", 1
    lacks = set()  #: The checks of `lockstep doctor` that are not "ok"; the test waits for them.

    def __init__(self):
        self.members = []
        for i in range(1, self.size + 1):
            folder = WORK / f"{self.name}{i}"
            folder.mkdir()
            command, env = self.command(i, folder)
            self.members.append(Program(f"{self.name}{i}-broker", ["ip", "netns", "exec", f"m{i}", *command], env))

    def address(self, i, user):
        return f"mqtt://{self.user(user)}@10.98.{i}.2"

    @staticmethod
    def user(name):
        return name

    def start(self, i):
        # A process that was killed may keep its port a moment longer.
        while self.answers(i):
            time.sleep(0.05)
        self.members[i - 1].start()

    @staticmethod
    def answers(i):
        with socket.socket() as probe:
            return probe.connect_ex((f"10.98.{i}.2", 1883)) == 0


class Nats(Cluster):
    name, size, lacks = "nats", 3, {"no local"}

    def command(self, i, folder):
        routes = ", ".join(f'"nats://10.99.0.{k}:6222"' for k in (1, 2, 3))
        (folder / "conf").write_text(f"""server_name: m{i}
ping_interval: "2s"
jetstream {{ store_dir: "{folder}/store" }}
mqtt {{ host: "0.0.0.0", port: 1883 }}
cluster {{ name: lockstep, listen: "10.99.0.{i}:6222", routes: [{routes}] }}
""")
        return ["nats-server", "-c", str(folder / "conf")], None


class Ejabberd(Cluster):
    name, size, lacks = "ejabberd", 2, {"members"}

    def command(self, i, folder):
        (folder / "ejabberd.yml").write_text("""hosts: [localhost]
listen: [{port: 1883, ip: "0.0.0.0", module: mod_mqtt}]
auth_method: [anonymous]
anonymous_protocol: login_anon
allow_multiple_connections: true
modules: {mod_mqtt: {}}
""")
        erl = (f"-noinput -name ejabberd@10.99.0.{i} -setcookie lockstep -kernel net_ticktime 8 "
               f"""-mnesia dir '"{folder}/store"' -s ejabberd""")
        # The second one joins when it starts for the first time.
        join = "ejabberd_cluster:join('ejabberd@10.99.0.1')." if i == 2 else "ok."
        return (["sh", "-c", f"""[ -e {folder}/store ] || set -- -eval "{join}"; exec erl {erl} "$@" """],
                {"HOME": str(folder), "ERL_LIBS": "/usr/lib/x86_64-linux-gnu", "EJABBERD_CONFIG_PATH": str(folder / "ejabberd.yml"),
                 "EJABBERD_LOG_PATH": str(folder / "log")})


class RabbitMQ(Cluster):
    name, lacks = "rabbitmq", {"retained", "members", "no local"}

    @staticmethod
    def user(name):
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
        bridge = ("connection other\naddress 10.99.0.1:1883\ntopic # both 1\nbridge_protocol_version mqttv50\n"
                  "notifications false\nkeepalive_interval 5\nrestart_timeout 1\n")
        (folder / "conf").write_text("user root\nlistener 1883\nallow_anonymous true\npersistence true\nautosave_interval 1\n"
                                     f"autosave_on_changes true\npersistence_location {folder}/\n{bridge if i == 2 else ''}")
        return ["mosquitto", "-c", str(folder / "conf")], None


class Probe:
    """A plain client at each member, which finds out when messages cross."""
    def __init__(self, cluster):
        self.heard, self.clients = {}, [mqtt.Client(f"probe-{i}", userdata=i) for i in range(1, cluster.size + 1)]
        for i, client in enumerate(self.clients, 1):
            client.username_pw_set(cluster.user("probe"), PASSWORD)
            client.reconnect_delay_set(0.2, 0.5)
            client.on_connect = lambda client, *_: client.subscribe("probe/+", 0)
            client.on_message = self.received
            client.connect_async(f"10.98.{i}.2", keepalive=5)
            client.loop_start()
        threading.Thread(target=self.publish, daemon=True).start()

    def received(self, _client, here, message):
        if not message.retain:
            self.heard[int(message.topic.split("/")[1]), here] = time.monotonic()

    def publish(self):
        while self.clients:
            for i, client in enumerate(self.clients, 1):
                if client.is_connected():
                    # Retained as what nodes publish: NATS passes others on while it still cannot keep these, and stalls nodes.
                    client.publish(f"probe/{i}", b"here", 1, retain=True)
            time.sleep(0.1)

    def crosses(self, since, members):
        return all(self.heard.get((i, k), 0) > since for i in members for k in members)

    def end(self):
        clients, self.clients = self.clients, []
        for client in clients:
            client.disconnect()
            client.loop_stop()


class Stuck(Exception):
    """A condition that never came; the test of this cluster ends."""


class Node(Program):
    def __init__(self, cluster, name, member):
        self.cluster, self.name = cluster, name
        state = str(WORK / f"{cluster.name}-{name}")
        super().__init__(f"{cluster.name}-{name}", [PROGRAMS / "lockstep-node"], {
            "LOCKSTEP_NODE": name, "LOCKSTEP_STATE_DIR": state, "LOCKSTEP_SOCKET": state + ".sock"})
        self.connect_to(member)

    def connect_to(self, member):
        self.member, self.env["LOCKSTEP_BROKER"] = member, self.cluster.address(member, self.name)

    def lockstep(self, *words):
        return run(PROGRAMS / "lockstep", *words, env=self.env)

    def status(self):
        said = self.lockstep("status", "--json").stdout
        return json.loads(said) if said else {}


class Remote:
    """A passing remote: a command without a node."""
    def __init__(self, cluster, member):
        self.options = ["--socket", str(WORK / "none"), "--broker", cluster.address(member, "remote")]

    def lockstep(self, *words):
        return run(PROGRAMS / "lockstep", *words, *self.options)


class Test:
    #: What all nodes must show alike, beside the remaining seconds; and what is printed where they do not.
    ALIKE = ("session", "status", "phase", "revision", "owner", "endsAt")
    SHOWN = (*ALIKE, "remainingSeconds", "linked", "stale", "linkProblem")

    def __init__(self, cluster):
        self.cluster, self.size, self.all = cluster, cluster.size, range(1, cluster.size + 1)
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

    def check(self, what, limit, condition, since=None):
        """Waits for a condition, which must come within `limit` seconds. Later is a failure, too, but the test goes on from there."""
        since, late = since or time.monotonic(), ""
        while not condition():
            if time.monotonic() > since + limit and not late:
                late = f"more than {limit} s: {self.shown()}"
            if time.monotonic() > since + limit + 60:
                self.note(what, None, f"never; {late}")
                raise Stuck
            time.sleep(0.05)
        seconds = time.monotonic() - since
        self.note(what, None if late else seconds, late and f"{seconds:.1f} s, {late}")

    def shown(self):
        return {node.name: {key: node.status().get(key) for key in self.SHOWN} for node in self.nodes if node.process}

    def linked(self):
        return all(node.status().get("linked") for node in self.nodes if node.process)

    def agreed(self, nodes=None, **wanted):
        """Whether these nodes (all by default) show one session to the same second, with these values."""
        seen = [node.status() for node in nodes or self.nodes if node.process]
        seconds = [status.get("remainingSeconds") for status in seen]
        return (all(status.get("linked") and not status.get("stale") for status in seen) and None not in seconds
                and len({json.dumps([status[key] for key in self.ALIKE]) for status in seen}) == 1
                and max(seconds) - min(seconds) <= 1 and all(seen[0][key] == value for key, value in wanted.items()))

    def press(self, what, node, *words, limit=5, nodes=None, **wanted):
        """A command must succeed, and all nodes must then agree on a changed session."""
        def version():
            status = (nodes or self.nodes)[-1].status()
            return status.get("session"), status.get("revision")
        before, since, said = version(), time.monotonic(), node.lockstep(*words)
        if said.returncode:
            return self.note(what, None, f"exit code {said.returncode}: {said.stderr.strip()} {self.shown()}")
        self.check(what, limit, lambda: version() != before and self.agreed(nodes, **wanted), since)

    def agree_after_fault(self, what, since, **wanted):
        """The cluster is whole again when plain messages cross and each node is connected; Lockstep has AGREE seconds from then."""
        self.check(f"{what}: brokers cross", CLUSTER, lambda: self.probe.crosses(since, self.all), since)
        self.check(f"{what}: nodes connect", 15, self.linked)
        self.check(f"{what}: agree", AGREE, lambda: self.agreed(**wanted))

    # --- The steps

    def start(self):
        since = time.monotonic()
        for i in self.all:
            self.cluster.start(i)
            self.check(f"m{i} starts", CLUSTER, lambda: self.cluster.answers(i))
        self.probe = Probe(self.cluster)
        self.check("a plain message crosses", CLUSTER, lambda: self.probe.crosses(since, self.all))
        for node in self.nodes:
            node.start()
        self.check("nodes connect", 30, self.linked)
        self.press("start", self.nodes[0], "start", "Reading", "--for", "50m", status="running", owner="n1")

    def presses(self):
        for node in self.nodes[1:]:
            self.press(f"press at m{node.member}", node, "pause", status="paused")
            self.nodes[0].lockstep("resume")
        for i in self.all:
            for word, then in (("pause", "paused"), ("resume", "running")):
                self.press(f"passing remote at m{i}: {word}", Remote(self.cluster, i), word, status=then)

    def doctor(self):
        words = [word for i in self.all for word in ("--member" if i > 1 else "--broker", self.cluster.address(i, "doctor"))]
        since, said = time.monotonic(), run(PROGRAMS / "lockstep", "doctor", *words)
        print(said.stdout + said.stderr, flush=True)
        lacks = {line[6:20].strip() for line in said.stdout.splitlines() if not line.startswith("ok ")} - {""}
        isRight = said.returncode == 0 and lacks == self.cluster.lacks
        self.note("doctor", time.monotonic() - since if isRight else None, f"exit code {said.returncode}, not ok: {lacks}")
        self.check("doctor: nodes undisturbed", AGREE, self.agreed)

    def late_joiners(self, label):
        for i in self.all:
            late = Node(self.cluster, f"{label.split()[0]}{i}", i)
            self.nodes.append(late)
            late.start()
            self.check(f"{label} at m{i}: connected", 10, self.linked)
            self.check(f"{label} at m{i}: agree", AGREE, self.agreed)
            self.press(f"{label} at m{i}: press", late, "extend", "1m")
            self.nodes.remove(late)
            late.kill()

    def quick_presses(self):
        """A node that presses as soon as its socket answers."""
        for i in self.all:
            quick = Node(self.cluster, f"quick{i}", i)
            quick.start()
            while not quick.status():
                time.sleep(0.01)
            self.press(f"press while joining at m{i}", quick, "extend", "1m")
            quick.kill()

    def takeover(self):
        owner, other = self.nodes[:2]
        owner.kill()
        self.press("takeover by a press", other, "pause", limit=8, status="paused", owner=other.name)
        owner.start()
        self.check("the old owner is back", 8, lambda: self.agreed(status="paused", owner=other.name))
        self.press("take", owner, "take", owner=owner.name)
        self.press("resume", other, "resume", status="running", owner=owner.name)

    def owner_moves(self):
        """A node whose register one member retains goes on at another one."""
        for i in (self.size, 1):
            self.nodes[0].kill()
            self.nodes[0].connect_to(i)
            self.nodes[0].start()
            self.check(f"owner moves to m{i}", 10, self.agreed)
            self.press(f"owner moves to m{i}: press", self.nodes[0], "extend", "1m", owner="n1")
        self.late_joiners("joiner after that")

    def member_killed(self):
        """The owner's member is killed; the others go on, if there are others."""
        self.cluster.members[0].kill()
        rest, since = [node for node in self.nodes if node.member != 1], time.monotonic()
        if rest:
            self.check("m1 killed: the others cross", CLUSTER, lambda: self.probe.crosses(since, self.all[1:]))
            self.press("m1 killed: press elsewhere", rest[0], "pause", nodes=rest, limit=30, status="paused", owner=rest[0].name)
        else:
            self.nodes[1].lockstep("pause")
        since = time.monotonic()
        self.cluster.start(1)
        self.agree_after_fault("m1 back", since, status="paused")
        self.press("m1 back: press", self.nodes[0], "resume", limit=10, status="running")

    def partition(self):
        """The last member is cut off until its node has taken the session over, and the others have changed it meanwhile."""
        last, first = self.nodes[-1], self.nodes[0]
        first.lockstep("take")
        self.check("partition: before", 10, lambda: self.agreed(owner="n1"))
        run("ip", "link", "set", f"cluster{self.size}", "down")
        self.check("partition: nothing crosses", 30, lambda: time.monotonic() - self.probe.heard[1, self.size] > 12)
        for node, words, what in ((last, ["pause"], "cut off"), (first, ["extend", "1m"], "left")):
            since, said = time.monotonic(), node.lockstep(*words)
            # An answer, not a hang: applied, or applied here and not known to the others.
            self.note(f"partition: press at the one {what}", time.monotonic() - since if said.returncode in (0, 7) else None,
                      f"exit code {said.returncode} {said.stderr.strip()}")
        self.check("partition: taken over", 10, lambda: last.status().get("owner") == last.name)
        since = time.monotonic()
        run("ip", "link", "set", f"cluster{self.size}", "up")
        self.agree_after_fault("partition healed", since, owner=last.name, status="paused")
        self.press("partition healed: press", first, "resume", limit=10, status="running")

    def restart(self):
        for member in self.cluster.members:
            member.kill()
        since = time.monotonic()
        for i in self.all:
            self.cluster.start(i)
        self.agree_after_fault("restart of all", since, status="running")
        self.press("restart of all: press", self.nodes[1], "pause", limit=10, status="paused")
        self.late_joiners("newcomer after it")

    def run(self):
        try:
            self.start()
            self.presses()
            self.doctor()
            self.late_joiners("late joiner")
            self.quick_presses()
            self.takeover()
            if self.size > 1:
                self.owner_moves()
            self.member_killed()
            if self.size > 1:
                self.partition()
            self.restart()
        except Stuck:
            pass
        finally:
            for program in (*self.nodes, *self.cluster.members):
                program.kill()
            if self.probe:
                self.probe.end()


# The first process of a process namespace gets only signals that it handles.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
os.umask(0o077)
os.environ["LOCKSTEP_PASSWORD_FILE"] = str(WORK / "password")
(WORK / "password").write_text(PASSWORD)
os.makedirs("/run/netns", exist_ok=True)
run("mount", "-t", "tmpfs", "none", "/run/netns")
network()
kinds = [kind for kind in (Nats, Ejabberd, RabbitMQ, Mosquitto) if kind.name in (sys.argv[3:] or kind.name)]
for kind in kinds:
    Test(kind()).run()
print("\n" + f"{'seconds':36}" + "".join(f"{kind.name:>12}" for kind in kinds))
for row, cells in results.items():
    texts = [f"{cells[kind.name]:.1f}" if cells.get(kind.name) is not None else "FAILED" if kind.name in cells else "" for kind in kinds]
    print(f"{row:36}" + "".join(f"{text:>12}" for text in texts))
if failures:
    print("\nfailed:\n  " + "\n  ".join(failures))
    for log in sorted(WORK.glob("*-n*.log")):
        print(f"\n{log.name}\n{log.read_text(errors='replace')[-1500:]}")
sys.exit(1 if failures else 0)
