#!/usr/bin/env python3
"""Hostile clients at a broker's HTTP port: requests that can be parsed in two ways, bodies without end, silent connections, answers
that are not read. Each check has its own broker and prints its figures; --only NAME[,NAME] runs some of them."""
import json
import os
import select
import socket
import time

import harness
import random_text
from http_clients import OTHER, Bytes, ask, attempt, begin, begin_bodies, connect, hear_all, statuses

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20
NEXT = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"


def check_framing(test):
    """Where each case of RFC 9112 ends, told by the number of answers: the request behind it is answered, or it is not."""
    broker = test.broker()
    with open(os.path.join(HERE, "..", "support", "http_framing.json"), encoding="ascii") as file:
        cases = json.load(file)
    wrong = []
    for case in cases:
        with connect(broker.port) as connection:
            connection.sendall(case["send"].encode("latin-1") + NEXT)
            connection.shutdown(socket.SHUT_WR)
            got = statuses(hear_all(connection))
        wanted = [200] * case["taken"] + ([case["refused"]] if case["refused"] else [])
        if got != wanted:
            wrong.append(f"RFC {case['section']}, {case['case']}: answers {got}, wanted {wanted}")
    print(f"framing: {len(cases)} cases, {len(wrong)} wrong", *wrong, sep="\n  ")
    harness.expect(not wrong, f"{len(wrong)} of {len(cases)} streams are cut otherwise than RFC 9112 says")


def check_bodies(test):
    """Bodies that never end hold no memory where no route takes them, and a bounded part of it where one does."""
    count, size = 24, 8 * MIB
    for path, most in (("/nowhere", 16 * MIB), ("/v1/search", 16 * MIB), ("/v1/msearch", 64 * MIB)):
        broker = test.broker()
        before = broker.most_resident()
        held = begin_bodies(broker.port, path, count, size)
        growth = broker.most_resident() - before
        print(f"bodies: {count} of {size // MIB} MiB to {path}, each without its last byte: {growth / MIB:.1f} MiB more resident")
        harness.expect(growth <= most, f"{growth / MIB:.1f} MiB for bodies to {path}; at most {most // MIB} wanted")
        status, body = harness.fetch(broker.port, "/v1/search", method="POST", body='{"q": "hard"}')
        harness.expect(status == 200, f"meanwhile a small body: status {status}: {body[:200]!r}")
        for connection in held:
            connection.close()
    answered = [begin_bodies(broker.port, path, 1, size)[0] for path in ("/nowhere", "/livez", "/v1/search")]
    got = [statuses(hear_all(connection)) for connection in answered]
    harness.expect(got == [[404], [405], [413]], f"bodies that no route takes are answered {got}")


def check_unfinished(test):
    """A byte on each connection that there may be, and again as soon as it is closed: probes get through at once, and so do
    searches of others."""
    broker = test.broker("--max-connections", "256")
    attack = Bytes(broker.port, 400)
    attack.start()
    try:
        harness.eventually(lambda: len(attack.held) >= 300, "the connections are open")
        probes, searches = [], []
        end = time.monotonic() + 8
        while time.monotonic() < end:
            probes.append(attempt(broker.port, "/livez"))
            searches.append(attempt(broker.port, "/v1/search?q=hard", OTHER))
            time.sleep(0.1)
    finally:
        attack.stop()
    for name, got in (("/livez", probes), ("searches of another address", searches)):
        print(f"unfinished: {name}: {got.count(200)} of {len(got)} answered with 200")
        harness.expect(got.count(200) >= 0.95 * len(got), f"{name} meanwhile: {sorted(set(got))}")


def check_address(test):
    """One address cannot take all connections, not even for a second."""
    broker = test.broker("--max-connections", "64")
    held = [connect(broker.port) for _ in range(70)]
    status, _, body = ask(broker.port, "/v1/search?q=hard", OTHER)
    harness.expect(status == 200, f"a search of another address: {status} {body[:200]!r}")
    status, _, body = ask(broker.port, "/v1/search?q=hard")
    harness.expect(status == 429, f"a search of the same address: {status} {body[:200]!r}")
    for connection in held:
        connection.close()


