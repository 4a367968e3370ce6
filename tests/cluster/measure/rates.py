#!/usr/bin/env python3
"""What clients get from one leaf and a broker on one machine: searches a second over HTTP, of several builds in turn.

Makes a collection with `frond synth`, then for each round and each folder of programs starts a leaf and brokers, and loads
them in closed loop: single searches, msearch, k = 1 and 1000, then single searches in open loop at 80 % of the closed
rate. Steps `count-and`, `count-or` and `unranked` are msearch lines too: counts, and the first hits without ranking. Prints one JSON object a line, with the CPU time of the leaf and of the brokers by name of thread, microseconds a query.

usage: rates.py --bins BEFORE,AFTER [--rounds 3] [--partitions 1,4] [--brokers 4] [--threads 4] [--gpu "0;0,1"]
"""
import collections
import itertools
import json
import os
import subprocess
import time

from large_collection_parts import TICKS, GpuSamples, Process, harness

parser = harness.arguments(__doc__)
parser.add_argument("--bins", required=True, help="folders of programs, separated by commas")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--profile", default="gov2")
parser.add_argument("--documents", type=int, default=0, help="0: the profile's own")
parser.add_argument("--partitions", default="1")
parser.add_argument("--brokers", type=int, default=4)
parser.add_argument("--threads", type=int, default=0, help="of one broker, for programs that have --threads; instead of --brokers")
parser.add_argument("--gpu", default="auto", help="of the leaf: auto, off, or numbers of devices; several, in turn, separated by ;")
parser.add_argument("--collections", help="a folder where the collections are kept, made where they are not there")
parser.add_argument("--leaf-flags", default="", help="more flags for the leaf")
parser.add_argument("--connections", type=int, default=96, help="of each load process")
parser.add_argument("--loads", type=int, default=4, help="load processes")
parser.add_argument("--msearch", type=int, default=2, help="msearch requests of each load process at a time")
parser.add_argument("--seconds", type=float, default=2.5)
parser.add_argument("--open-rate", type=float, default=0, help="searches a second in open loop; 0: 80 %% of the closed rate")
parser.add_argument("--steps", default="k10,msearch,k1,k1000,open", help="which loads")
parsed = parser.parse_args()
begun = time.monotonic()


def say(what, **figures):
    print(json.dumps({"at": round(time.monotonic() - begun, 1), "what": what, **figures}), flush=True)


def thread_seconds(process):
    """CPU seconds of a process by name of thread."""
    used = collections.Counter()
    folder = f"/proc/{process.process.pid}/task"
    for task in os.listdir(folder):
        try:
            with open(f"{folder}/{task}/stat", encoding="utf-8") as file:
                head, _, tail = file.read().rpartition(")")
        except OSError:
            continue
        fields = tail.split()
        used[head.split("(", 1)[1]] += (int(fields[11]) + int(fields[12])) / TICKS
    return used


