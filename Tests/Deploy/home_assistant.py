# SPDX-License-Identifier: Apache-2.0
"""The test of Tests/Deploy/home-assistant: a private mosquitto, a real Home Assistant, and a node or its stand-in.

    home_assistant.py stub|node FOLDER-OF-PROGRAMS WORK-FOLDER CLONE

`stub` publishes the discovery payloads that the Swift tests keep, and plays the plain topics: it checks the payloads alone."""
import atexit
import datetime
import json
import os
import pathlib
import random
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import jwt
import paho.mqtt.client as mqtt

KIND, PROGRAMS, WORK, TOP = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
PLAIN = "lockstep/1/home/plain/"
ROUNDS = int(os.environ.get("ROUNDS", "30"))
CONFIGS = json.loads((TOP / "Tests/DisplayTests/Discovery/home.json").read_text())
EXAMPLES = TOP / "Config/examples"
wrongs = []


def wrong(text):
    print(f"wrong: {text}", flush=True)
    wrongs.append(text)


def until(what, seconds, condition, detail=lambda: ""):
    """Waits for a condition; a condition that does not come is a failure of the test."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    wrong(f"{what} ({seconds} s) {detail()}")
    return False


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def seconds_of(text):
    """The Unix time of an instant in ISO 8601; 0 if it is none."""
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0


class Program:
    """A program that can be stopped, killed and started again; its output goes to a file."""
    def __init__(self, name, *command, env=None, started=lambda: True):
        self.command, self.env, self.started, self.process = command, env, started, None
        self.log = WORK / f"{name}.log"
        atexit.register(self.stop, signal.SIGKILL)

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env)
        until(f"{self.command[0]} starts", 60, lambda: self.started() or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise SystemExit(f"{self.command[0]} has ended: {self.log.read_text()[-2000:]}")

    def stop(self, how=signal.SIGTERM):
        if self.process:
            self.process.send_signal(how)
            self.process.wait(60)
            self.process = None


class Broker(Program):
    def __init__(self):
        self.port, self.store = free_port(), WORK / "store"
        self.store.mkdir()
        config = WORK / "mosquitto.conf"
        config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\nautosave_on_changes true\n"
                          f"autosave_interval 1\npersistence_location {self.store}/\nuser root\n")
        super().__init__("mosquitto", "mosquitto", "-c", str(config), started=self.is_up)

    def is_up(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def forget(self):
        for file in self.store.iterdir():
            file.unlink()


class Watcher:
    """A client that keeps what is retained now, and all that was published on the topics of commands, answers and events."""
    def __init__(self, broker):
        self.retained, self.passed = {}, []
        self.client = mqtt.Client(f"watcher-{secrets.token_hex(4)}")
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda client, *_: client.subscribe([("lockstep/1/home/plain/#", 1), ("homeassistant/#", 1)])
        self.client.on_message = self.received
        self.client.connect("127.0.0.1", broker.port)
        self.client.loop_start()

    def received(self, _client, _data, message):
        payload = message.payload.decode()
        leaf = message.topic.rsplit("/", 1)[-1]
        if leaf in {"command", "answer", "event"} and message.topic.startswith(PLAIN):
            if message.retain:
                wrong(f"{message.topic} is retained")
            self.passed.append((leaf, json.loads(payload) if payload[:1] == "{" else payload))
        elif payload:
            self.retained[message.topic] = payload
        else:
            self.retained.pop(message.topic, None)

    @staticmethod
    def still_retained(broker):
        """The topics that the broker gives a client that comes now."""
        said = subprocess.run(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(broker.port), "-t", PLAIN + "#", "-t", "homeassistant/#",
                               "--retained-only", "-W", "1", "-F", "%t"], capture_output=True, text=True, check=False)
        return said.stdout.split()

    def plain(self, leaf):
        return self.retained.get(PLAIN + leaf, "")

    def commands(self):
        return [payload for leaf, payload in self.passed if leaf == "command"]

    def send(self, topic, payload, retain=False):
        self.client.publish(topic, payload, qos=1, retain=retain).wait_for_publish(10)


class HomeAssistant(Program):
    """A headless Home Assistant with a token, an MQTT entry and no cloud."""
    def __init__(self, broker):
        self.folder, self.port, key, token = WORK / "hass", free_port(), secrets.token_hex(64), secrets.token_hex(16)
        storage = self.folder / ".storage"
        storage.mkdir(parents=True)
        user = {"id": "1" * 32, "group_ids": ["system-admin"], "is_owner": True, "is_active": True, "name": "test",
                "system_generated": False, "local_only": False}
        refresh = {"id": token, "user_id": user["id"], "client_id": None, "client_name": "test", "client_icon": None,
                   "token_type": "long_lived_access_token", "created_at": "2024-03-01T00:00:00+00:00",
                   "access_token_expiration": 315360000.0, "token": secrets.token_hex(64), "jwt_key": key,
                   "last_used_at": None, "last_used_ip": None, "credential_id": None, "version": "2024.3.3"}
        entry = {"entry_id": "2" * 32, "version": 1, "minor_version": 1, "domain": "mqtt", "title": "broker",
                 "data": {"broker": "127.0.0.1", "port": broker.port, "discovery": True}, "options": {},
                 "pref_disable_new_entities": False, "pref_disable_polling": False, "source": "user", "unique_id": None,
                 "disabled_by": None}
        for name, version, data in [
                ("auth", 1, {"users": [user], "groups": [{"id": "system-admin", "name": "Administrators"}], "credentials": [],
                             "refresh_tokens": [refresh]}),
                ("onboarding", 4, {"done": ["user", "core_config", "analytics", "integration"]}),
                ("core.config_entries", 1, {"entries": [entry]})]:
            (storage / name).write_text(json.dumps({"version": version, "minor_version": 1, "key": name, "data": data}))
        (self.folder / "configuration.yaml").write_text(
            (TOP / "Tests/Deploy/lib/configuration.yaml").read_text().replace("PORT", str(self.port)))
        for file in ("home-assistant.yaml", "zigbee-button.yaml"):
            if (EXAMPLES / file).exists():
                (self.folder / file).write_text((EXAMPLES / file).read_text())
        now = int(time.time())
        self.token = jwt.encode({"iss": token, "iat": now, "exp": now + 86400 * 365}, key, algorithm="HS256")
        super().__init__("hass", str(pathlib.Path(sys.executable).parent / "hass"), "-c", str(self.folder), "--skip-pip",
                         env={**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"},
                         started=self.is_up)

    def ask(self, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/{path}", json.dumps(body).encode() if body is not None else None,
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def is_up(self):
        try:
            return self.ask("config")["state"] == "RUNNING"
        except (OSError, ValueError):
            return False

    def states(self):
        return {state["entity_id"]: state for state in self.ask("states")}

    def state(self, entity):
        return self.states().get(entity, {}).get("state")

    def call(self, service, entity, **data):
        self.ask("services/" + service.replace(".", "/"), {"entity_id": entity, **data})

    def press(self, leaf):
        self.call("button.press", f"button.lockstep_home_{leaf}")

    def complaints(self):
        """The warnings and errors about MQTT, templates and entities since the start of the test."""
        words = ("mqtt", "template", "sensor", "lockstep", "entity", "automation", "rest_command")
        return [line for line in self.log.read_text().splitlines()
                if (" WARNING " in line or " ERROR " in line) and any(word in line for word in words)
                # The test stops the broker.
                and not any(word in line for word in ("Disconnected from MQTT", "paho.mqtt.client", "Failed to connect to MQTT"))]



class Stub:
    """A stand-in for a node: it publishes the payloads that the Swift tests keep, and plays the plain topics."""
    CAN = {"idle": [], "running": ["pause", "stop", "skip", "extend", "break"], "paused": ["resume", "stop", "skip", "extend", "break"]}

    def __init__(self, broker, _hass):
        self.broker, self.client, self.draft, self.seen = broker, None, "", set()
        self.idle()

    def idle(self):
        self.status, self.title, self.length, self.ends = "idle", None, 0, None

    def start(self):
        self.client = mqtt.Client(f"stub-{secrets.token_hex(4)}")
        self.client.will_set(PLAIN + "available", "offline", 1, True)
        self.client.on_connect = self.connected
        self.client.on_message = self.received
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", self.broker.port)
        self.client.loop_start()

    def kill(self):
        self.client._sock_close()
        self.client.loop_stop()

    def connected(self, client, *_):
        client.subscribe([(PLAIN + "command", 1), ("homeassistant/status", 0)])
        self.publish_all()

    def publish_all(self):
        for topic, payload in CONFIGS.items():
            self.client.publish(topic, json.dumps(payload), 1, True)
        self.show()
        self.client.publish(PLAIN + "available", "online", 1, True)

    def switch_off(self):
        for topic in [*CONFIGS, *(PLAIN + leaf for leaf in [*self.values(), "json", "available"])]:
            self.client.publish(topic, "", 1, True).wait_for_publish(10)

    def truth(self):
        is_live = self.status in {"running", "paused"}
        return {"status": self.status, "title": self.title, "owner": "desk" if is_live else None,
                "currentPhase": {"kind": "focus", "name": None, "seconds": self.length} if is_live else None,
                "remainingSeconds": self.length if is_live else None, "endsAtISO": self.ends,
                "calmPercent": 0 if is_live else None, "debtMinutes": -30}

    def values(self):
        truth = self.truth()
        return {"state": self.status, "title": self.title, "label": None, "phase": truth["currentPhase"] and "focus",
                "owner": truth["owner"], "ends_at": self.ends, "remaining": self.length if self.status == "paused" else None,
                "calm": truth["calmPercent"], "debt": -30, "streak": None, "nodes": 1, "draft": self.title or self.draft}

    def show(self):
        values = self.values()
        values["json"] = json.dumps({**values, "alarm": False, "can": self.CAN[self.status], "session": None})
        for leaf, value in values.items():
            self.client.publish(PLAIN + leaf, "" if value is None else str(value), 1, True)

    def received(self, _client, _data, message):
        if message.topic == "homeassistant/status":
            if message.payload == b"online":
                self.publish_all()
            return
        text = message.payload.decode()
        value = json.loads(text) if text[:1] == "{" else {"op": text, "id": secrets.token_hex(4)}
        if value["id"] in self.seen:
            return
        self.seen.add(value["id"])
        op = value["op"] if value["op"] != "toggle" else "pause" if self.status == "running" else "resume"
        event = {"start": "started", "pause": "paused", "resume": "resumed", "stop": "stopped"}.get(op)
        if op == "start":
            self.status, self.title = "running", value.get("title") or self.draft or None
            self.length = 60 * int(value.get("for", "25m")[:-1])
        elif op == "title":
            self.draft = value["title"]
            self.title = self.draft if self.status != "idle" else None
        elif op in {"pause", "resume"}:
            self.status = op + "d" if op == "resume" else "paused"
        elif op == "extend":
            self.length += value["seconds"]
        elif op == "stop":
            self.idle()
        self.status = "running" if self.status == "resumed" else self.status
        self.ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.length)) if self.status == "running" else None
        self.show()
        if event:
            self.client.publish(PLAIN + "event", json.dumps({"event_type": event, "session": "1", "title": self.title or ""}), 1)


class Node(Program):
    """A real node; `desk` serves Home Assistant, and `hall` notices when desk is gone."""
    def __init__(self, broker, name="desk", serves=True):
        presets = WORK / "presets"
        presets.write_text("pomodoro = (focus 25m, shortBreak 5m) x3, focus 25m\ndeep = focus 50m, shortBreak 10m\n")
        self.settings = {"LOCKSTEP_PLAIN": "on", "LOCKSTEP_HOME_ASSISTANT": "on"} if serves else {}
        self.common = {**os.environ, "LOCKSTEP_BROKER": f"mqtt://127.0.0.1:{broker.port}", "LOCKSTEP_NODE": name,
                       "LOCKSTEP_STATE_DIR": str(WORK / name), "LOCKSTEP_SOCKET": str(WORK / f"{name}.sock"),
                       "LOCKSTEP_PRESETS": str(presets)}
        super().__init__(name, str(PROGRAMS / "lockstep-node"), started=lambda: self.truth() is not None)

    def start(self):
        self.env = {**self.common, **self.settings}
        super().start()

    def kill(self):
        self.stop(signal.SIGKILL)

    def switch_off(self):
        self.stop()
        self.settings = {}
        self.start()

    def truth(self):
        said = subprocess.run([PROGRAMS / "lockstep", "status", "--json"], env=self.common, capture_output=True, timeout=20, check=False)
        return json.loads(said.stdout) if said.stdout else None


class Test:
    def __init__(self):
        self.broker = Broker()
        self.broker.start()
        self.watcher = Watcher(self.broker)
        self.hass = HomeAssistant(self.broker)
        self.node = Stub(self.broker, None) if KIND == "stub" else Node(self.broker)
        if KIND == "node":
            Node(self.broker, "hall", serves=False).start()
            ledger = {"LOCKSTEP_BROKER": f"mqtt://127.0.0.1:{self.broker.port}", "LOCKSTEP_STATE_DIR": str(WORK / "debt")}
            Program("debt", str(PROGRAMS / "lockstep-debt"), env={**os.environ, **ledger}).start()
        self.node.start()
        self.hass.start()

    def entities(self):
        """The entities of the configs, by name of entity."""
        return {f"{topic.split('/')[1]}.{config['object_id']}": config for topic, config in CONFIGS.items()}

    def differences(self):
        """What Home Assistant shows otherwise than the engine says."""
        truth, states, found = self.node.truth(), self.hass.states(), []
        if truth is None:
            return ["the node does not answer"]
        can = json.loads(self.watcher.plain("json") or "{}").get("can", [])

        def expect(entity, value):
            shown = states.get(entity, {}).get("state")
            if shown != str(value):
                found.append(f"{entity} is {shown}, not {value}")
        status = "stale" if truth.get("stale") else truth["status"]
        phase, is_live = truth["currentPhase"] or {}, status in {"running", "paused", "ready", "stale"}
        expect("sensor.lockstep_home_state", status)
        if is_live:
            expect("sensor.lockstep_home_title", truth["title"] or "")
            expect("sensor.lockstep_home_phase", phase.get("name") or phase.get("kind") or "")
            expect("sensor.lockstep_home_owner", truth["owner"])
        ends = truth["endsAtISO"] if status == "running" else None
        shown = states.get("sensor.lockstep_home_ends_at", {}).get("state", "missing")
        # Home Assistant shows whole seconds.
        if (ends is None) != (shown == "unavailable") or ends and abs(seconds_of(shown) - seconds_of(ends)) > 1:
            found.append(f"ends at {shown}, not {ends}")
        expect("sensor.lockstep_home_remaining", truth["remainingSeconds"] if status in {"paused", "ready"} else "unavailable")
        for leaf, value in (("calm", truth["calmPercent"]), ("debt", truth["debtMinutes"])):
            expect(f"sensor.lockstep_home_{leaf}", "unavailable" if value is None else value)
        for leaf in ("pause", "resume", "stop", "extend", "break", "focus", "skip", "ok"):
            state = states.get(f"button.lockstep_home_{leaf}", {}).get("state", "missing")
            if (state not in {"unavailable", "missing"}) != (leaf in can):
                found.append(f"button {leaf} is {state}; possible is {can}")
        if ("pause" in can) != (status == "running") or ("resume" in can) != (status == "paused"):
            found.append(f"{status}, but possible is {can}")
        return found

    def agree(self, what, seconds=10):
        return until(f"{what}: entities equal the engine's view", seconds, lambda: not self.differences(), self.differences)

    def does(self, what, status, act, command):
        """A press in Home Assistant is one command, and has its effect."""
        before = len(self.watcher.commands())
        act()
        until(f"{what}: one command", 10, lambda: len(self.watcher.commands()) > before)
        found = self.watcher.commands()[before:]
        if len(found) != 1 or {**found[0], "id": ""} != {"id": "", **command} or not found[0]["id"]:
            wrong(f"{what} sent {found}")
        until(f"{what}: the session is {status}", 10, lambda: self.node.truth()["status"] == status, self.node.truth)
        self.agree(what)

    def all_unavailable(self):
        states = self.hass.states()
        return all(states.get(entity, {}).get("state") == "unavailable" for entity in self.entities())

    def configs_there(self):
        return {t for t in self.watcher.retained if t.endswith("/config") and "/lockstep_home/" in t}

    def check_entities(self):
        until("all entities appear", 30, lambda: self.entities().keys() <= self.hass.states().keys(),
              lambda: self.entities().keys() - self.hass.states().keys())
        states = self.hass.states()
        for entity, config in self.entities().items():
            attributes = states.get(entity, {}).get("attributes", {})
            if attributes.get("device_class") != config.get("device_class"):
                wrong(f"{entity} has the class {attributes.get('device_class')}")
            if attributes.get("friendly_name") != f"{config['device']['name']} {config['name']}":
                wrong(f"{entity} is called {attributes.get('friendly_name')}")
        ghosts = {e for e in states if "lockstep" in e and not e.startswith("automation.")} - self.entities().keys()
        if ghosts or self.configs_there() != CONFIGS.keys():
            wrong(f"more than the configs: {ghosts} {self.configs_there() ^ CONFIGS.keys()}")
        self.agree("at the start")

    def check_presses(self):
        before = len(self.watcher.commands())
        self.hass.press("pause")
        self.does("Title", "idle", lambda: self.hass.call("text.set_value", "text.lockstep_home_title", value='A "b" ü'),
                  {"op": "title", "title": 'A "b" ü'})
        if len(self.watcher.commands()) != before + 1:
            wrong("Pause without a session sent something")
        until("the draft is shown", 5, lambda: self.hass.state("text.lockstep_home_title") == 'A "b" ü')
        self.does("Minutes", "running", lambda: self.hass.call("number.set_value", "number.lockstep_home_minutes", value=20),
                  {"op": "start", "for": "20m"})
        if self.node.truth()["title"] != 'A "b" ü':
            wrong(f"the session is called {self.node.truth()['title']}")
        before = len(self.watcher.commands())
        for _ in range(5):
            self.hass.press("extend")
        until("five presses are 5 min", 10, lambda: self.node.truth()["currentPhase"]["seconds"] == 1500, self.node.truth)
        if len({command["id"] for command in self.watcher.commands()[before:]}) != 5:
            wrong(f"five presses are {self.watcher.commands()[before:]}")
        self.agree("+1 min")
        self.does("Pause", "paused", lambda: self.hass.press("pause"), {"op": "pause"})
        self.does("Resume", "running", lambda: self.hass.press("resume"), {"op": "resume"})
        self.does("Title", "running", lambda: self.hass.call("text.set_value", "text.lockstep_home_title", value="C"),
                  {"op": "title", "title": "C"})
        self.does("Preset", "running", lambda: self.hass.call("select.select_option", "select.lockstep_home_preset", option="deep"),
                  {"op": "start", "preset": "deep"})
        until("the event", 5, lambda: self.hass.states()["event.lockstep_home_event"]["attributes"]["event_type"] == "started",
              lambda: self.hass.states()["event.lockstep_home_event"])
        for entity in ("number.lockstep_home_minutes", "select.lockstep_home_preset"):
            if self.hass.state(entity) != "unknown":  # else the same value would start nothing a second time
                wrong(f"{entity} is {self.hass.state(entity)}")

    def check_examples(self):
        lamp = lambda: self.hass.state("input_boolean.lamp")
        until("the lamp is red while focus runs", 10, lambda: lamp() == "on", lamp)
        self.hass.call("input_boolean.turn_on", "input_boolean.phone")
        until("a ringing phone pauses", 10, lambda: self.node.truth()["status"] == "paused")
        until("the lamp is off", 10, lambda: lamp() == "off", lamp)
        for press, status in (("single", "running"), ("hold", None), ("single", "running"), ("double", "running")):
            self.watcher.send("zigbee2mqtt/desk-button/action", press)
            until(f"the button, {press}", 10, lambda: (self.node.truth()["status"] == status if status else
                                                       self.node.truth()["status"] not in {"running", "paused"}))
            self.agree(f"the button, {press}")
        until("two presses are a minute", 10, lambda: self.node.truth()["currentPhase"]["seconds"] == 1560, self.node.truth)
        if KIND == "node":
            until("there is a debt", 10, lambda: self.hass.state("sensor.lockstep_home_debt") != "unavailable")
        self.hass.call("automation.trigger", "automation.the_debt_of_the_week_on_sunday_evening", skip_condition=True)
        card = (EXAMPLES / "dashboard-card.yaml").read_text()
        for word in card.split():
            if ".lockstep_home_" in word and word not in self.entities():
                wrong(f"dashboard-card.yaml names {word}")

    def check_restarts(self):
        before = len(self.watcher.commands())
        self.hass.stop()
        self.hass.start()
        self.agree("Home Assistant again", 30)
        self.node.kill()
        until("a dead node is unavailable", 5, self.all_unavailable)
        self.node.start()
        self.agree("the node again", 30)
        self.broker.stop()
        self.broker.forget()
        self.broker.start()
        until("a broker that forgot all is filled", 30, lambda: self.configs_there() == CONFIGS.keys() and self.watcher.plain("json"))
        self.agree("the broker again", 30)
        self.watcher.send("homeassistant/status", "online")
        if len(self.watcher.commands()) != before:
            wrong(f"replayed: {self.watcher.commands()[before:]}")
        self.agree("birth")

    def check_month(self):
        dice, before = random.Random(int(os.environ.get("SEED", "1"))), len(self.watcher.commands())
        for number in range(ROUNDS):
            script = []
            for _ in range(3):
                states = self.hass.states()
                able = [leaf for leaf in ("pause", "resume", "extend", "stop", "skip", "break")
                        if states.get(f"button.lockstep_home_{leaf}", {}).get("state", "unavailable") != "unavailable"]
                leaf = dice.choice(able or ["start"])
                script.append(leaf)
                if leaf == "start":
                    self.hass.call("number.set_value", "number.lockstep_home_minutes", value=dice.randint(1, 90))
                else:
                    self.hass.press(leaf)
            parts = [self.node, self.broker] + ([self.hass] if number % 10 == 9 else [])
            dice.shuffle(parts)
            for part in parts:
                script.append(type(part).__name__)
                part.kill() if part is self.node else part.stop()
            dice.shuffle(parts)
            for part in [self.broker] + [p for p in parts if p is not self.broker]:
                part.start()
            if not self.agree(f"round {number}, {script}", 40):
                return
        if len(self.watcher.commands()) - before < 2 * ROUNDS:
            wrong(f"only {len(self.watcher.commands()) - before} commands in {ROUNDS} rounds")

    def check_removal(self):
        self.node.switch_off()
        until("all is cleared", 30, lambda: not self.watcher.still_retained(self.broker), lambda: self.watcher.still_retained(self.broker))
        until("no entity is left", 10, lambda: not self.entities().keys() & self.hass.states().keys())

    def run(self):
        checks = [self.check_entities, self.check_presses, self.check_examples, self.check_restarts]
        for check in [*checks, *([self.check_month] if KIND == "node" else []), self.check_removal]:
            began = time.monotonic()
            check()
            print(f"{check.__name__[6:]}: {time.monotonic() - began:.0f} s", flush=True)
        for line in dict.fromkeys(self.hass.complaints()):
            wrong(f"Home Assistant says: {line}")
        self.hass.stop()
        return 1 if wrongs else 0


sys.exit(Test().run())
