#!/usr/bin/env python3
"""Searches on the wiki articles, whose snippets cost more than finding the hits: one leaf, one broker, two partitions, a closed loop of four
connections with the million query track's queries, the result cache off. For k = 10 and 1: searches a second, milliseconds, and the leaf's
processor time a search. One JSON object a round.

With --before BIN the programs of another build take turns with those of --bin; each has an index of its own, built with the older analyzer
and parameters, which every build knows.
"""
import json
import os
import subprocess

import data
import harness

parser = harness.arguments(__doc__)
parser.add_argument("--before", help="the folder of another build's programs")
parser.add_argument("--work", default="build/measure", help="where the unpacked articles are kept")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--seconds", type=float, default=4)
parser.add_argument("--default-analyzer", action="store_true", help="build with the defaults of --bin instead")
parsed = parser.parse_args()

OLDER = {"analyzer": "standard", "k1": 0.9, "b": 0.4}


def processor_us(process):
    """User and system time of a running process."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1e6 / os.sysconf("SC_CLK_TCK")


def knows(setting, flag):
    """Also of older programs, which have no --help-all and show all flags with --help."""
    told = [subprocess.run([setting.program("frond-indexer"), "build", kind], capture_output=True, text=True, check=False).stdout
            for kind in ("--help-all", "--help")]
    return f"--{flag} " in "".join(told)


def load(setting, cluster, k):
    command = [setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{cluster.http}", "--queries",
               data.path("queries", "million-query-1-10000.txt"), "--json", "--cache", "off", "--concurrency", "4", "--k", str(k)]

    def answers(seconds):
        return json.loads(subprocess.run([*command, "--seconds", str(seconds)], check=True, capture_output=True, text=True).stdout)

    answers(3)  # warms
    before = processor_us(cluster.leaves[0])
    figures = answers(parsed.seconds)
    used = processor_us(cluster.leaves[0]) - before
    return {"searches_per_second": round(figures["queries_per_second"]), "leaf_us_a_search": round(used / figures["queries_per_second"] / parsed.seconds),
            "latency_ms": figures["latency_ms"]}


def cluster_of(setting, programs, name, source):
    """Broker and leaf of these programs over an index of theirs."""
    theirs = harness.Setting(os.path.abspath(programs), setting.folder, setting.rng)
    theirs.processes = setting.processes  # which stops them
    flags = {} if parsed.default_analyzer else {flag: value for flag, value in OLDER.items() if knows(theirs, flag)}
    repository = setting.path(name)
    theirs.build(repository, "articles", [source], 2, **flags)
    return harness.Cluster(theirs, repository, "articles", 1, name=name)


def test(setting):
    source = data.unpacked_articles(parsed.work)
    clusters = {name: cluster_of(setting, programs, name, source) for name, programs in (("before", parsed.before), ("now", parsed.bin)) if programs}
    for number in range(parsed.rounds):
        for k in (10, 1):
            for name, cluster in clusters.items():
                print(json.dumps({"round": number + 1, "programs": name, "k": k, **load(setting, cluster, k)}), flush=True)
    for cluster in clusters.values():
        cluster.stop()


harness.run(test, parsed)