class Cluster:
    def __init__(self, setting, folder, repository, gpu, name):
        def program(name):
            return os.path.join(folder, name)
        self.setting = setting
        listen, probes = harness.free_ports(2)
        self.leaf = Process(setting, f"leaf-{name}", program("frond-leaf"),
                            ["--repository", repository, "--collection", "large", "--data", setting.path(f"data-{name}"),
                             "--listen", f"tcp://127.0.0.1:{listen}", "--http", f"127.0.0.1:{probes}", "--gpu", gpu,
                             "--gpu-cache", "24GiB", "--host-cache", "4GiB", *parsed.leaf_flags.split()], probes, listen)
        threads = parsed.threads and "--threads" in subprocess.run([program("frond-broker"), "--help"], check=True,
                                                                   capture_output=True, text=True).stdout
        self.brokers = []
        for number in range(1 if threads else parsed.brokers):
            (port,) = harness.free_ports(1)
            args = ["--http", f"127.0.0.1:{port}", "--collection", "large", "--leaf", f"tcp://127.0.0.1:{listen}",
                    "--max-in-flight", "4096", "--max-msearch-in-flight", "2048", "--max-leaf-in-flight", "8192",
                    "--max-costly-in-flight", "64"]
            if threads:
                args += ["--threads", str(parsed.threads), "--max-msearches", "64"]
            self.brokers.append(Process(setting, f"broker-{name}-{number}", program("frond-broker"), args, port))
        for process in [self.leaf, *self.brokers]:
            process.start()
            process.await_ready()

    def load(self, queries, *flags, seconds=parsed.seconds, rate=None, **labels):
        command = [self.setting.program("frond"), "load", "--queries", queries, "--json", "--cache", "off", "--warmup", "0.5",
                   "--seconds", str(seconds), *map(str, flags)]
        command += [] if "--count" in flags else ["--fields", "id,title,url"]
        command += ["--rate", str(rate / parsed.loads), "--connections", "400"] if rate else []
        names = [self.leaf, *self.brokers]
        before, start = [thread_seconds(p) for p in names], time.monotonic()
        running = [subprocess.Popen([*command, "--broker", f"http://127.0.0.1:{self.brokers[i % len(self.brokers)].http}"],
                                    stdout=subprocess.PIPE, text=True) for i in range(parsed.loads)]
        reports = [json.loads(p.communicate()[0]) for p in running]
        took, after = time.monotonic() - start, [thread_seconds(p) for p in names]
        total = sum(r["queries_per_second"] for r in reports)
        asked = max(1, total * (seconds + 0.5))
        spent = [{name: round(1e6 * (now[name] - then[name]) / asked, 1) for name in now if now[name] - then[name] > 0.02}
                 for then, now in zip(before, after)]
        brokers = collections.Counter()
        for one in spent[1:]:
            brokers.update(one)
        return total, {**labels, "queries_per_second": round(total), "p50_ms": max(r["latency_ms"]["p50"] for r in reports),
                       "p99_ms": max(r["latency_ms"]["p99"] for r in reports),
                       "failed": sum(r["degraded"] + r["refused"] + r["connection_errors"] + r["unanswered"] for r in reports),
                       "not_200": {s: n for r in reports for s, n in r["statuses"].items() if s != "200"},
                       "leaf_us": spent[0], "leaf_us_all": round(sum(spent[0].values()), 1),
                       "brokers_us_all": round(sum(brokers.values()), 1), "cores": round(sum(
                           sum(now.values()) - sum(then.values()) for then, now in zip(before, after)) / took, 2)}

    def stop(self):
        for process in [*self.brokers, self.leaf]:
            process.process.terminate()
        for process in [*self.brokers, self.leaf]:
            process.process.wait(30)


def test(setting):
    gpu, steps = GpuSamples(), parsed.steps.split(",")
    for partitions in parsed.partitions.split(","):
        kept = os.path.abspath(parsed.collections) if parsed.collections else setting.path("collections")
        repository, queries = f"{kept}/repository-{partitions}", f"{kept}/queries-{partitions}"
        os.makedirs(kept, exist_ok=True)
        if harness.current(repository, "large") is None:
            made = subprocess.run(
                [setting.program("frond"), "synth", "--profile", parsed.profile, "--documents", str(parsed.documents),
                 "--repository", repository, "--collection", "large", "--partitions", partitions, "--query-count", "4000",
                 "--queries", queries, "--json"], check=True, capture_output=True, text=True)
            say("synth", partitions=partitions, made=json.loads(made.stdout))
        for round_number in range(parsed.rounds):
            for which, (folder, devices) in enumerate(itertools.product(parsed.bins.split(","), parsed.gpu.split(";"))):
                cluster = Cluster(setting, os.path.abspath(folder), repository, devices, f"{partitions}-{round_number}-{which}")
                closed = ["--concurrency", parsed.connections]

                def step(name, *flags, **how):
                    start = time.monotonic()
                    total, figures = cluster.load(queries, *flags, **how)
                    say(name, bins=folder, gpu=devices, partitions=partitions, round=round_number,
                        gpu_percent=gpu.mean(start + 0.5, time.monotonic()), **figures)
                    return total

                cluster.load(queries, *closed, "--mode", "or", seconds=2)  # lists are copied to the device
                rate, lines = 0, ["--concurrency", parsed.msearch, "--msearch", 64]
                if "k10" in steps:
                    rate = step("k10", *closed, "--mode", "or")
                if "and" in steps:
                    step("and", *closed, "--mode", "and")
                if "msearch" in steps:
                    step("msearch", *lines, "--mode", "or")
                if "k1" in steps:
                    step("k1", *closed, "--mode", "or", "--k", 1)
                if "k1000" in steps:
                    step("k1000", "--concurrency", 8, "--mode", "or", "--k", 1000)
                for mode in ("and", "or"):
                    if f"count-{mode}" in steps:
                        step(f"count-{mode}", *lines, "--mode", mode, "--count")
                if "unranked" in steps:
                    step("unranked", *lines, "--mode", "and", "--rank", "none")
                if "open" in steps and rate:
                    step("open", "--mode", "or", rate=parsed.open_rate or 0.8 * rate)
                cluster.stop()
    gpu.stop()


if __name__ == "__main__":
    raise SystemExit(harness.run(test, parsed))
