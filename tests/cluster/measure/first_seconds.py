#!/usr/bin/env python3
"""What a leaf gives in its first seconds, and while it changes generations: searches a second and p99 in short steps.

Makes two generations of one collection that have no partition in common, starts a leaf and a broker without flags but places, and loads
them in closed loop in steps: from ready on; then steadily; then while the collection is switched to the other generation every
--swap-seconds. Each kind is done for each of --leaf-flags, in turn. Prints one JSON object a line, and last the ratios.

usage: first_seconds.py [--profile gov2 --documents N | --passages FILE.jsonl] [--partitions 4] [--leaf-flags ';--warm-ms 0']
"""
import json
import os
import shutil
import subprocess
import threading
import time

from large_collection_parts import Process, harness

parser = harness.arguments(__doc__)
parser.add_argument("--profile", default="gov2")
parser.add_argument("--documents", type=int, default=0, help="0: the profile's own")
parser.add_argument("--passages", help="JSON Lines to build both generations from, instead of a profile; needs --queries")
parser.add_argument("--queries", help="a file of queries")
parser.add_argument("--repository", help="with two generations of the collection large, 1 and 2, and queries.txt; made where it is not there")
parser.add_argument("--partitions", type=int, default=4)
parser.add_argument("--leaf-flags", default="", help="flags of the leaf; sets of them separated by ;")
parser.add_argument("--broker-threads", type=int, default=0, help="0: the broker's default")
parser.add_argument("--connections", type=int, default=256)
parser.add_argument("--mode", default="or")
parser.add_argument("--step", type=float, default=2)
parser.add_argument("--first-steps", type=int, default=6)
parser.add_argument("--steps", type=int, default=15, help="of the steady load, and of the one with swaps")
parser.add_argument("--swap-seconds", type=float, default=10)
parser.add_argument("--fields", default="id")
parser.add_argument("--plot", help="an SVG file for the curves of the first flags, made with gnuplot; else its script is left beside")
parsed = parser.parse_args()
begun = time.monotonic()


def say(what, **figures):
    print(json.dumps({"at": round(time.monotonic() - begun, 1), "what": what, **figures}), flush=True)


def prepare(setting):
    """The repository and the queries."""
    repository = os.path.abspath(parsed.repository) if parsed.repository else setting.path("repository")
    queries = os.path.abspath(parsed.queries) if parsed.queries else os.path.join(os.path.dirname(repository), "queries.txt")
    if harness.current(repository, "large") is not None:
        return repository, queries
    for seed in (1, 2):
        if parsed.passages:
            made = setting.build(repository, "large", [os.path.abspath(parsed.passages)], parsed.partitions)
        else:
            command = [setting.program("frond"), "synth", "--profile", parsed.profile, "--documents", str(parsed.documents), "--repository",
                       repository, "--collection", "large", "--partitions", str(parsed.partitions), "--query-count", "20000", "--queries",
                       queries, "--seed", str(seed), "--json"]
            made = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        say("made", summary=made)
    return repository, queries


class Cluster:
    def __init__(self, setting, repository, name, flags):
        listen, probes, port, admin = harness.free_ports(4)
        self.setting, self.repository = setting, repository
        self.leaf = Process(setting, f"leaf-{name}", "frond-leaf",
                            ["--repository", repository, "--collection", "large", "--data", setting.path(f"data-{name}"), "--listen",
                             f"tcp://127.0.0.1:{listen}", "--http", f"127.0.0.1:{probes}", "--grace-seconds", "2", *flags.split()], probes)
        threads = ["--threads", parsed.broker_threads] if parsed.broker_threads else []
        self.broker = Process(setting, f"broker-{name}", "frond-broker",
                              ["--http", f"127.0.0.1:{port}", "--admin-http", f"127.0.0.1:{admin}", "--collection", "large", "--leaf",
                               f"tcp://127.0.0.1:{listen}", *threads], admin)
        self.port, self.swaps, self.end = port, 0, threading.Event()

    def load(self, queries, steps, what, **labels):
        figures = []
        for _ in range(steps):
            command = [self.setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{self.port}", "--queries", queries, "--json",
                       "--cache", "off", "--seconds", str(parsed.step), "--concurrency", str(parsed.connections), "--mode", parsed.mode,
                       "--fields", parsed.fields]
            report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            figures.append({"rate": round(report["queries_per_second"]), "p99_ms": report["latency_ms"]["p99"],
                            "failed": report["degraded"] + report["refused"] + report["connection_errors"] + report["unanswered"]})
        say(what, **labels, rates=[f["rate"] for f in figures], p99_ms=[f["p99_ms"] for f in figures],
            failed=sum(f["failed"] for f in figures))
        return figures

    def switch(self):
        """The collection's other generation becomes current."""
        wanted = 3 - harness.current(self.repository, "large")
        subprocess.run([self.setting.program("frond-indexer"), "switch", "--repository", self.repository, "--collection", "large",
                        "--generation", str(wanted)], check=True, capture_output=True)
        self.swaps += 1

    def swap(self):
        while not self.end.wait(parsed.swap_seconds):
            self.switch()


def plot(path, curves):
    """Searches a second over seconds, a line for each of the names."""
    script = [f'set terminal svg noenhanced size 760,360 background "white" font "sans-serif,12"\nset output "{os.path.abspath(path)}"',
              'set xlabel "seconds of load"\nset ylabel "searches a second"\nset yrange [0:*]\nset grid linecolor "#dddddd"',
              "set key outside bottom center horizontal",
              "plot " + ", ".join(f'"-" with linespoints linewidth 2 pointtype 7 pointsize 0.6 title "{name}"' for name in curves)]
    for figures in curves.values():
        script += [f"{(at + 0.5) * parsed.step} {one['rate']}" for at, one in enumerate(figures)] + ["e"]
    with open(path + ".gnuplot", "w", encoding="utf-8") as file:
        file.write("\n".join(script) + "\n")
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", path + ".gnuplot"], check=True)
        os.remove(path + ".gnuplot")


def median(figures, of):
    ordered = sorted(f[of] for f in figures)
    return ordered[len(ordered) // 2]


def test(setting):
    repository, queries = prepare(setting)
    for number, flags in enumerate(parsed.leaf_flags.split(";")):
        cluster = Cluster(setting, repository, str(number), flags)
        cluster.leaf.start()
        ready = cluster.leaf.await_ready()
        cluster.broker.start()
        cluster.broker.await_ready()
        first = cluster.load(queries, parsed.first_steps, "first", flags=flags, ready=ready)
        steady = cluster.load(queries, parsed.steps, "steady", flags=flags)
        swapper = threading.Thread(target=cluster.swap)
        swapper.start()
        swapped = cluster.load(queries, parsed.steps, "swaps", flags=flags)
        cluster.end.set()
        swapper.join()
        if parsed.plot and number == 0:
            plot(parsed.plot, {"from ready on": first, "steady": steady, f"a new generation every {parsed.swap_seconds:g} s": swapped})
        rate, p99 = median(steady, "rate"), median(steady, "p99_ms")
        say("ratios", flags=flags, ready=ready, swaps=cluster.swaps, first=round(first[0]["rate"] / rate, 3),
            rate=round(sum(f["rate"] for f in swapped) / len(swapped) / rate, 3),
            p99_median=round(median(swapped, "p99_ms") / p99, 2), p99_worst=round(max(f["p99_ms"] for f in swapped) / p99, 2))
        for process in (cluster.broker, cluster.leaf):
            process.process.terminate()
            harness.expect(process.process.wait(60) == 0, f"{process.name} did not exit 0")


harness.run(test, parsed)
