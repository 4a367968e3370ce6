#!/usr/bin/env python3
"""What CURVE costs: two clusters over the same made-up collection, one with keys and one without, asked in turn.

Queries are cheap and the result cache is off, so that messages are a large part of the work. For k = 10 and k = 1000:
queries a second and latency of a closed loop, and the CPU time of broker and leaves a query, which depends less on other
work on the machine. Medians over the rounds, minimum and maximum. One JSON object a line.
"""
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import harness  # noqa: E402
import random_text  # noqa: E402

parser = harness.arguments(__doc__)
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--seconds", type=float, default=4)
parser.add_argument("--documents", type=int, default=20000)
parsed = parser.parse_args()


def cpu_seconds(process):
    """User and system time of a process since its start."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def keygen(setting, name):
    subprocess.run([setting.program("frond"), "keygen", "--output", setting.path(name)], check=True, capture_output=True, timeout=60)
    return setting.path(name)


def measure(setting, cluster, queries, k):
    processes = {"broker": [cluster.broker], "leaves": cluster.leaves}
    before = {name: sum(map(cpu_seconds, group)) for name, group in processes.items()}
    command = [setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{cluster.http}", "--queries", queries, "--json",
               "--seconds", str(parsed.seconds), "--concurrency", "4", "--cache", "off", "--k", str(k)]
    figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout)
    answered = figures["queries_per_second"] * figures["seconds"]
    used = {name: 1e6 * (sum(map(cpu_seconds, group)) - before[name]) / answered for name, group in processes.items()}
    latency = figures["latency_ms"]
    return {"queries_per_second": figures["queries_per_second"], "p50_ms": latency["p50"], "p99_ms": latency["p99"],
            "broker_cpu_us": used["broker"], "leaves_cpu_us": used["leaves"]}


def spread(values):
    return {"median": round(statistics.median(values), 3), "least": round(min(values), 3), "most": round(max(values), 3)}


def test(setting):
    words = random_text.vocabulary(setting.rng, 5000)
    source = random_text.Collection(setting.rng, parsed.documents, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 2)
    queries = setting.path("queries.txt")
    with open(queries, "w", encoding="utf-8") as file:
        file.writelines(" ".join(setting.rng.choices(words[:500], k=2)) + "\n" for _ in range(5000))
    leaf, broker = keygen(setting, "leaf"), keygen(setting, "broker")
    clusters = {
        "plain": harness.Cluster(setting, repository, "c", 2, "plain"),
        "curve": harness.Cluster(setting, repository, "c", 2, "curve",
                                 broker_flags=("--curve-secret-key", broker + ".secret", "--curve-leaf-key", leaf + ".public"),
                                 leaf_flags=("--curve-secret-key", leaf + ".secret", "--curve-clients", broker + ".public")),
    }
    for k in (10, 1000):
        found = {name: [] for name in clusters}
        for number in range(parsed.rounds):
            for name in sorted(clusters, reverse=number % 2 == 1):
                found[name].append(measure(setting, clusters[name], queries, k))
        for name, rounds in found.items():
            print(json.dumps({"k": k, "cluster": name, "rounds": len(rounds),
                              **{figure: spread([r[figure] for r in rounds]) for figure in rounds[0]}}), flush=True)
    for cluster in clusters.values():
        cluster.stop()


harness.run(test, parsed)
