#!/usr/bin/env python3
"""Addresses of leaves disappear while a connect to them neither succeeds nor is refused: the broker keeps answering.

This happens when a pod is deleted: packets to its address are lost. Here a listener with a full backlog stands for such an address.
"""
import errno
import socket
import time

import harness
import names
import random_text

DEAF = 12  # addresses that answer nothing
ROUNDS = 4


class DeafListener:
    """A port that takes no connection more: its backlog is full."""

    def __init__(self, address, port):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((address, port))
        self.listener.listen(0)
        self.queued = []
        for _ in range(4):
            client = socket.socket()
            client.setblocking(False)
            harness.expect(client.connect_ex((address, port)) in (0, errno.EINPROGRESS), "cannot fill a backlog")
            self.queued.append(client)

    def close(self):
        for one in [self.listener, *self.queued]:
            one.close()


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 50)
    source = random_text.Collection(rng, 100, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 1)
    search, http, leaf_http = harness.free_ports(3)
    setting.spawn("leaf", "frond-leaf", "--repository", repository, "--collection", "c", "--data", setting.path("leaf"),
                  "--listen", f"tcp://127.0.0.1:{search}", "--http", f"127.0.0.1:{leaf_http}")
    deaf = [DeafListener(f"127.0.0.{11 + i}", search) for i in range(DEAF)]
    everybody = ["127.0.0.1", *(f"127.0.0.{11 + i}" for i in range(DEAF))]
    name = names.Name(setting, "broker", everybody)
    broker = name.spawn("frond-broker", "--http", f"127.0.0.1:{http}", "--collection", "c",
                        "--leaf-dns", f"{names.NAME}:{search}", "--leaf-dns-interval-ms", "500")
    harness.eventually(lambda: harness.fetch(http, "/readyz")[0] == 200, "the broker is ready")

    def leaves():
        lines = harness.fetch(http, "/metrics")[1].decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("frond_broker_leaves{"))

    asked = failed = 0

    def ask_for(seconds):
        nonlocal asked, failed
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            asked += 1
            status, _ = harness.fetch(http, f"/v1/search?q={rng.choice(words)}&cache=off&timeout_ms=20000")
            failed += status != 200
            time.sleep(0.05)

    for number in range(ROUNDS):
        ask_for(1.5)  # connects are under way
        name.set(everybody[:1])
        harness.eventually(lambda: leaves() == 1, "the broker has heard that addresses went", 20)
        ask_for(1)
        name.set(everybody)
        harness.eventually(lambda: leaves() == 1 + DEAF, "the broker has heard of the addresses again", 20)
        print(f"round {number}: {asked} searches, {failed} failed", flush=True)
    ask_for(5)  # heartbeats would miss a thread that hangs
    harness.expect(failed == 0, f"{failed} of {asked} searches failed")
    harness.expect(harness.fetch(http, "/livez")[0] == 200, "the broker is not alive")
    harness.end(broker, "the broker")
    for one in deaf:
        one.close()
    print(f"{asked} searches, none failed, while {DEAF} deaf addresses came and went {ROUNDS} times")


parsed = harness.arguments(__doc__).parse_args()
names.skip_unless_possible()
harness.run(test, parsed)
