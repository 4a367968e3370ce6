#!/usr/bin/env python3
"""kill -9 of `frond-indexer serve` at 20 random instants while clients write: every document that was acknowledged is there once, none
that was removed. A service that is stopped (SIGSTOP) keeps its collection: no other can publish, and when it goes on, it is the writer. One whose machine was asleep looks at its lease
before it acknowledges anything.
"""
import collections
import http.client
import json
import os
import signal
import threading
import time
import urllib.parse

import harness
import random_text
import writing

KILLS = 20
DOCUMENTS = "/v1/collections/c/documents"


class Client(threading.Thread):
    """Adds, replaces and removes documents of its own, and knows which remain. A request is sent until it is answered."""

    def __init__(self, service, rng, name, words):
        super().__init__(daemon=True)
        self.service, self.rng, self.prefix, self.words = service, rng, name, words
        self.remaining, self.acknowledged, self.again = {}, 0, 0
        self.ended, self.failure = threading.Event(), None

    def send(self, method, path, body, number):
        while True:
            try:
                status, answer = self.service.ask(method, path, body, key="write", Idempotency_Key=f"{self.prefix} {number}")
                if status == 200:
                    self.acknowledged += 1
                    return
                if status not in (404, 429, 503):  # not opened yet, or busy
                    self.failure = f"{method}: {status}: {answer[:300]}"
                    self.ended.set()
                    return
            except (OSError, http.client.HTTPException):
                pass
            self.again += 1
            time.sleep(0.02)

    def run(self):
        for number in range(1_000_000):
            if self.ended.is_set():
                return
            if self.remaining and self.rng.random() < 0.3:
                name = self.rng.choice(list(self.remaining))
                self.send("DELETE", DOCUMENTS + "/" + urllib.parse.quote(name, safe=""), None, number)
                del self.remaining[name]
                continue
            changed = {f"{self.prefix}{self.rng.randrange(400)}": f"all v{number} {self.rng.choice(self.words)}" for _ in range(self.rng.randrange(1, 20))}
            self.send("POST", DOCUMENTS, "\n".join(json.dumps({"id": name, "title": text, "body": ""}) for name, text in changed.items()), number)
            self.remaining.update(changed)


def check_there(cluster, wanted):
    """Every document once, with its last text."""
    found = []
    while True:
        status, body = harness.fetch(cluster.http, "/v1/search?" + urllib.parse.urlencode(
            {"q": "all", "k": 1000, "offset": len(found), "cache": "off", "fields": "id,title", "timeout_ms": 20000}))
        harness.expect(status == 200, f"{status}: {body[:300]}")
        hits = json.loads(body)["hits"]
        found += [(hit["id"], hit["title"]) for hit in hits]
        if len(hits) < 1000:
            break
    twice = [name for name, times in collections.Counter(name for name, _ in found).items() if times > 1]
    harness.expect(not twice, f"twice: {twice[:10]}")
    found = dict(found)
    harness.expect(found == wanted, f"missing {sorted(wanted.keys() - found.keys())[:10]}, too many {sorted(found.keys() - wanted.keys())[:10]}, "
                   f"others {[name for name in wanted if name in found and found[name] != wanted[name]][:10]}")


def check_stopped(setting, service, flags):
    second = writing.Service(setting, service.repository, service.keys, *flags, name="second")
    service.process.send_signal(signal.SIGSTOP)
    before = harness.current(service.repository, "c")
    end = time.monotonic() + 3
    while time.monotonic() < end:
        harness.expect(second.state()["state"] == "standby", "another service took a stopped one's collection")
        second.expect(503, "POST", DOCUMENTS, writing.line("second", ["all"]), key="write")
        time.sleep(0.2)
    harness.expect(harness.current(service.repository, "c") == before, "somebody published")
    service.process.send_signal(signal.SIGCONT)
    service.expect(200, "POST", DOCUMENTS, json.dumps({"id": "went on", "title": "all", "body": ""}), key="write")
    service.refresh()
    service.process.send_signal(signal.SIGSTOP)
    harness.kill9(service.process)
    harness.eventually(lambda: second.state()["state"] == "writing", "the second service takes over", 10)
    return second


def check_suspended(setting, keys, flags):
    """A machine that was asleep for longer than a lease: what it holds may be another's by now, so it looks before it acknowledges anything."""
    library = os.path.join(setting.programs, "..", "tests", "libshifted_clock.so")
    if not os.path.exists(library):
        return print("left out: no tests/libshifted_clock.so", flush=True)
    clock, repository = setting.path("clock"), setting.path("asleep")
    os.mkdir(repository)
    with open(clock, "wb") as file:
        file.write(bytes(16))
    setting.before["frond-indexer"] = ("env", f"LD_PRELOAD={library}", f"SHIFTED_CLOCK={clock}")
    service = writing.Service(setting, repository, keys, *flags, "--state", setting.path("asleep-state"), "--lease-seconds", "40", name="asleep")
    setting.before["frond-indexer"] = ()
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    service.expect(200, "POST", DOCUMENTS, writing.line("before", ["all"]), key="write")
    service.refresh()
    with open(clock, "r+b") as file:  # in place: it is mapped
        file.seek(8)
        file.write((3600).to_bytes(8, "little"))
    answer = service.expect(503, "POST", DOCUMENTS, writing.line("asleep", ["all"]), key="write")
    harness.expect(b"could not be renewed in time" in answer, f"{answer}")
    harness.eventually(lambda: service.ask("POST", DOCUMENTS, writing.line("awake", ["all"]), key="write")[0] == 200, "it renews its lease, and goes on")
    harness.end(service.process, "the service that was asleep")


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 50)
    keys, key_file = writing.make_keys(setting)
    repository = setting.path("repository")
    os.mkdir(repository)
    flags = ("--api-keys", key_file, "--refresh-ms", "30", "--memory-limit", "128MiB")
    check_suspended(setting, keys, flags)
    service = writing.Service(setting, repository, keys, *flags)
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    clients = [Client(service, type(rng)(rng.random()), name, words) for name in ("a", "b")]
    for client in clients:
        client.start()
    for _ in range(KILLS):
        time.sleep(rng.uniform(0.02, 0.8))
        service.kill_and_start()
    time.sleep(0.5)
    for client in clients:
        client.ended.set()
        client.join(60)
        harness.expect(client.failure is None and not client.is_alive(), client.failure or "a client hangs")
    wanted = {name: text for client in clients for name, text in client.remaining.items()}
    harness.eventually(lambda: service.refresh(), "all is published")
    cluster = harness.Cluster(setting, repository, "c", 1)
    check_there(cluster, wanted)
    print(f"{KILLS} kills, {sum(client.acknowledged for client in clients)} requests acknowledged, {sum(client.again for client in clients)} sent "
          f"again, generation {harness.current(repository, 'c')}, {len(wanted)} documents, each there once", flush=True)
    service = check_stopped(setting, service, flags)
    wanted["went on"] = "all"
    generation = service.refresh()["generation"]
    harness.eventually(lambda: cluster.search("all", cache="off").generation >= generation, "it is served")
    check_there(cluster, wanted)
    cluster.stop()
    harness.end(service.process, "the service")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
