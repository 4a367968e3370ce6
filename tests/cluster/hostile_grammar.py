#!/usr/bin/env python3
"""Requests and messages from a grammar (grammar.py) at a broker's both APIs, an indexer's service, a leaf's HTTP and a leaf's wire, while
another client searches: no process ends or answers 500, every request that is framed rightly is answered by HTTP as it should be, the other
client's answers stay the same to the byte. By hand: --requests 100000, and with the programs of a build with sanitizers (--bin), which say
at their end what leaked.
"""
import http.client
import json
import os
import random
import select
import socket
import threading
import time

import elasticsearch_cluster
import harness
import open_load
import random_text
from grammar import OURS, THEIRS, Grammar
from zmtp_peer import PONG, frame, stranger

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "decode_request")
OTHER = "127.0.0.2"
HUNG_S = 60


def hear(connection, method):
    """One answer, and its body."""
    reply = http.client.HTTPResponse(connection, method=method)
    reply.begin()  # passes over 100 Continue
    return reply, reply.read()


class Hostile:
    """One server, asked one after the other by requests of the grammar."""

    def __init__(self, name, port, table, grammar, token):
        self.name, self.port, self.table, self.grammar, self.token = name, port, table, grammar, token
        self.connection, self.statuses, self.faults, self.slowest = None, {}, [], (0, b"")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=HUNG_S)

    def fault(self, what, data):
        self.faults.append(f"{self.name}: {what}: {data[:600]!r}")

    def judge(self, reply, body, method, data):
        status = reply.status
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if status == 500 or status < 200:
            self.fault(f"{status} {body[:300]!r}", data)
        kind = reply.getheader("Content-Type", "")
        if body and method != "HEAD" and "json" in kind and "ndjson" not in kind and not reply.getheader("Content-Encoding"):
            try:
                json.loads(body)
            except ValueError:
                self.fault(f"an answer that is not JSON: {status} {body[:300]!r}", data)

    def once(self):
        data, method, framed = self.grammar.request(self.table, self.token)
        started = time.monotonic()
        self.attempt(data, method, framed)
        self.slowest = max(self.slowest, (time.monotonic() - started, data[:300]))

    def attempt(self, data, method, framed):
        fresh = self.connection is None
        try:
            self.connection = self.connection or self.connect()
            try:
                self.connection.sendall(data)
                if not framed:
                    self.connection.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError, OSError):
                pass  # refused before all of it was sent; its answer may be there
            reply, body = hear(self.connection, method)
            self.judge(reply, body, method, data)
            if not framed or reply.will_close:
                self.drop()
        except TimeoutError:
            self.fault(f"no answer within {HUNG_S} s", data)
            self.drop()
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.drop()
            unanswered = isinstance(error, (ConnectionError, http.client.BadStatusLine))
            if framed and not fresh and unanswered:
                return self.once_again(data, method)
            if framed and not (unanswered and len(data) > 60_000):  # what is refused while it is sent may be reset
                self.fault(f"{type(error).__name__} {error}", data)

    def once_again(self, data, method):
        """The connection was closed since the last answer: the same request on a new one."""
        try:
            self.connection = self.connect()
            self.connection.sendall(data)
            reply, body = hear(self.connection, method)
            self.judge(reply, body, method, data)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if len(data) <= 60_000:
                self.fault(f"{type(error).__name__} {error}", data)
        self.drop()

    def drop(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def told(self):
        return f"{self.name}: " + ", ".join(f"{count} × {status}" for status, count in sorted(self.statuses.items())) + f"; slowest {self.slowest[0]:.1f} s: {self.slowest[1]!r}"


class HostilePeer:
    """Nearly right messages on a leaf's wire; heartbeats are answered."""

    def __init__(self, port, grammar):
        self.name, self.port, self.grammar, self.peer, self.faults, self.sent, self.closed = "wire", port, grammar, None, [], 0, 0

    def once(self):
        try:
            if self.peer is None:
                self.peer = stranger(self.port)
            made = frame(self.grammar.message())
            self.peer.sendall(self.grammar.damaged(made) if self.grammar.rng.random() < 0.03 else made)
            self.sent += 1
            while select.select([self.peer], [], [], 0)[0]:
                got = self.peer.recv(1 << 16)
                if not got:
                    raise ConnectionError
                if b"\x04PING" in got:
                    self.peer.sendall(PONG)
        except OSError:
            self.closed += 1
            self.drop()

    def drop(self):
        if self.peer:
            self.peer.close()
        self.peer = None

    def told(self):
        return f"wire: {self.sent} messages, closed {self.closed} times"


class Good(threading.Thread):
    """Another client: its searches come at a rate, each answer is the one before."""

    def __init__(self, port, token, queries, rate):
        super().__init__(daemon=True)
        self.port, self.token, self.queries, self.pause = port, token, queries, 1 / rate
        self.right, self.times, self.faults, self.over = {}, [], [], threading.Event()
        for query in queries:
            self.right[query] = self.ask(query)[1]

    def ask(self, query):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30, source_address=(OTHER, 0))
        try:
            connection.request("GET", f"/v1/collections/good/search?q={query}&cache=off&timeout_ms=20000", headers={"Authorization": f"Bearer {self.token}"})
            reply = connection.getresponse()
            return reply.status, open_load.page(json.loads(reply.read(), parse_float=str)) if reply.status == 200 else None
        finally:
            connection.close()

    def run(self):
        number = 0
        while not self.over.wait(self.pause):
            query = self.queries[number % len(self.queries)]
            number += 1
            started = time.monotonic()
            try:
                status, got = self.ask(query)
                if status != 200 or got != self.right[query]:
                    self.faults.append(f"{query}: {status} {str(got)[:200]}")
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.faults.append(f"{query}: {type(error).__name__} {error}")
            self.times.append(time.monotonic() - started)

    def p99(self):
        times, self.times = sorted(self.times), []
        return f"p50 {times[len(times) // 2] * 1000:.1f}, p99 {times[len(times) * 99 // 100] * 1000:.1f} ms of {len(times)}" if times else "none"


