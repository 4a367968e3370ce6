#!/usr/bin/env python3
"""Throughput and latency on the wiki passages: 2 leaves, 1 broker and the load generator on this machine.

First a closed loop without the result cache (the highest rate), then an open loop at shares of that rate, with the cache off
and on, then answers from the cache only. One JSON object.
"""
import json
import subprocess

import data
import harness

parser = harness.arguments(__doc__)
parser.add_argument("--seconds", type=float, default=15)
parser.add_argument("--work", default="build/measure", help="where the cut passages are kept")
parser.add_argument("--repository", default=None, help="with a collection `passages`; default: built here")
parsed = parser.parse_args()


def test(setting):
    queries = data.path("queries", "terabyte05-efficiency.txt")
    repository = parsed.repository
    if not repository:
        repository = setting.path("repository")
        summary = setting.build(repository, "passages", [data.wiki_passages(parsed.work)], 4)
        print(json.dumps({"build": summary}), flush=True)
    cluster = harness.Cluster(setting, repository, "passages", 2)

    def load(name, *flags, file=queries):
        command = [setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{cluster.http}", "--queries", file, "--json",
                   "--seconds", str(parsed.seconds), *map(str, flags)]
        figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(json.dumps({name: figures}), flush=True)
        return figures

    most = load("closed, 16 connections, cache off", "--concurrency", 16, "--cache", "off", "--warmup", 3)["queries_per_second"]
    for share in (0.25, 0.5, 0.75):
        load(f"open, {share:.0%} of that, cache off", "--rate", max(1, round(most * share)), "--cache", "off", "--warmup", 1)
    load("open, 50%, cache on", "--rate", max(1, round(most * 0.5)), "--cache", "on")
    few = setting.path("few.txt")
    with open(queries, encoding="utf-8") as source, open(few, "w", encoding="utf-8") as out:
        out.writelines(line for _, line in zip(range(200), source))
    load("closed, 64 connections, answers from the cache", "--concurrency", 64, "--cache", "on", "--warmup", 3, file=few)
    cluster.stop()


harness.run(test, parsed)
