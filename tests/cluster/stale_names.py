#!/usr/bin/env python3
"""Leaves are replaced one after the other, each at a new address, as in an upgrade: the next one is stopped as soon as the one before
is ready. Brokers learn addresses from two DNS caches that are old and inconsistent. No search fails and none is degraded.

Runs twice: once leaves that are stopped wait for brokers that need them (--drain-needed-ms), once new leaves are not ready until
brokers must have found them (--ready-after-ms).
"""
import json
import os
import threading
import time

import harness
import names
import random_text

SHARDS = 2
STALE_SECONDS = 5   # an answer's age at most, in each cache
FLIP_SECONDS = 0.7  # then the other cache is asked
LOOK_UP_MS = 500


class Caches:
    """Two DNS caches, and what each broker is told by them."""

    def __init__(self, brokers):
        self.brokers = brokers
        self.truth, self.lock, self.stop = [], threading.Lock(), threading.Event()
        self.answers, self.expires = [[], []], [0.0, STALE_SECONDS / 2]  # of different ages
        self.thread = threading.Thread(target=self.run, daemon=True)

    def change(self, gone=None, come=None):
        with self.lock:
            self.truth = [one for one in self.truth if one != gone] + ([come] if come else [])

    def run(self):
        while not self.stop.is_set():
            now = time.monotonic()
            for cache in range(2):
                if now >= self.expires[cache]:
                    with self.lock:
                        self.answers[cache] = list(self.truth)
                    self.expires[cache] = now + STALE_SECONDS
            for number, broker in enumerate(self.brokers):
                broker.set(self.answers[(int(now / FLIP_SECONDS) + number) % 2])
            time.sleep(0.1)


class Leaves:
    """Two sets of SHARDS leaves; each start of one is at an address that was never used before."""

    def __init__(self, setting, repository, caches, port, http):
        self.setting, self.repository, self.caches, self.port, self.http = setting, repository, caches, port, http
        self.started = 0
        self.running = {}

    def start(self, name, shard):
        self.started += 1
        address = f"127.0.2.{self.started}"
        process = self.setting.spawn(f"leaf-{name}", "frond-leaf", "--repository", self.repository, "--collection", "c",
                                     "--data", self.setting.path(f"data-{name}"), "--listen", f"tcp://{address}:{self.port}",
                                     "--http", f"{address}:{self.http}", "--shard", f"{shard}/{SHARDS}", "--drain-ms", 500)
        self.caches.change(come=address)
        self.running[name] = (process, address)

    def await_ready(self, name):
        process, address = self.running[name]

        def ready():
            harness.expect(process.poll() is None, f"leaf {name} ended at its start")
            return fetch(address, self.http, "/readyz")[0] == 200

        harness.eventually(ready, f"leaf {name} is ready", 60)

    def replace(self, name, shard):
        process, address = self.running[name]
        process.terminate()
        harness.expect(process.wait(60) == 0, f"leaf {name} did not exit 0 at SIGTERM")
        self.caches.change(gone=address)
        self.start(name, shard)
        self.await_ready(name)


def fetch(address, port, path):
    connection = harness.http.client.HTTPConnection(address, port, timeout=30)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


class Searches:
    """Asks a broker some twenty times a second."""

    def __init__(self, http, words, rng):
        self.http, self.words, self.rng = http, words, rng
        self.asked = self.failed = self.degraded = 0
        self.why = ""
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stop.is_set():
            self.asked += 1
            try:
                answer = harness.Answer(*harness.fetch(
                    self.http, f"/v1/search?q={self.rng.choice(self.words)}&cache=off&timeout_ms=20000"))
                if not answer.whole:
                    self.degraded += 1
                    self.why = str(answer.degraded)
            except (OSError, harness.Failure) as error:
                self.failed += 1
                self.why = str(error)
            time.sleep(0.05)


def upgrade(setting, repository, words, mode):
    os.environ.update(mode)
    port, http, *broker_http = harness.free_ports(4)
    brokers = [names.Name(setting, f"broker{number}") for number in range(2)]
    caches = Caches(brokers)
    leaves = Leaves(setting, repository, caches, port, http)
    members = [(f"{group}{shard}", shard) for group in "ab" for shard in range(SHARDS)]
    for name, shard in members:
        leaves.start(name, shard)
    caches.thread.start()
    processes = [broker.spawn("frond-broker", "--http", f"127.0.0.1:{own}", "--collection", "c", "--leaf-dns",
                              f"{names.NAME}:{port}", "--leaf-dns-interval-ms", LOOK_UP_MS)
                 for broker, own in zip(brokers, broker_http)]

    def knows_all(own):
        partitions = json.loads(fetch("127.0.0.1", own, "/v1/cluster")[1])["partitions"]
        return partitions and all(len(one["leaves"]) == 2 for one in partitions)

    for own in broker_http:
        harness.eventually(lambda own=own: knows_all(own), "brokers have found the leaves", 60)
    searches = [Searches(own, words, setting.rng) for own in broker_http]
    began = time.monotonic()
    for name, shard in members:
        leaves.replace(name, shard)
        print(f"  {name} replaced after {time.monotonic() - began:.1f} s; failed {[s.failed for s in searches]}, "
              f"degraded {[s.degraded for s in searches]} of {[s.asked for s in searches]}", flush=True)
    time.sleep(STALE_SECONDS)
    for one in searches:
        one.stop.set()
        one.thread.join(60)
    caches.stop.set()
    caches.thread.join()
    for process in [*processes, *(process for process, _ in leaves.running.values())]:
        process.terminate()
    for process in [*processes, *(process for process, _ in leaves.running.values())]:
        harness.expect(process.wait(60) == 0, "a process did not exit 0 at SIGTERM")
    failed, degraded, asked = (sum(getattr(one, what) for one in searches) for what in ("failed", "degraded", "asked"))
    print(f"{mode}: {asked} searches, {failed} failed, {degraded} degraded", flush=True)
    harness.expect(failed == 0 and degraded == 0, f"{mode}: {failed} failed, {degraded} degraded of {asked}: {searches[0].why or searches[1].why}")


def test(setting):
    words = random_text.vocabulary(setting.rng, 50)
    source = random_text.Collection(setting.rng, 200, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 4)
    # In the environment, where programs of before do not mind what they do not know.
    seen = STALE_SECONDS + LOOK_UP_MS / 1000 + FLIP_SECONDS + 1
    upgrade(setting, repository, words, {"FROND_DRAIN_NEEDED_MS": "30000", "FROND_READY_AFTER_MS": "0"})
    upgrade(setting, repository, words, {"FROND_DRAIN_NEEDED_MS": "0", "FROND_READY_AFTER_MS": str(int(1000 * seen))})


parsed = harness.arguments(__doc__).parse_args()
names.skip_unless_possible()
harness.run(test, parsed)
