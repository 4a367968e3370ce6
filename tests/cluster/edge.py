#!/usr/bin/env python3
"""What clients do to a broker's HTTP port: requests that mean two things, bodies without end, connections that say nothing,
answers that nobody reads. Each check has a broker of its own and prints its figures; --only NAME[,NAME] runs some of them."""
import json
import os
import socket
import threading

import harness
import random_text

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20
NEXT = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"


def connect(port, timeout=20):
    return socket.create_connection(("127.0.0.1", port), timeout=timeout)


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


CHECKS = {"framing": check_framing, "bodies": check_bodies}


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
