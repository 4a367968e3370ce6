#!/usr/bin/env python3
"""A leaf that reads its repository over HTTP serves what a leaf that reads the directory serves, and follows it. If the server breaks
off, stalls, sends slowly, or sends too much, the leaf resumes the transfer and logs it.
"""
import functools
import http.server
import os
import re
import threading

import harness
import random_text
from unruly_http import UnrulyRepository


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def check_same_answers(setting, rng, words, repository, sources):
    queries = random_text.queries(rng, words, 30)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=repository))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    near = harness.Cluster(setting, repository, "c", 1, name="directory")
    far = harness.Cluster(setting, f"http://127.0.0.1:{server.server_address[1]}", "c", 1, name="http")
    for number, source in enumerate((None, sources[1])):
        if source:
            setting.build(repository, "c", [source], 2)
        generation = harness.current(repository, "c")
        for cluster in (near, far):
            harness.eventually(lambda c=cluster: c.search(words[0], cache="off").generation == generation,
                               f"generation {generation} is served", 60)
        for query in queries:
            a, b = near.search(query, cache="off"), far.search(query, cache="off")
            harness.expect(a.hits == b.hits, f"{query!r}: {b.hits} over HTTP, {a.hits} from the directory")
        print(f"generation {generation}: {len(queries)} answers, all the same", flush=True)
    server.shutdown()
    harness.expect(far.search(queries[0], cache="off").whole, "the leaf depends on the repository's server to answer")
    near.stop()
    far.stop()


class Leaf:
    """A leaf of its own over an unruly server."""

    def __init__(self, setting, folder, mode):
        self.setting, self.mode, self.server = setting, mode, UnrulyRepository(folder, mode)
        self.ports, self.process, self.starts = harness.free_ports(2), None, 0
        self.start()

    def start(self):
        self.starts += 1
        self.process = self.setting.spawn(
            f"{self.mode}-leaf", "frond-leaf", "--repository", self.server.url, "--collection", "c", "--data",
            self.setting.path(f"{self.mode}-data"), "--listen", f"tcp://127.0.0.1:{self.ports[0]}", "--http", f"127.0.0.1:{self.ports[1]}")

    def ready(self):
        return harness.fetch(self.ports[1], "/readyz")[0] == 200

    def metric(self, name):
        found = re.search(rf"^{name} (\S+)$", harness.fetch(self.ports[1], "/metrics")[1].decode(), re.M)
        harness.expect(found, f"{self.mode}: no metric {name}")
        return float(found.group(1))

    def stop(self):
        harness.end(self.process, f"{self.mode}: the leaf")
        self.server.stop()


def check_unruly_servers(setting, repository):
    """All at a time, for most of it is waiting."""
    leaves = {mode: Leaf(setting, repository, mode) for mode in ("break", "stall", "drip", "more", "other", "whole")}
    size = {}
    for folder, _, names in os.walk(repository):
        for name in names:
            path = os.path.join(folder, name)
            size[os.path.relpath(path, repository)] = os.path.getsize(path)

    # A leaf that is killed in the middle goes on where it was: here the server never gives a whole file.
    breaking = leaves["break"]
    harness.eventually(lambda: any(path.endswith(".sst") and start == 0 for path, start in breaking.server.requests), "the first file is begun")
    harness.kill9(breaking.process)
    breaking.start()
    harness.eventually(breaking.ready, "break: ready, though no answer brings a whole file")
    fetched = [path for path in breaking.server.sent if path.endswith(".sst")]
    for path in fetched:
        harness.expect(breaking.server.sent[path] <= size[path] + (1 << 16), f"break: {breaking.server.sent[path]} bytes were sent of {path}, which has {size[path]}")
    harness.expect(breaking.metric("frond_leaf_transfers_resumed_total") >= len(fetched), "break: the metric tells of fewer resumed transfers")
    print(f"break: {len(fetched)} files in {len(breaking.server.requests)} requests", flush=True)

    harness.eventually(leaves["whole"].ready, "whole: ready, from a server without ranges")

    # What is sent past the file's end is not taken; the leaf says so and tries again.
    more = leaves["more"]
    harness.eventually(lambda: "larger than it may be" in harness.fetch(more.ports[1], "/readyz")[1].decode(), "more: the leaf says that it got more than the file has")
    harness.expect(more.metric("frond_leaf_fetched_bytes_total") < 10 * sum(size.values()), "more: the leaf took what is no part of a file")
    more.server.mode = "well"
    # The server has another file now, and says so: what came before is of no use.
    other = leaves["other"]
    harness.eventually(lambda: ".sst: " in harness.fetch(other.ports[1], "/readyz")[1].decode(), "other: the leaf says which file is wrong")
    other.server.mode = "well"
    for leaf in (more, other, leaves["stall"], leaves["drip"]):
        harness.eventually(leaf.ready, f"{leaf.mode}: ready in the end", 120)
    for mode in ("stall", "drip"):
        harness.expect(leaves[mode].metric("frond_leaf_transfers_slow_total") >= 1, f"{mode}: the metric tells of no slow transfer")
    for leaf in leaves.values():
        leaf.stop()


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    sources = [random_text.Collection(rng, 3000, words, name=name).write(setting.path(name + ".jsonl")) for name in "ab"]
    repository = setting.path("repository")
    setting.build(repository, "c", [sources[0]], 2)
    check_same_answers(setting, rng, words, repository, sources)
    small = setting.path("small")
    setting.build(small, "c", [sources[0]], 1)
    check_unruly_servers(setting, small)


harness.run(test, harness.arguments(__doc__).parse_args())
