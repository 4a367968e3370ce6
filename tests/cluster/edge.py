#!/usr/bin/env python3
"""What clients do to a broker's HTTP port: requests that mean two things, bodies without end, connections that say nothing,
answers that nobody reads. Each check has a broker of its own and prints its figures; --only NAME[,NAME] runs some of them."""
import json
import os
import socket

import harness
import random_text

HERE = os.path.dirname(os.path.abspath(__file__))
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


CHECKS = {"framing": check_framing}


class Broker:
    def __init__(self, process, port):
        self.process, self.port = process, port

    def resident(self):
        """Bytes of memory."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

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
