#!/usr/bin/env python3
"""How a broker's rate grows with --threads: answers from the cache, and searches that a leaf answers, by several load generators at once.

For each number of threads, in turn, for some rounds: requests a second, processor time of the broker for one request, and the cores that
broker, leaf and generators kept busy, so that it can be seen what was full. A table. The machine needs about three cores for each thread
of the broker: its loop, and a generator.

  tests/cluster/measure/broker_threads.py --threads 1,2,4 --generators 8 --seconds 10 --rounds 3
"""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
import random_text

parser = harness.arguments(__doc__)
parser.add_argument("--threads", default="1,2,4", help="numbers of threads, separated by commas")
parser.add_argument("--generators", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="processes of frond load")
parser.add_argument("--concurrency", type=int, default=32, help="connections of each")
parser.add_argument("--seconds", type=float, default=10)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--documents", type=int, default=20000)
parser.add_argument("--msearch", type=int, default=0, help="queries a request; 0: one, through /v1/search")
parsed = parser.parse_args()


def processor_seconds(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Measured:
    """Requests and processor time between two moments."""

    def __init__(self, cluster, broker, admin):
        self.cluster, self.broker, self.admin = cluster, broker, admin
        self.began = self.state()

    def state(self):
        return (time.monotonic(), harness.metric(self.admin, "frond_broker_searches_total", outcome="whole"),
                harness.metric(self.admin, "frond_broker_cache_hits_total"), processor_seconds(self.broker),
                processor_seconds(self.cluster.leaves[0]))

    def end(self):
        seconds, searches, hits, broker, leaf = (now - was for now, was in zip(self.state(), self.began))
        return {"rate": searches / seconds, "hits": hits / max(searches, 1), "us": 1e6 * broker / max(searches, 1), "broker": broker / seconds,
                "leaf": leaf / seconds}


def measure(cluster, queries, threads, cache):
    port, admin = harness.free_ports(2)
    broker = cluster.setting.spawn(f"broker-{threads}", "frond-broker", "--http", f"127.0.0.1:{port}", "--admin-http", f"127.0.0.1:{admin}",
                                   "--collection", "c", "--leaf", f"tcp://127.0.0.1:{cluster.leaf_ports[0]}", "--threads", threads,
                                   "--max-in-flight", 8192, "--max-connections", 20000, "--max-connections-per-address", 20000)
    harness.eventually(lambda: harness.fetch(admin, "/readyz")[0] == 200, "the broker is ready")
    command = [cluster.setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{port}", "--queries", queries, "--json",
               "--concurrency", str(parsed.concurrency), "--warmup", "1", "--seconds", str(parsed.seconds + 1), "--cache", cache]
    if parsed.msearch:
        command += ["--msearch", str(parsed.msearch)]
    started = os.times()
    generators = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(parsed.generators)]
    time.sleep(1.5)  # their warm-up
    measured = Measured(cluster, broker, admin)
    time.sleep(parsed.seconds)
    figures = measured.end()
    latency = [json.loads(generator.communicate()[0]) for generator in generators]
    ended = os.times()
    spent = ended.children_user + ended.children_system - started.children_user - started.children_system
    figures["generators"] = spent / (parsed.seconds + 2)
    figures["errors"] = sum(one.get("errors", 0) if isinstance(one.get("errors", 0), int) else 0 for one in latency)
    harness.end(broker, "the broker")
    return figures


def test(setting):
    words = random_text.vocabulary(setting.rng, 5000)
    source = random_text.Collection(setting.rng, parsed.documents, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 1)
    cluster = harness.Cluster(setting, repository, "c", 1)
    harness.end(cluster.broker, "the first broker")
    queries = setting.path("queries.txt")
    with open(queries, "w", encoding="utf-8") as file:
        file.writelines(" ".join(setting.rng.sample(words, 2)) + "\n" for _ in range(500))
    counts = [int(one) for one in parsed.threads.split(",")]
    print(f"{os.cpu_count()} cores, {parsed.generators} generators with {parsed.concurrency} connections each, {parsed.seconds:g} s, "
          f"{'lines of msearch, ' + str(parsed.msearch) + ' a request' if parsed.msearch else 'single searches'}")
    print("cache  threads  round   requests/s  x of 1  broker µs  cores: broker   leaf  generators  hits")
    for cache in ("on", "off"):
        alone = {}
        for number in range(parsed.rounds):
            for threads in counts:
                got = measure(cluster, queries, threads, cache)
                alone.setdefault(number, got["rate"] if threads == counts[0] else None)
                share = f"{got['rate'] / alone[number]:6.2f}" if alone[number] else "     –"
                print(f"{cache:5}  {threads:7}  {number + 1:5}  {got['rate']:11,.0f}  {share}  {got['us']:9.1f}  {got['broker']:13.2f}  "
                      f"{got['leaf']:5.2f}  {got['generators']:10.2f}  {got['hits']:.3f}", flush=True)
    for leaf in cluster.leaves:
        harness.end(leaf, "the leaf")


harness.run(test, parsed)