def prepare(cluster, setting):
    """Documents of the same kind in `good`, which the other client searches, and in `w` and `x`, which may be changed. Returns words of them."""
    words = random_text.vocabulary(setting.rng, 50)
    mappings = {"properties": {"title": {"type": "text"}, "body": {"type": "text"}, "tag": {"type": "keyword"}, "year": {"type": "integer"}, "when": {"type": "date"}}}
    for name in ("good", "w", "x"):
        cluster.expect(200, "PUT", f"/{name}", {"mappings": mappings})
        lines = []
        for i in range(500):
            lines += [{"index": {"_id": str(i)}}, {"title": setting.rng.choice(words), "body": " ".join(setting.rng.choices(words, k=20)), "tag": ["a", "b"][:i % 3],
                                                   "year": 1990 + i % 40, "when": f"20{i % 90 + 10}-01-01T00:00:00Z"}]
        cluster.bulk(name, lines)
        harness.eventually(lambda: cluster.count(name, words[0]) > 0, f"{name} is searched")
    return words


def test(setting):
    cluster = elasticsearch_cluster.Cluster(setting)
    words = prepare(cluster, setting)
    token = cluster.keys["search,write,admin"]
    good = Good(cluster.http, token, words[:10], 40)
    good.start()
    time.sleep(3)
    print(f"others before: {good.p99()}", flush=True)
    share = parsed.requests // 6
    seeds = [setting.rng.randrange(2**32) for _ in range(5)]
    grammars = [Grammar(random.Random(seed), words, CORPUS) for seed in seeds]
    attacks = [(Hostile("broker", cluster.http, OURS, grammars[0], token), share), (Hostile("Elasticsearch API", cluster.api, THEIRS, grammars[1], token), 2 * share),
               (Hostile("service", cluster.service_port, OURS, grammars[2], token), share), (Hostile("leaf", cluster.leaf_http, OURS, grammars[3], token), share // 4),
               (HostilePeer(cluster.leaf, grammars[4]), 2 * share)]

    def attack(one, count):
        for _ in range(count):
            one.once()
            if len(one.faults) >= 20 or cluster.broker.poll() is not None or cluster.leaf_process.poll() is not None or cluster.service.poll() is not None:
                break
        one.drop()

    started = time.monotonic()
    threads = [threading.Thread(target=attack, args=pair, daemon=True) for pair in attacks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(3600)
    took = time.monotonic() - started
    print(f"others meanwhile: {good.p99()}; {parsed.requests} in {took:.0f} s")
    time.sleep(2)
    good.over.set()
    good.join(30)
    for one, _ in attacks:
        print(one.told())
    for name, process in (("broker", cluster.broker), ("leaf", cluster.leaf_process), ("service", cluster.service)):
        harness.expect(process.poll() is None, f"the {name} ended with {process.poll()}")
    faults = [fault for one, _ in attacks for fault in one.faults] + [f"the other client: {fault}" for fault in good.faults]
    for fault in faults[:40]:
        print(fault)
    harness.expect(not faults, f"{len(faults)} faults")
    cluster.stop()


parser = harness.arguments(__doc__)
parser.add_argument("--requests", type=int, default=3000, help="requests and messages in all")
parsed = parser.parse_args()
harness.run(test, parsed)
