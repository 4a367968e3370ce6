#!/usr/bin/env python3
"""What a search costs by the number of leaves: processor time of the broker and of all leaves, round trips, searches a second.

Builds one collection in 16 partitions, and for each number of leaves and each folder of programs, in turn, starts them with one broker
and loads them in closed loop. Prints a line each.

usage: leaves.py --bins BEFORE,AFTER [--leaves 1,2,4,8,16] [--k 10] [--broker-threads 1] [--rounds 3]
"""
import json
import os
import subprocess

from large_collection_parts import cpu_seconds, harness
import random_text


class Named:
    """A process as cpu_seconds() takes it."""

    def __init__(self, process):
        self.process = process


parser = harness.arguments(__doc__)
parser.add_argument("--bins", required=True, help="folders of programs, separated by commas")
parser.add_argument("--leaves", default="1,2,4,8,16")
parser.add_argument("--documents", type=int, default=16000)
parser.add_argument("--k", type=int, default=10)
parser.add_argument("--mode", default="and")
parser.add_argument("--fields", default="id,title")
parser.add_argument("--connections", type=int, default=8)
parser.add_argument("--broker-threads", type=int, default=1)
parser.add_argument("--seconds", type=float, default=4)
parser.add_argument("--rounds", type=int, default=3)
parsed = parser.parse_args()


def measure(setting, programs, repository, queries, leaves, name):
    setting.programs = os.path.abspath(programs)
    cluster = harness.Cluster(setting, repository, "c", leaves, name=name, leaf_flags=["--gpu", "off"],
                              broker_flags=["--threads", str(parsed.broker_threads)])
    load = [setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{cluster.http}", "--queries", queries, "--json", "--cache", "off",
            "--mode", parsed.mode, "--k", str(parsed.k), "--fields", parsed.fields, "--concurrency", str(parsed.connections)]
    subprocess.run([*load, "--seconds", "1"], check=True, capture_output=True)
    processes = {"broker": Named(cluster.broker), **{str(i): Named(leaf) for i, leaf in enumerate(cluster.leaves)}}
    before = cpu_seconds(processes)
    fetches = harness.metric(cluster.http, "frond_broker_leaf_requests_total", kind="fetch")
    report = json.loads(subprocess.run([*load, "--seconds", str(parsed.seconds)], check=True, capture_output=True, text=True).stdout)
    searches = report["queries_per_second"] * parsed.seconds
    used = {process: seconds - before[process] for process, seconds in cpu_seconds(processes).items()}
    fetches = harness.metric(cluster.http, "frond_broker_leaf_requests_total", kind="fetch") - fetches
    broker = used.pop("broker")
    print(f"{programs:24} {leaves:6}  {searches / parsed.seconds:10,.0f}/s  broker {1e6 * broker / searches:6.1f} us  leaves "
          f"{1e6 * sum(used.values()) / searches:7.1f} us  fetches {fetches / searches:5.2f} a search  p50 {report['latency_ms']['p50']:.3f} "
          f"p99 {report['latency_ms']['p99']:.3f} ms", flush=True)
    cluster.stop()


def test(setting):
    words = random_text.vocabulary(setting.rng, 5000)
    source = random_text.Collection(setting.rng, parsed.documents, words).write(setting.path("documents.jsonl"))
    repository, queries = setting.path("repository"), setting.path("queries.txt")
    setting.build(repository, "c", [source], 16)
    with open(queries, "w", encoding="utf-8") as file:
        file.writelines(" ".join(setting.rng.sample(words[:500], 2)) + "\n" for _ in range(2000))
    for leaves in map(int, parsed.leaves.split(",")):
        for number in range(parsed.rounds):
            for which, programs in enumerate(parsed.bins.split(",")):
                measure(setting, programs, repository, queries, leaves, f"{leaves}-{number}-{which}")


harness.run(test, parsed)
