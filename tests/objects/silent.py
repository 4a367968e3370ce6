#!/usr/bin/env python3
"""The object store under `frond-indexer serve` accepts connections and is silent, sends half a header, stands still (SIGSTOP), or the network loses
every packet on the way to it. While the service holds its lease it logs changes and answers 200; after that it answers 503, always soon. Probes
and metrics are answered meanwhile. When the store is back, what was acknowledged is published once. A service that is to end meanwhile does so in time.
"""
import http.client
import os
import signal
import socket
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402
import writing  # noqa: E402
from network import Network  # noqa: E402
from store import PLACE, faulty  # noqa: E402

DOCUMENTS = "/v1/collections/c/documents"
LEASE_S = 8
SOON_S = 3  # on a busy machine


class Client:
    """Posts documents, each of its own, and remembers what was answered."""

    def __init__(self, service):
        self.service, self.acknowledged, self.unknown, self.slowest, self.answer = service, [], [], 0.0, b""

    def post(self):
        name = f"n{len(self.acknowledged) + len(self.unknown)}"
        begin = time.monotonic()
        try:
            status, answer = self.service.ask("POST", DOCUMENTS, writing.line(name, ["word"]), key="write")
        except (socket.timeout, http.client.HTTPException) as error:
            raise harness.Failure(f"a write hangs: {error}") from error
        took = time.monotonic() - begin
        self.slowest, self.answer = max(self.slowest, took), answer[:300]
        harness.expect(took < SOON_S, f"a write took {took:.1f} s: {status}")
        harness.expect(status in (200, 503), f"{status}: {answer[:300]}")
        (self.acknowledged if status == 200 else self.unknown).append(name)
        return status


def expect_probes(service):
    for path, statuses in (("/livez", (200,)), ("/metrics", (200,)), ("/readyz", (200, 503)), ("/v1/collections/c/jobs", (200, 503))):
        begin = time.monotonic()
        status = service.ask("GET", path)[0]
        took = time.monotonic() - begin
        limit = 12 if path == "/readyz" else SOON_S  # it asks the store
        harness.expect(status in statuses and took < limit, f"{path}: {status} after {took:.1f} s")


def check_silence(setting, store, service, client, name, begin_silence, end_silence):
    client.post()
    service.refresh()
    time.sleep(LEASE_S / 4 + 0.5)  # a renewal that waited for the store is as old as its begin; the next one is not
    before, begin = len(client.acknowledged), time.monotonic()
    begin_silence()
    while time.monotonic() - begin < LEASE_S / 2:  # from the last renewal three quarters of the lease are left, but for a quarter
        harness.expect(client.post() == 200, f"{name}: refused while the lease is held, after {time.monotonic() - begin:.1f} s: {client.answer}")
        time.sleep(0.2)
    expect_probes(service)
    while client.post() == 200:
        harness.expect(time.monotonic() - begin < 3 * LEASE_S, f"{name}: the lease is held for ever")
        time.sleep(0.2)
    held = time.monotonic() - begin
    for _ in range(5):
        harness.expect(client.post() == 503, f"{name}: accepted without a lease")
    expect_probes(service)
    end_silence()
    back = time.monotonic()
    harness.eventually(lambda: client.post() == 200, f"{name}: it writes again", 60)
    harness.eventually(lambda: service.ask("POST", "/v1/collections/c/refresh", key="write")[0] == 200, f"{name}: it publishes again", 90)
    print(f"{name}: {len(client.acknowledged) - before} acknowledged, refused after {held:.1f} s, published {time.monotonic() - back:.1f} s after the end", flush=True)


def check_one_request_lost(store, client):
    """A renewal that is never answered does not cost the lease."""
    for _ in range(3):
        store.say("answer nothing")
        begin = time.monotonic()
        while time.monotonic() - begin < LEASE_S:
            if time.monotonic() - begin > 0.95 * LEASE_S / 4:  # one renewal begins in such a time
                store.say("answer well")
            harness.expect(client.post() == 200, f"one lost request: refused after {time.monotonic() - begin:.1f} s: {client.answer}")
            time.sleep(0.05)  # check_there() sees 1,000
    print("one lost request: never refused", flush=True)


def check_end(store, service, client):
    """SIGTERM while the store is silent, with a change that cannot be published."""
    client.post()
    service.refresh()
    store.say("answer nothing")
    harness.expect(client.post() == 200, "refused while the lease is held")
    begin = time.monotonic()
    service.process.terminate()
    harness.expect(service.process.wait(60) == 0, "the service did not exit 0")
    took = time.monotonic() - begin
    harness.expect(took < 15, f"it ended after {took:.1f} s")
    print(f"ended after {took:.1f} s", flush=True)
    store.say("answer well")
    service.start()
    harness.eventually(lambda: service.ask("POST", "/v1/collections/c/refresh", key="write")[0] == 200, "it publishes again", 60)


def check_there(setting, store, client):
    cluster = harness.Cluster(setting, PLACE, "c", 1, leaf_flags=("--poll-ms", "100", *store.arguments()))
    found = [name for name, _ in cluster.search("word", k=1000).ranking]
    cluster.stop()
    harness.expect(len(found) == len(set(found)), "a document is there twice")
    missing = set(client.acknowledged) - set(found)
    harness.expect(not missing, f"acknowledged and not there: {sorted(missing)}")
    harness.expect(set(found) <= set(client.acknowledged) | set(client.unknown), "documents that nobody posted")
    print(f"{len(client.acknowledged)} acknowledged are there once; slowest answer {client.slowest:.2f} s", flush=True)


def test(setting):
    keys, key_file = writing.make_keys(setting)
    store = faulty(setting, PARSED.server)
    network = Network(store.port)
    near = ("--s3-endpoint", f"http://127.0.0.1:{network.port}", "--s3-credentials", store.credentials)
    service = writing.Service(setting, PLACE, keys, "--state", setting.path("state"), *near, "--api-keys", key_file, "--memory-limit", "128MiB",
                              "--refresh-ms", "200", "--lease-seconds", str(LEASE_S), "--s3-lease-seconds", "5", "--drain-publish-ms", "1500",
                              "--drain-ms", "1000")
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    client = Client(service)

    def said(kind):
        return lambda: store.say(kind)

    def signalled(number):
        return lambda: store.process.send_signal(number)
    check_one_request_lost(store, client)
    check_silence(setting, store, service, client, "silent", said("answer nothing"), said("answer well"))
    check_silence(setting, store, service, client, "half a header", said("answer half"), said("answer well"))
    check_silence(setting, store, service, client, "stopped", signalled(signal.SIGSTOP), signalled(signal.SIGCONT))

    def lose():
        network.lose()
        harness.expect(network.is_lost(), "the network takes connections")
    check_silence(setting, store, service, client, "lost packets", lose, network.carry)
    check_end(store, service, client)
    check_there(setting, store, client)
    harness.end(service.process, "the service")


if __name__ == "__main__":
    parser = harness.arguments(__doc__)
    parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
    PARSED = parser.parse_args()
    harness.run(test, PARSED)
