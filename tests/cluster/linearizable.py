#!/usr/bin/env python3
"""Several clients add, replace, compare and swap, remove, read and search a few documents, while processes are killed and stopped, links
are cut and clocks jump: each document must have been a register (registers.py), and searches must show its changes in time.

Longer: linearizable.py --faults all --seconds 6
"""
import collections
import http.client
import json
import math
import os
import random
import signal
import threading
import time

import fault_world
import harness
import namespace
import writing
from registers import Operation, explain

ROOT = "/v1/collections/c"
SHORT = "service killed,service cut off"
PATIENCE = 1.0  # seconds that a client waits for an answer
VISIBLE = 5.0   # a change is to be seen so many seconds after it was answered, or after the fault is over, on a busy machine


class History:
    def __init__(self):
        self.of, self._lock, self._last = collections.defaultdict(list), threading.Lock(), 0

    def note(self, key, operation):
        with self._lock:
            self.of[key].append(operation)

    def new_value(self):
        with self._lock:
            self._last += 1
            return self._last


class Client(threading.Thread):
    """Asks one thing after the other. What is not answered may have been done, and is not sent again. So may what is answered 503, where the
    service says so; other refusals are held against it."""

    def __init__(self, world, history, keys, rng):
        super().__init__(daemon=True)
        self.world, self.history, self.keys, self.rng = world, history, keys, rng
        self.ended, self.calm, self.failure = threading.Event(), threading.Event(), None
        self.counts = collections.Counter()

    def run(self):
        try:
            while not self.ended.is_set():
                key, kind = self.rng.choice(self.keys), self.rng.choice(("put", "create", "swap", "swap", "remove", "read", "seen", "seen", "seen"))
                if self.calm.is_set() and kind not in ("read", "seen"):
                    kind = "seen"
                {"seen": self.search, "read": self.read, "swap": self.swap}.get(kind, self.change)(key, *((kind,) if kind in ("put", "create", "remove") else ()))
                time.sleep(self.rng.expovariate(1 / 0.03))
        except Exception as error:  # pylint: disable=broad-except
            self.failure = f"{type(error).__name__}: {error}"

    def ask(self, port, method, path, body=None, key=None):
        """(status, body). 0: no answer; -1: nothing was sent."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.connect()
        except OSError:
            time.sleep(0.05)
            return -1, ""
        try:
            connection.request(method, path, body=body, headers={"Authorization": "Bearer " + self.world.service.keys[key]} if key else {})
            reply = connection.getresponse()
            return reply.status, reply.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def change(self, key, kind, change=None, expected=None):
        value = None if kind == "remove" else self.history.new_value()
        what = {"remove": {"remove": {"id": key}}, "create": {"create": {"id": key}}}.get(kind, {"index": {"id": key, **({"if_change": change} if kind == "swap" else {})}})
        lines = [json.dumps(what)]
        if kind != "remove":
            lines.append(json.dumps({"id": key, "title": f"{key} v{value}", "body": "", "_source": {"v": value}}))
        service = self.rng.choice(self.world.services)
        begin = time.monotonic()
        status, answer = self.ask(service.port, "POST", ROOT + "/changes", "\n".join(lines) + "\n", "write")
        end = time.monotonic()
        self.counts[status] += 1
        result = json.loads(answer)["result"] if status == 200 else None
        if status in (0, 500) or (status == 503 and "may or may not have been accepted" in answer):
            self.history.note(key, Operation(kind, value, None, begin, math.inf, expected=expected))
        elif status == 200:
            self.history.note(key, Operation(kind, value, result, begin, end, expected=expected))
        else:
            harness.expect(status in (-1, 404, 429, 503), f"{kind}: {status}: {answer[:300]}")

    def read(self, key):
        """(value, number of the last change)."""
        begin = time.monotonic()
        status, answer = self.ask(self.rng.choice(self.world.services).port, "POST", ROOT + "/latest", json.dumps({"ids": [key]}), "search")
        end = time.monotonic()
        self.counts[status] += 1
        if status != 200:
            return None, None
        document = json.loads(answer)
        value = document["source"]["v"] if document["exists"] else None
        self.history.note(key, Operation("read", value, None, begin, end))
        return value, document.get("change")

    def swap(self, key):
        value, change = self.read(key)
        if change is not None and value is not None:
            self.change(key, "swap", change, value)

    def search(self, key):
        viewer = self.rng.randrange(len(self.world.brokers_http))
        if self.rng.random() < 0.5:
            path = f"{ROOT}/documents/{key}"
        else:
            path = f"{ROOT}/search?q={key}&fields=id,title&timeout_ms=1000&cache={self.rng.choice(('on', 'off'))}"
        begin = time.monotonic()
        status, answer = self.ask(self.world.brokers_http[viewer], "GET", path)
        end = time.monotonic()
        self.counts[status] += 1
        if status == 404:
            titles = []
        elif status != 200:
            return
        else:
            answer = json.loads(answer)
            if answer.get("coverage", {}).get("degraded") or answer.get("timed_out"):
                return
            titles = [answer["title"]] if "title" in answer else [hit["title"] for hit in answer["hits"] if hit["id"] == key]
        harness.expect(len(titles) <= 1, f"{key} is there {len(titles)} times")
        self.history.note(key, Operation("seen", int(titles[0].split(" v")[1]) if titles else None, None, begin, end, viewer=viewer))


class World(fault_world.World):
    """With what the clients need to know of faults."""

    def __init__(self, setting):
        super().__init__(setting, 100, made=json.dumps({"schema": {"fields": {"title": {"type": "text"}, "body": {"type": "text"}}}}))
        self.services, self.faults = [self.service], []

    def learn(self):
        """Nothing: clients ask for what they wrote."""

    def seen_by(self, answered):
        """From when on a change is to be seen, known when all faults are over."""
        latest = answered + VISIBLE
        for begin, end in self.faults:
            if begin < latest and end > answered:
                latest = max(latest, end + VISIBLE)
        return latest


def faults(world, clients):
    """What is done; each gives what undoes it."""
    setting, rng = world.setting, world.rng

    def service_killed():
        for _ in range(2):
            time.sleep(rng.uniform(0.1, 0.6))
            world.service.kill_and_start()

    def stopped(process, seconds):
        process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        process.send_signal(signal.SIGCONT)

    def taken_over():
        """All is published before, since what is in its log alone stays with the service that is overtaken."""
        for client in clients:
            client.calm.set()
        time.sleep(PATIENCE + 0.5)
        world.service.refresh()
        first = world.service
        first.process.send_signal(signal.SIGSTOP)
        second = writing.Service(setting, world.folder, first.keys, "--state", setting.path(f"state{len(world.services)}"), "--take-over", "any-log",
                                 *world.service_flags, name=f"service{len(world.services)}")
        harness.eventually(lambda: second.state()["state"] == "writing", "the second service takes over")
        world.services.append(second)
        for client in clients:
            client.calm.clear()
        time.sleep(1)
        first.process.send_signal(signal.SIGCONT)
        time.sleep(2)
        for client in clients:
            client.calm.set()
        time.sleep(PATIENCE + 0.5)
        second.refresh()
        world.services.remove(second)
        harness.end(second.process, "the second service")
        harness.eventually(lambda: first.state()["state"] == "writing", "the first one writes again")
        for client in clients:
            client.calm.clear()

    def left_out(why):
        print(f"left out: {why}", flush=True)

    def lost(*matches):
        if not namespace.can_lose():
            return left_out("no network of its own, or no nft")
        namespace.lose(*matches)
        time.sleep(PATIENCE * 1.5)
        namespace.carry()

    def leaf_killed():
        harness.kill9(world.leaves[0])
        time.sleep(1)
        world.start_leaf(0)

    def leaves_in_turn():
        for number in range(len(world.leaves)):
            harness.kill9(world.leaves[number])
            world.start_leaf(number)
            world.await_recovered()

    clock = os.path.join(setting.programs, "..", "tests", "libshifted_clock.so")

    def clock_jumps():
        with open(setting.path("clock"), "wb") as file:
            file.write(bytes(8))
        before = ("env", f"LD_PRELOAD={clock}", f"SHIFTED_CLOCK={setting.path('clock')}")
        setting.before["frond-indexer"] = before
        world.service.kill_and_start()
        for number in range(len(world.leaves)):
            harness.kill9(world.leaves[number])
            world.start_leaf(number, *before)
            world.await_recovered()
        for by in (3600, -3600, 86400 * 400, 0):
            with open(setting.path("clock"), "r+b") as file:  # in place: it is mapped
                file.write(by.to_bytes(8, "little", signed=True))
            time.sleep(1)
        setting.before["frond-indexer"] = ()

    return {"service killed": service_killed, "service stopped": lambda: stopped(world.service.process, 4.5), "taken over": taken_over,
            "service cut off": lambda: lost(f"tcp dport {world.service.port}"), "its answers lost": lambda: lost(f"tcp sport {world.service.port}"),
            "leaf killed": leaf_killed, "leaves in turn": leaves_in_turn, "leaf stopped": lambda: stopped(world.leaves[0], 3),
            "leaf cut off": lambda: lost(f"tcp sport {world.leaf_ports[0]}", f"tcp dport {world.leaf_ports[0]}"),
            "clock jumps": clock_jumps if os.path.exists(clock) else lambda: left_out("no tests/libshifted_clock.so")}


def check_sees():
    """The check finds what it is there for, and nothing where all is right."""
    put, end = lambda value, begin, result="updated", wait=1: Operation("put", value, result, begin, begin + 1, begin + 1 + wait), math.inf
    first = put(1, 0, "created")
    read, seen = lambda value, begin: Operation("read", value, None, begin, begin + 1), lambda value, begin, viewer=0: Operation("seen", value, None, begin, begin + 1, viewer=viewer)
    unknown, swap = Operation("put", 9, None, 2, end), lambda expected, value, result, begin: Operation("swap", value, result, begin, begin + 1, begin + 2, expected=expected)
    remove = lambda begin, result="removed": Operation("remove", None, result, begin, begin + 1, begin + 2)
    right = {"in turn": [first, read(1, 2), put(2, 4), read(2, 6), remove(8), read(None, 10), seen(None, 12)],
             "at the same time": [first, put(2, 2), put(3, 2.5), read(2, 4)],
             "searched a while later": [first, seen(None, 1.5), seen(1, 3), put(2, 4, wait=5), seen(1, 6), read(2, 6), seen(2, 11)],
             "nobody knows": [first, unknown, read(1, 4), read(9, 6)], "it never came": [first, unknown, read(1, 4), read(1, 6)],
             "other viewers": [first, put(2, 4, wait=5), seen(2, 5, 0), seen(1, 7, 1)], "swapped": [first, swap(1, 2, "updated", 2), swap(1, 3, "conflict", 4)]}
    wrong = {"a lost update": [first, put(2, 2), read(1, 4)], "two swaps of one value": [first, swap(1, 2, "updated", 2), swap(1, 3, "updated", 2.5)],
             "a stale read": [first, put(2, 2), read(2, 4), read(1, 6)], "a stale search": [first, put(2, 2), seen(1, 5)],
             "a removed document that comes back": [first, remove(2), read(None, 4), read(1, 6)],
             "… in searches": [first, remove(2), seen(None, 3.5), seen(1, 6)], "back for one viewer": [first, put(2, 4, wait=9), seen(2, 5), seen(1, 7)],
             "made from nothing": [first, read(7, 3)], "created twice": [first, put(2, 2, "created")], "removed what was not there": [first, remove(2), remove(4)],
             "seen before it was sent": [first, seen(2, 2), put(2, 5)], "what nobody knows, taken back": [first, unknown, read(9, 4), read(1, 6)]}
    for name, history in right.items():
        harness.expect(explain(history) is None, f"{name}: {explain(history)}")
    for name, history in wrong.items():
        harness.expect(explain(history) is not None, f"not seen: {name}")
    return len(wrong)


def test(setting, parsed):
    print(f"the check sees {check_sees()} kinds of wrong histories", flush=True)
    world = World(setting)
    rng, history = setting.rng, History()
    keys = [f"key{number}" for number in range(parsed.documents)]
    clients = [Client(world, history, keys, random.Random(rng.random())) for _ in range(parsed.clients)]
    for client in clients:
        client.start()
    known = faults(world, clients)
    for name in list(known) if parsed.faults == "all" else parsed.faults.split(","):
        time.sleep(parsed.seconds)
        begin = time.monotonic()
        world.faults.append((begin, math.inf))
        known[name]()
        world.await_recovered()
        harness.eventually(lambda: world.service.state()["state"] == "writing", "the service writes")
        world.service.refresh()
        world.faults[-1] = (begin, time.monotonic())
        print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
    time.sleep(parsed.seconds)
    for client in clients:
        client.ended.set()
    for client in clients:
        client.join(60)
        harness.expect(client.failure is None and not client.is_alive(), client.failure or "a client hangs")
    statuses = sum((client.counts for client in clients), collections.Counter())
    for key, operations in history.of.items():
        why = explain([one._replace(visible=world.seen_by(one.end)) for one in operations])
        harness.expect(why is None, f"{key} was no register: {why}")
    kinds = collections.Counter(one.kind for operations in history.of.values() for one in operations)
    print(f"{sum(kinds.values())} operations, {dict(kinds)}, answers {dict(statuses)}: each document was a register, and seen within {VISIBLE:.0f} s")


parser = harness.arguments(__doc__)
parser.add_argument("--faults", default=SHORT, help="all, or names separated by commas")
parser.add_argument("--seconds", type=float, default=0.5, help="without a fault, before each")
parser.add_argument("--clients", type=int, default=4)
parser.add_argument("--documents", type=int, default=5)
if __name__ == "__main__":
    namespace.enter("no namespaces here: links are not cut")
    parsed_arguments = parser.parse_args()
    harness.run(lambda setting: test(setting, parsed_arguments), parsed_arguments)