def many(size, of_answer):
    """The body of an msearch whose answer has about `size` bytes."""
    return b'{"q": "hard", "k": 1000}\n' * (size // of_answer)


def answered(broker):
    return sum(value for name, value in broker.metrics().items()
               if name.startswith("frond_http_requests_total") and '"/v1/msearch"' in name)


def check_unread(test):
    """An address whose large answers wait unread leaves room for those of others."""
    broker = test.broker()
    of_answer = len(ask(broker.port, "/v1/search?q=hard&k=1000")[2])
    stalled = []
    for size in (60, 60, 60, 60, 8, 8, 8):
        stalled.append(begin(broker.port, many(size * MIB, of_answer)))
        harness.eventually(lambda: answered(broker) >= len(stalled), "the msearch is answered", 60)
    status, _, body = ask(broker.port, "/v1/msearch", OTHER, body=many(10 * MIB, of_answer), timeout=60)
    print(f"unread: {len(stalled)} answers of 60 and 8 MiB wait; another address gets {status}, {len(body) / MIB:.1f} MiB")
    harness.expect(status == 200, f"10 MiB for another address: {status} {body[:200]!r}")
    held = broker.metrics().get('frond_http_unsent_bytes{listener="public"}')
    harness.expect(held is not None and held <= 129 * MIB, f"one address holds {held}")
    for connection in stalled:
        connection.close()


def check_slow(test):
    """A body that comes by the byte, and an answer that is taken by the byte, do not last."""
    broker = test.broker()
    of_answer = len(ask(broker.port, "/v1/search?q=hard&k=1000")[2])
    reader = begin(broker.port, many(40 * MIB, of_answer))
    writer = connect(broker.port, 60)
    writer.sendall(b"POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
    begun = time.monotonic()
    while not (ended := bool(select.select([writer], [], [], 1)[0])) and time.monotonic() < begun + 25:
        writer.sendall(b"x")
        reader.recv(1)
    got = writer.recv(12) if ended else b""
    print(f"slow: the body was ended after {time.monotonic() - begun:.0f} s with {got!r}")
    harness.expect(got == b"HTTP/1.1 408", f"a byte of a body a second for 25 s: {got!r}")
    left = begun + 20 - time.monotonic()
    if left > 0:
        time.sleep(left)
    taken = len(hear_all(reader))
    print(f"slow: {taken / MIB:.1f} of 40 MiB reached who took a byte a second")
    harness.expect(taken < 30 * MIB, "who takes a byte a second of an answer for 20 s is not closed")
    writer.close()
    reader.close()


def check_admin(test):
    """Operators have a listener of their own: plain, whoever holds the other, and nothing of the documents."""
    (port,) = harness.free_ports(1)
    broker = test.broker("--admin-http", f"127.0.0.1:{port}", "--max-connections", "4", "--http-hosts", "search.example")
    held = [connect(broker.port) for _ in range(100)]
    for path, status in (("/livez", 200), ("/readyz", 200), ("/metrics", 200), ("/v1/cluster", 200), ("/v1/search?q=a", 404), ("/v1/slow-searches", 404),
                         ("/", 404)):
        got = ask(port, path, host="kubernetes.default:6443")[0]
        harness.expect(got == status, f"{path} at --admin-http: {got}")
    listeners = {name for name in broker.metrics(port) if name.startswith("frond_http_connections{")}
    harness.expect(len(listeners) == 2, f"connections by listener: {listeners}")
    harness.expect(broker.metrics(port)['frond_http_requests_total{code="200",route="/v1/cluster"}'] == 1, "its answers are counted")
    for connection in held:
        connection.close()


def check_hosts(test):
    """Who asks under a name that is not ours (DNS rebinding) reads nothing of the documents."""
    broker = test.broker("--http-hosts", "search.example,broker")
    rows = (("search.example", 200), ("BROKER:8080", 200), ("127.0.0.1:8080", 200), ("localhost", 200), ("evil.example:8080", 421), ("", 421))
    for path in ("/v1/search?q=hard", "/", "/openapi.json"):
        got = [(host, ask(broker.port, path, host=host)[0]) for host, _ in rows]
        harness.expect(got == list(rows), f"{path}: {got}")
    for path in ("/livez", "/readyz", "/v1/cluster", "/metrics"):
        got = ask(broker.port, path, host="kubernetes.default:6443")[0]
        harness.expect(got == 200, f"{path} under the name of an API server: {got}")
    body = b'{"q": "hard"}'
    harness.expect(ask(broker.port, "/v1/search", host="evil.example", body=body)[0] == 421, "POST under another name")


def check_fields(test):
    """No browser guesses what an answer is, and none keeps JSON."""
    broker = test.broker()
    for path, body in (("/v1/search?q=hard", b""), ("/v1/search", b"{}"), ("/v1/msearch", b'{"q": "hard"}\n'), ("/v1/cluster", b""),
                       ("/nowhere", b""), ("/livez", b""), ("/", b""), ("/openapi.json", b"")):
        _, fields, _ = ask(broker.port, path, body=body)
        harness.expect(fields.get("x-content-type-options") == "nosniff", f"{path}: {fields}")
        json_of_the_moment = "json" in fields["content-type"] and path != "/openapi.json"
        harness.expect(not json_of_the_moment or fields.get("cache-control") == "no-store", f"{path}: {fields}")


CHECKS = {"framing": check_framing, "bodies": check_bodies, "unfinished": check_unfinished, "address": check_address,
          "unread": check_unread, "slow": check_slow, "admin": check_admin, "hosts": check_hosts, "fields": check_fields}


class Broker:
    def __init__(self, process, port):
        self.process, self.port = process, port

    def most_resident(self):
        """Bytes of memory, the most so far."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))

    def metrics(self, port=None):
        """name{labels} to value."""
        lines = harness.fetch(port or self.port, "/metrics")[1].decode().splitlines()
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line and not line.startswith("#")}


class Test:
    """Brokers before one leaf."""

    def __init__(self, setting, cluster):
        self.setting, self.cluster, self.started = setting, cluster, []

    def broker(self, *flags):
        (port,) = harness.free_ports(1)
        process = self.setting.spawn(f"broker{len(self.setting.processes)}", "frond-broker", "--http", f"127.0.0.1:{port}",
                                     "--collection", "c", "--leaf", f"tcp://127.0.0.1:{self.cluster.leaf_ports[0]}", *flags)
        self.started.append(process)

        def ready():
            harness.expect(process.poll() is None, "the broker ended at its start")
            return harness.fetch(port, "/readyz", timeout=5)[0] == 200

        harness.eventually(ready, "the broker is ready")
        return Broker(process, port)

    def run(self, check):
        try:
            check(self)
        finally:
            for process in self.started:
                process.terminate()
            codes = [process.wait(30) for process in self.started]
            self.started.clear()
        harness.expect(not any(codes), f"brokers exited {codes} at SIGTERM")


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--only", default=",".join(CHECKS), help="which checks, by name")
    parsed = parser.parse_args()

    def test(setting):
        words = ["hard", "links"] + random_text.vocabulary(setting.rng, 200)
        source = random_text.Collection(setting.rng, 3000, words).write(setting.path("documents.jsonl"))
        setting.build(setting.path("repository"), "c", [source], 2)
        cluster = harness.Cluster(setting, setting.path("repository"), "c", 1)
        failed = []
        for name in parsed.only.split(","):
            try:
                Test(setting, cluster).run(CHECKS[name])
                print(f"{name}: held", flush=True)
            except (harness.Failure, OSError) as error:
                failed.append(name)
                print(f"{name}: FAILED: {error}", flush=True)
        harness.expect(not failed, f"not held: {', '.join(failed)}")
        cluster.stop()

    harness.run(test, parsed)


main()
