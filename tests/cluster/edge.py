#!/usr/bin/env python3
"""What clients do to a broker's HTTP port: requests that mean two things, bodies without end, connections that say nothing,
answers that nobody reads. Each check has a broker of its own and prints its figures; --only NAME[,NAME] runs some of them."""
import json
import os
import select
import socket
import threading
import time

import harness
import random_text

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20
NEXT = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"


OTHER = "127.0.0.2"  # another client's address


def connect(port, timeout=20, source="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", port), timeout=timeout, source_address=(source, 0))


def ask(port, path, source="127.0.0.1", host="a", body=b"", timeout=20):
    """(status, header fields in lower case, body) of one request; (0, {}, b"") if it is closed unanswered."""
    method = "POST" if body else "GET"
    with connect(port, timeout, source) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        head, _, rest = hear_all(connection).partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 "):
        return 0, {}, b""
    fields = [line.partition(":") for line in head.decode().split("\r\n")[1:]]
    return int(head[9:12]), {name.lower(): value.strip() for name, _, value in fields}, rest


def hear_all(connection):
    """Everything until the server closes."""
    heard = b""
    try:
        while piece := connection.recv(65536):
            heard += piece
    except ConnectionResetError:
        heard += b"(reset)"
    return heard


def statuses(heard):
    """Of the answers in a stream, one after the other, by their Content-Length; the rest must be nothing."""
    found = []
    while heard.startswith(b"HTTP/1.1 "):
        head, _, heard = heard.partition(b"\r\n\r\n")
        found.append(int(head[9:12]))
        lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        heard = heard[int(lengths[0]) if lengths else 0:]
    harness.expect(not heard, f"bytes that are no answer: {heard[:200]!r}")
    return found


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


def begin_bodies(port, path, count, size):
    """`count` connections whose requests lack the last byte of their bodies."""
    held = []

    def begin():
        connection = connect(port)
        held.append(connection)
        try:
            connection.sendall(b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (path.encode(), size))
            connection.sendall(bytes(size - 1))
        except OSError:
            pass  # it has its answer, and the server reads no more

    threads = [threading.Thread(target=begin) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return held


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


class Bytes(threading.Thread):
    """Keeps `count` connections open, each with one byte of a request; those that are closed are opened again."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.port, self.count, self.held, self.over = port, count, [], threading.Event()

    def alive(self, connection):
        try:
            return connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK) == b"?"  # it is over once there is anything
        except BlockingIOError:
            return True
        except OSError:
            return False

    def run(self):
        while not self.over.wait(0.1):
            for connection in [c for c in self.held if not self.alive(c)]:
                self.held.remove(connection)
                connection.close()
            try:
                while len(self.held) < self.count and not self.over.is_set():
                    self.held.append(connect(self.port, 5))
                    self.held[-1].sendall(b"G")
            except OSError:
                pass

    def stop(self):
        self.over.set()
        self.join(30)
        for connection in self.held:
            connection.close()


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


def attempt(port, path, source="127.0.0.1"):
    try:
        return ask(port, path, source, timeout=5)[0]
    except OSError:
        return 0


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


def begin(port, body):
    """Asks for an msearch; its answer is left where it is."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(30)
    connection.connect(("127.0.0.1", port))
    connection.sendall(b"POST /v1/msearch HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    return connection


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
    for path, status in (("/livez", 200), ("/readyz", 200), ("/metrics", 200), ("/v1/cluster", 200), ("/v1/search?q=a", 404), ("/", 404)):
        got = ask(port, path, host="kubernetes.default:6443")[0]
        harness.expect(got == status, f"{path} at --admin-http: {got}")
    listeners = {name for name in broker.metrics(port) if name.startswith("frond_http_connections{")}
    harness.expect(len(listeners) == 2, f"connections by listener: {listeners}")
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
