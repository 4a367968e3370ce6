#!/usr/bin/env python3
"""Commands and a leaf against a repository that gives no answer: the network loses every packet, or the server accepts connections and is silent.
A command ends soon, with exit code 1, and names the address and what it tried. A leaf starts, says so, and serves once the repository answers.
A store that is slow and alive is waited for.
"""
import functools
import http.server
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402
from network import Network  # noqa: E402
from store import PLACE, faulty  # noqa: E402

LOST_S, SILENT_S = 18, 24  # 15 s, and a window of 20 s, on a busy machine


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class QuietServer(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):  # connections that the network lost
        pass


def commands(setting):
    ids, documents = setting.path("ids"), setting.write_numbered("n", 3, lambda _: "word")
    with open(ids, "w", encoding="ascii") as file:
        file.write("n1\n")
    more = {"check": (), "rollback": (), "switch": ("--generation", "1"), "prune": (), "remove": ("--ids", ids), "compact": (),
            "add": ("--format", "jsonl", "--input", documents), "build": ("--format", "jsonl", "--input", documents)}
    return {name: [name, "--repository", PLACE, "--collection", "c", "--scratch", setting.path("scratch-" + name), *flags] for name, flags in more.items()}


def expect_soon(setting, address, flags, why, limit_s):
    """All commands at once, since they only wait. A command that ends late, or says too little, fails the test."""
    begin, running, took = time.monotonic(), {}, {}
    for name, command in commands(setting).items():
        running[name] = subprocess.Popen([setting.program("frond-indexer"), *command, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        setting.processes.append(running[name])
    while len(took) < len(running):
        harness.expect(time.monotonic() - begin < limit_s, f"{why}: not ended after {limit_s} s: {sorted(set(running) - set(took))}")
        for name, process in running.items():
            if name not in took and process.poll() is not None:
                took[name] = time.monotonic() - begin
        time.sleep(0.05)
    for name, process in running.items():
        said = process.stderr.read()
        harness.expect(process.returncode == 1, f"{name} exited {process.returncode}: {said}")
        for part in (address, "has not answered", PLACE + "/c/", "attempt"):
            harness.expect(part in said, f"{why}: {name} does not say {part!r}: {said}")
    print(f"{why}: {len(took)} commands ended after {min(took.values()):.1f} to {max(took.values()):.1f} s; the last said: {said.strip()}", flush=True)


def check_slow(setting, store, flags):
    """Its first answer comes later than one that is lost would be waited for."""
    store.say("answer well")
    store.say("delay 17000")
    begin = time.monotonic()
    done = subprocess.run([setting.program("frond-indexer"), *commands(setting)["check"], *flags], capture_output=True, text=True, timeout=60, check=False)
    store.say("delay 0")
    took = time.monotonic() - begin
    harness.expect("nothing is published" in done.stderr and took > 16, f"after {took:.1f} s: {done.stderr}")
    print(f"a store that answers after 17 s is waited for: {took:.1f} s", flush=True)


def check_leaf(setting, name, place, network, flags=()):
    """It starts without an answer of its repository, and serves once that answers."""
    network.lose()
    harness.expect(network.is_lost(), "the network takes connections")
    listen, port = harness.free_ports(2)
    begin = time.monotonic()
    leaf = setting.spawn(name, "frond-leaf", "--repository", place, "--collection", "c", "--data", setting.path(name), "--listen",
                         f"tcp://127.0.0.1:{listen}", "--http", f"127.0.0.1:{port}", "--poll-ms", "100", *flags)
    address = f"127.0.0.1:{network.port}"

    def said():
        status, answer = harness.fetch(port, "/readyz")
        return status == 503 and address in answer.decode() and address in setting.log(name)

    harness.eventually(said, f"{name} says what does not answer", LOST_S)
    took = time.monotonic() - begin
    harness.eventually(lambda: harness.metric(port, "frond_leaf_repository_failures_total") > 3, f"{name} counts it", 60)
    harness.expect(harness.fetch(port, "/livez")[0] == 200, f"{name} is not alive")
    lines = setting.log(name).count("staying with what is served")
    harness.expect(lines <= 2, f"{name} says the same {lines} times")  # the first operation makes more attempts than the next ones
    network.carry()
    back = time.monotonic()
    harness.eventually(lambda: harness.fetch(port, "/readyz")[0] == 200, f"{name} serves", 30)
    print(f"{name}: started, said so after {took:.1f} s, serves {time.monotonic() - back:.1f} s after the network is back", flush=True)
    network.lose()
    begin = time.monotonic()
    harness.end(leaf, name)
    harness.expect(time.monotonic() - begin < 15, f"{name} ended after {time.monotonic() - begin:.1f} s")
    network.carry()


def test(setting):
    store = faulty(setting, PARSED.server)
    network = Network(store.port)
    address = f"http://127.0.0.1:{network.port}"
    near = ("--s3-endpoint", address, "--s3-credentials", store.credentials)
    store.say("answer nothing")
    expect_soon(setting, address, near, "silent", SILENT_S)
    check_slow(setting, store, near)
    network.lose()
    harness.expect(network.is_lost(), "the network takes connections")
    expect_soon(setting, address, near, "lost packets", LOST_S)
    expect_soon(setting, address, (*near, "--s3-first-answer-seconds", "3"), "lost packets, 3 s", 3 + LOST_S - 15)
    network.carry()

    source = setting.write_numbered("n", 3, lambda _: "word")
    setting.build(PLACE, "c", [source], 1, scratch=setting.path("scratch"), **store.flags)
    check_leaf(setting, "object-leaf", PLACE, network, near)
    setting.build(setting.path("repository"), "c", [source], 1)
    server = QuietServer(("127.0.0.1", 0), functools.partial(Quiet, directory=setting.path("repository")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    network = Network(server.server_address[1])
    check_leaf(setting, "http-leaf", f"http://127.0.0.1:{network.port}", network)


if __name__ == "__main__":
    parser = harness.arguments(__doc__)
    parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
    PARSED = parser.parse_args()
    harness.run(test, PARSED)
