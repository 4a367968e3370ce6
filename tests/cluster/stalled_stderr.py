#!/usr/bin/env python3
"""A process's stderr is a full pipe that nothing reads. Leaf, broker and indexer work as usual, count dropped lines in a metric, and log
where lines are missing; final messages and exits are not delayed either.
"""
import json
import os
import re
import signal
import subprocess
import time

import harness
import random_text


class FullPipe:
    """A pipe that takes no byte more until somebody reads."""

    def __init__(self):
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)
        self.filled = 0
        for piece in (b"x" * 4096, b"x"):
            try:
                while True:
                    self.filled += os.write(self.writer, piece)
            except BlockingIOError:
                pass
        os.set_blocking(self.writer, True)

    def drain(self):
        """What was written behind the filling, until nothing comes for a moment."""
        os.set_blocking(self.reader, False)
        got, quiet = b"", time.monotonic() + 1
        while time.monotonic() < quiet:
            try:
                piece = os.read(self.reader, 1 << 16)
            except BlockingIOError:
                time.sleep(0.02)
                continue
            got, quiet = got + piece, time.monotonic() + 1
        behind, self.filled = got[self.filled:], max(0, self.filled - len(got))
        return behind.decode()

    def close(self):
        os.close(self.reader)
        os.close(self.writer)


SMALL_BUFFER = {**os.environ, "FROND_LOG_BUFFER": "4KiB"}


def spawn(setting, pipe, program, *args):
    process = subprocess.Popen([setting.program(program), *map(str, args)], stdout=subprocess.DEVNULL, stderr=pipe.writer, env=SMALL_BUFFER)
    setting.processes.append(process)
    return process


def dropped(port):
    text = harness.fetch(port, "/metrics", timeout=5)[1].decode()
    return float(re.search(r"^process_log_lines_dropped_total (\S+)$", text, re.M).group(1))


def lines_of(text):
    """Every line is whole."""
    harness.expect(text == "" or text.endswith("\n"), f"a line is cut off: {text[-200:]!r}")
    return [json.loads(line) for line in text.splitlines()]


def check_servers(setting, repository):
    leaf_pipe, broker_pipe = FullPipe(), FullPipe()
    leaf_port, leaf_http, broker_http = harness.free_ports(3)

    def start_leaf(number):
        return spawn(setting, leaf_pipe, "frond-leaf", "--repository", repository, "--collection", "c", "--data", setting.path(f"data{number}"),
                     "--listen", f"tcp://127.0.0.1:{leaf_port}", "--http", f"127.0.0.1:{leaf_http}")

    leaf = start_leaf(0)
    broker = spawn(setting, broker_pipe, "frond-broker", "--http", f"127.0.0.1:{broker_http}", "--collection", "c",
                   "--leaf", f"tcp://127.0.0.1:{leaf_port}", "--poll-ms", "100")
    harness.eventually(lambda: harness.fetch(broker_http, "/readyz", timeout=2)[0] == 200, "leaf and broker serve")

    # The leaf comes and goes until the broker has logged more than it may keep.
    for number in range(1, 60):
        harness.kill9(leaf)
        harness.eventually(lambda: b'frond_broker_leaves{state="down"} 1' in harness.fetch(broker_http, "/metrics", timeout=2)[1], "the broker misses its leaf")
        leaf = start_leaf(number % 2)
        harness.eventually(lambda: harness.fetch(broker_http, "/readyz", timeout=2)[0] == 200 and
                           b'frond_broker_leaves{state="up"} 1' in harness.fetch(broker_http, "/metrics", timeout=2)[1], "the broker has its leaf again")
        if dropped(broker_http) >= 3:
            break
    missing = dropped(broker_http)
    harness.expect(missing >= 3, "the broker dropped no line")
    harness.expect(harness.fetch(broker_http, "/livez", timeout=5)[0] == 200, "the broker does not live")

    read = lines_of(broker_pipe.drain())
    gaps = [line for line in read if "lines were dropped here" in line["message"]]
    harness.expect(sum(int(gap["lines"]) for gap in gaps) == missing, f"{missing} lines are missing, the log tells of {gaps}")
    harness.expect(read[0]["message"] == "started" and len(read) > 5, f"what was kept is not the beginning: {read[:2]}")
    times = [line["time"] for line in read if line not in gaps]
    harness.expect(times == sorted(times), "lines are not in their order")
    harness.kill9(leaf)
    harness.eventually(lambda: "leaf down" in broker_pipe.drain(), "the log flows again")
    print(f"broker: {int(missing)} lines dropped, {len(gaps)} gap, {len(read)} lines read later", flush=True)

    # Full again, and asked to stop.
    broker_pipe.close()
    leaf_pipe.close()
    broker.send_signal(signal.SIGTERM)
    harness.expect(broker.wait(30) == 0, "the broker did not exit 0 at SIGTERM")
    pipe = FullPipe()
    leaf = spawn(setting, pipe, "frond-leaf", "--repository", repository, "--collection", "c", "--data", setting.path("data0"),
                 "--listen", f"tcp://127.0.0.1:{leaf_port}", "--http", f"127.0.0.1:{leaf_http}")
    harness.eventually(lambda: harness.fetch(leaf_http, "/readyz", timeout=2)[0] == 200, "the leaf serves")
    leaf.send_signal(signal.SIGTERM)
    harness.expect(leaf.wait(30) == 0, "the leaf did not exit 0 at SIGTERM")
    pipe.close()


def check_last_words(setting):
    """A process that refuses to start ends, whoever reads why."""
    pipe = FullPipe()
    leaf = spawn(setting, pipe, "frond-leaf", "--no-such-flag")
    harness.expect(leaf.wait(30) == 2, f"exit {leaf.returncode}")
    pipe.close()


def check_build(setting, repository):
    """More bad records than the pipe and the buffer hold: the build is published."""
    source = setting.path("bad.jsonl")
    with open(source, "w", encoding="utf-8") as file:
        for i in range(300):
            file.write('{"id": "%s", "contents": \n' % ("long" * 100))
            file.write(json.dumps({"id": f"good{i}", "contents": "a fox"}) + "\n")
            file.write(json.dumps({"id": f"good{i}", "contents": "twice"}) + "\n")
    pipe = FullPipe()
    build = subprocess.Popen([setting.program("frond-indexer"), "build", "--repository", repository, "--collection", "d", "--json",
                              "--format", "jsonl", "--input", source], stdout=subprocess.PIPE, stderr=pipe.writer, text=True, env=SMALL_BUFFER)
    setting.processes.append(build)
    out = build.communicate(timeout=60)[0]
    harness.expect(build.returncode == 0, f"the build exited {build.returncode}")
    summary = json.loads(out)
    harness.expect(summary["documents"] == 300 and summary["bad_records"] == 300, f"the build says {summary}")
    pipe.close()
    print("indexer: published without a reader", flush=True)


def test(setting):
    words = random_text.vocabulary(setting.rng, 50)
    source = random_text.Collection(setting.rng, 200, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 1)
    check_last_words(setting)
    check_build(setting, repository)
    check_servers(setting, repository)


harness.run(test, harness.arguments(__doc__).parse_args())
