#!/usr/bin/env python3
"""Strangers at a leaf's --listen, and a stranger in the place of a leaf: floods whose senders read nothing and close, connections that
stay, halves of handshakes, endless messages, searches that nobody waits for. Leaf and broker go on, probes are answered, a new
generation is taken, and a new broker becomes ready, with 1,024 files open at most. With CURVE, peers that do not have an allowed key
are closed.
"""
import json
import resource
import socket
import threading
import time

import harness
import random_text
from zmtp_peer import GREETING, HELLO, PONG, exhaustive, frame, ready, stranger

OPEN_FILES = 1024


def offer(peers, data, seconds):
    """Sends what the other side takes; reads nothing."""
    left, end = [data] * len(peers), time.monotonic() + seconds
    for peer in peers:
        peer.setblocking(False)
    while time.monotonic() < end:
        for i, peer in enumerate(peers):
            try:
                left[i] = left[i][peer.send(left[i]):] or data
            except OSError:
                pass


class Heartbeats:
    """Answers PING for all of `peers`, so that they stay."""

    def __init__(self, peers):
        self.peers, self.over = peers, threading.Event()
        threading.Thread(target=self.beat, daemon=True).start()

    def beat(self):
        while not self.over.wait(0.1):
            for peer in list(self.peers):
                try:
                    if b"\x04PING" in peer.recv(4096, socket.MSG_DONTWAIT):
                        peer.send(PONG)
                except OSError:
                    pass


def check_floods(cluster):
    """Hellos without end whose answers nobody reads, then messages that never end; each time the peers close in the middle."""
    for data, rounds in ((frame(HELLO) * 400, 3), (frame(bytes(60_000), 1), 1), (frame(bytes(4 << 20)) * 2, 1), (frame(b"\x04PING\0\x1e12345678", 4) * 400, 1)):
        for _ in range(rounds):
            peers = [stranger(cluster.leaf_ports[0]) for _ in range(20)]
            offer(peers, data, 2)
            harness.expect(harness.fetch(cluster.http, "/livez", 5)[0] == 200, "the broker is not alive")
            for peer in peers:
                peer.close()
    harness.expect(cluster.leaves[0].poll() is None, f"the leaf ended with {cluster.leaves[0].poll()}")
    harness.expect(cluster.search("the", cache="off").whole, "a search is not whole after floods")


def check_gone(cluster, words):
    """Thousands of slow searches of a peer that leaves: another one's costly search does not wait for them."""
    peer = stranger(cluster.leaf_ports[0])
    peer.sendall(b"".join(frame(exhaustive(number, words)) for number in range(1, 4097)))
    harness.eventually(lambda: harness.metric(cluster.leaf_http[0], "frond_leaf_requests_in_flight") > 2000, "thousands of searches wait")
    peer.close()
    started = time.monotonic()
    harness.expect(cluster.search(words[1], k=200, cache="off", timeout_ms=30_000).whole, "a search is not whole after others were left")
    took = time.monotonic() - started
    harness.expect(took < 2, f"a search waited for {took:.1f} s for those of a peer that has gone")
    print(f"a search took {took:.3f} s beside thousands that were left")


def check_crowd(setting, cluster, rebuild):
    """More connections than there are descriptors, of one address and of many, that stay."""
    peers = []
    beats = Heartbeats(peers)
    for i in range(OPEN_FILES + 50):
        try:
            peer = stranger(cluster.leaf_ports[0], f"127.0.0.{1 + i % 3 * (i % 40)}", whole=i % 4 != 0)
            peers.append(peer)
            if i % 4 != 0:
                peer.sendall(frame(HELLO))
        except OSError:
            pass
    held = harness.metric(cluster.leaf_http[0], "frond_leaf_peers")
    harness.expect(held <= harness.metric(cluster.leaf_http[0], "frond_leaf_peers_limit") <= OPEN_FILES / 2, f"{held} peers")
    rebuild()
    harness.eventually(lambda: json.loads(harness.fetch(cluster.http, "/v1/cluster")[1])["generation"] == 2, "the new generation is served", 30)
    (port,) = harness.free_ports(1)
    new = setting.spawn("new-broker", "frond-broker", "--http", f"127.0.0.1:{port}", "--collection", "c", "--threads", 2,
                        "--leaf", f"tcp://127.0.0.1:{cluster.leaf_ports[0]}")
    harness.eventually(lambda: harness.fetch(port, "/readyz", 5)[0] == 200, "a new broker is ready", 20)
    harness.expect(harness.fetch(cluster.leaf_http[0], "/livez", 5)[0] == 200, "the leaf's /livez")
    refused = harness.metric(cluster.leaf_http[0], "frond_leaf_peer_connections_total", outcome="address")
    harness.expect(refused > 0, "no connection was refused by its address")
    harness.eventually(lambda: harness.metric(cluster.leaf_http[0], "frond_leaf_peer_connections_total", outcome="handshake") > 0, "half handshakes are closed")
    beats.over.set()
    harness.end(new, "the new broker")
    for peer in peers:
        peer.close()


class HostileLeaf:
    """Listens in the place of a leaf, and sends `data` over and over without reading."""

    def __init__(self, data):
        self.data, self.met = data, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer = self.listener.accept()[0]
                self.met += 1
                peer.sendall(GREETING + ready(b"ROUTER"))
                offer([peer], self.data, 1)
                peer.close()
            except OSError:
                if self.listener.fileno() < 0:
                    return


def check_hostile_leaf(setting, cluster, data):
    """A broker that has a good leaf and a hostile one."""
    hostile = HostileLeaf(data)
    (port,) = harness.free_ports(1)
    broker = setting.spawn("beside-hostile", "frond-broker", "--http", f"127.0.0.1:{port}", "--collection", "c", "--threads", 1,
                           "--leaf", f"tcp://127.0.0.1:{cluster.leaf_ports[0]}", "--leaf", f"tcp://127.0.0.1:{hostile.port}")
    harness.eventually(lambda: harness.fetch(port, "/readyz", 5)[0] == 200, "the broker is ready beside a hostile leaf")
    harness.eventually(lambda: hostile.met >= 3, "the hostile leaf is tried again")
    status, body = harness.fetch(port, "/v1/search?q=the&cache=off&timeout_ms=10000")
    harness.expect(status == 200 and b'"degraded":[]' in body.replace(b" ", b"") or b'"degraded":false' in body, f"{status} {body[:200]}")
    harness.end(broker, "the broker beside a hostile leaf")
    hostile.listener.close()


def test(setting):
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES + 1000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    words = ["the", *random_text.vocabulary(setting.rng, 50)]
    source = random_text.Collection(setting.rng, 10_000, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 1)
    setting.before["frond-leaf"] = ("prlimit", f"--nofile={OPEN_FILES}")
    cluster = harness.Cluster(setting, repository, "c", 1, leaf_flags=("--poll-ms", 300))
    check_floods(cluster)
    check_gone(cluster, words)
    check_crowd(setting, cluster, lambda: setting.build(repository, "c", [source], 1))
    for data in (frame(bytes(1000)) * 400, frame(bytes(60_000), 1), b"\2" + b"\xff" * 8, PONG * 1000):
        check_hostile_leaf(setting, cluster, data)
    cluster.stop()
    print("a leaf and a broker outlived all strangers")


harness.run(test, harness.arguments(__doc__).parse_args())
