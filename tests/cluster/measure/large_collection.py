#!/usr/bin/env python3
"""A whole made-up collection, end to end: leaves on the GPU and on the cores, brokers, load, kill -9.

Makes the collection with `frond synth`; starts one leaf with --gpu off and one with --gpu auto, each with a broker of its
own; compares their answers; loads them in closed and open loop, with one to four brokers; kills leaves under load; lets two
leaves share the GPU. One JSON object a line. Needs only the programs, and a GPU for the GPU's part. Steps after
--budget seconds are left out and reported as such.

usage: large_collection.py --bin BIN [--documents N] [--gpu auto|off]
"""
import http.client
import json
import subprocess
import time

from large_collection_parts import GpuSamples, Process, Watcher, cores_between, cpu_seconds, harness

parser = harness.arguments(__doc__)
parser.add_argument("--profile", default="gov2")
parser.add_argument("--documents", type=int, default=0, help="0: the profile's own")
parser.add_argument("--partitions", type=int, default=4)
parser.add_argument("--gpu", default="auto", help="of the leaves that would use one")
parser.add_argument("--gpu-cache", default="24GiB")
parser.add_argument("--host-cache", default="4GiB")
parser.add_argument("--seconds", type=float, default=2.5, help="of one load, recorded")
parser.add_argument("--budget", type=float, default=225)
parser.add_argument("--comparisons", type=int, default=1000)
parser.add_argument("--connections", type=int, default=64, help="of a closed loop, where the table does not vary them")
parsed = parser.parse_args()
begun = time.monotonic()


def say(what, **figures):
    print(json.dumps({"at": round(time.monotonic() - begun, 1), "what": what, **figures}), flush=True)


def in_budget(what, seconds):
    if time.monotonic() - begun + seconds < parsed.budget:
        return True
    say(what, left_out="no time")
    return False


class Collection:
    def __init__(self, setting):
        self.setting, self.repository = setting, setting.path("repository")
        self.queries = setting.path("queries.txt")
        made = subprocess.run(
            [setting.program("frond"), "synth", "--profile", parsed.profile, "--documents", str(parsed.documents),
             "--repository", self.repository, "--collection", "large", "--partitions", str(parsed.partitions),
             "--query-count", "2000", "--queries", self.queries, "--json"], check=True, capture_output=True, text=True)
        say("synth", **json.loads(made.stdout))
        with open(self.queries, encoding="utf-8") as file:
            self.lines = [line.split(":", 1)[1].strip() for line in file]

    def leaf(self, name, gpu, shard="0/1", **flags):
        """A leaf that is ready, and how long that took from its start."""
        listen, probes = harness.free_ports(2)
        args = ["--repository", self.repository, "--collection", "large", "--data", self.setting.path(name), "--shard", shard,
                "--listen", f"tcp://127.0.0.1:{listen}", "--http", f"127.0.0.1:{probes}", "--gpu", gpu, "--gpu-cache",
                parsed.gpu_cache, "--host-cache", flags.pop("host_cache", parsed.host_cache)]
        return Process(self.setting, name, "frond-leaf", args, probes, listen)

    def broker(self, name, leaves):
        (port,) = harness.free_ports(1)
        args = ["--http", f"127.0.0.1:{port}", "--collection", "large"]
        for leaf in leaves:
            args += ["--leaf", f"tcp://127.0.0.1:{leaf.listen}"]
        return Process(self.setting, name, "frond-broker", args, port)


def answers(broker, queries, **parameters):
    """Each query's answer, numbers as they were printed, by /v1/msearch in requests of 64."""
    out = []
    connection = http.client.HTTPConnection("127.0.0.1", broker.http, timeout=60)
    for first in range(0, len(queries), 64):
        lines = [json.dumps({"q": q, "cache": "off", "timeout_ms": 20000, "explain": True, **parameters})
                 for q in queries[first:first + 64]]
        connection.request("POST", "/v1/msearch", "\n".join(lines) + "\n")
        out += [json.loads(line, parse_float=str, parse_int=str) for line in connection.getresponse().read().splitlines()]
    connection.close()
    return out


def compare(collection, one, other, processor):
    """Every hit and score of both, and totals where both counted to the end."""
    queries = collection.lines[:parsed.comparisons]
    for _ in range(2):  # what the GPU lacks is copied for the next time
        answers(other, queries, mode="or", k=10, processor=processor)
    for mode in ("or", "and", "auto"):
        for k in (10, 100):
            left = answers(one, queries, mode=mode, k=k, processor="cpu")
            right = answers(other, queries, mode=mode, k=k, processor=processor)
            harness.expect(len(left) == len(right) == len(queries), "an answer is lacking")
            differ, engines = 0, {}
            for a, b in zip(left, right):
                harness.expect("hits" in a and "hits" in b, f"refused: {a} {b}")
                harness.expect(not a["coverage"]["degraded"] and not b["coverage"]["degraded"], "an answer is degraded")
                exact = a["total"]["relation"] == b["total"]["relation"] == "eq"
                same = a["hits"] == b["hits"] and (not exact or a["total"] == b["total"])
                differ += not same
                ran = "+".join(b["explain"]["engines"])
                engines[ran] = engines.get(ran, 0) + 1
            say("compare", mode=mode, k=k, queries=len(queries), differ=differ, engines_of_the_second=engines)
            harness.expect(differ == 0, "answers differ")


class Loads:
    """frond load, one process a broker at the same time, and what it cost the processes."""

    def __init__(self, collection, gpu):
        self.collection, self.gpu = collection, gpu

    def run(self, what, brokers, leaves, *flags, mode="or", k=10, warmup=0.7, beside=None, seconds=parsed.seconds):
        if not in_budget(what, warmup + seconds + 1):
            return None
        command = [self.collection.setting.program("frond"), "load", "--queries", self.collection.queries, "--json", "--cache",
                   "off", "--mode", mode, "--k", str(k), "--seconds", str(seconds), "--warmup", str(warmup),
                   *map(str, flags)]
        watched = {p.name: p for p in [*leaves, *brokers]}
        before, counters, start = cpu_seconds(watched), [leaf.metrics() for leaf in leaves], time.monotonic()
        running = [subprocess.Popen([*command, "--broker", f"http://127.0.0.1:{b.http}"], stdout=subprocess.PIPE, text=True)
                   for b in brokers]
        if beside:
            beside()
        reports = [json.loads(process.communicate()[0]) for process in running]
        end = time.monotonic()
        cores = cores_between(before, cpu_seconds(watched), end - start)
        total = sum(r["queries_per_second"] for r in reports)
        figures = {"queries_per_second": round(total), "mode": mode, "k": k, "flags": " ".join(map(str, flags)),
                   "brokers": len(brokers), "latency_ms": [r["latency_ms"] for r in reports],
                   **{name: sum(r[name] for r in reports) for name in ("degraded", "refused", "connection_errors", "unanswered")},
                   "statuses": [r["statuses"] for r in reports], "cores": cores,
                   "gpu_busy_percent": self.gpu.mean(start + warmup, end),
                   "leaves": [leaf.grown(old) for leaf, old in zip(leaves, counters) if leaf.alive()]}
        say(what, **figures)
        return total


def throughput(loads, name, broker, leaf):
    """What one leaf does behind one broker: by connections, by mode, by k; then at given rates."""
    closed = lambda count, *more, **how: loads.run(f"{name}: closed loop", [broker], [leaf], "--concurrency", count, *more, **how)
    closed(1)
    closed(16)
    most = closed(parsed.connections)
    closed(256)
    for mode in ("and", "auto"):
        closed(parsed.connections, mode=mode)
    closed(parsed.connections, k=100)
    closed(16, k=1000)
    closed(8, "--msearch", 64)
    for share in (0.25, 0.5, 0.75, 0.9):
        loads.run(f"{name}: open loop, {share:.0%} of the closed", [broker], [leaf], "--rate", round((most or 1000) * share))
    say(f"{name}: memory", leaf=leaf.memory(), broker=broker.memory(), gpu_mib=loads.gpu.memory(), lists=leaf.caches())
    return most


def kill_under_load(collection, loads, what, broker, leaf, others, rate):
    """kill -9 of a leaf at a third of the load, started again at two thirds; asked every 5 ms beside."""
    seconds = 3 * parsed.seconds
    if not in_budget(what, seconds + 8):
        return
    watcher = Watcher(broker, collection.lines[:200])

    def fault():
        time.sleep(0.7 + seconds / 3)
        watcher.mark("killed")
        harness.kill9(leaf.process)
        time.sleep(seconds / 3)
        watcher.mark("started again")
        leaf.start()
        leaf.await_ready()
        watcher.mark("leaf ready")

    loads.run(what, [broker], others, "--rate", rate, beside=fault, seconds=seconds)
    time.sleep(1)
    say(what + ": asked every 5 ms", **watcher.stop())


def test(setting):
    gpu = GpuSamples()
    collection = Collection(setting)
    loads = Loads(collection, gpu)
    on_cores, on_gpu = collection.leaf("leaf-cores", "off"), collection.leaf("leaf-gpu", parsed.gpu)
    for leaf in (on_cores, on_gpu):
        leaf.start()
        say("start of a leaf, nothing there", leaf=leaf.name, ready_after_seconds=leaf.await_ready())
    cores_broker, gpu_broker = collection.broker("broker-cores", [on_cores]), collection.broker("broker-gpu", [on_gpu])
    for broker in (cores_broker, gpu_broker):
        broker.start()
        say("start of a broker", broker=broker.name, ready_after_seconds=broker.await_ready())
    compare(collection, cores_broker, gpu_broker, "gpu" if parsed.gpu != "off" else "cpu")

    most_on_gpu = throughput(loads, "gpu leaf", gpu_broker, on_gpu)
    throughput(loads, "cpu leaf", cores_broker, on_cores)
    more = [collection.broker(f"broker-gpu{n}", [on_gpu]) for n in (2, 3, 4)]
    for broker in more:
        broker.start()
        broker.await_ready()
    for count in (2, 4):
        brokers = [gpu_broker, *more][:count]
        loads.run(f"gpu leaf: {count} brokers", brokers, [on_gpu], "--concurrency", parsed.connections)
        loads.run(f"gpu leaf: {count} brokers, msearch", brokers, [on_gpu], "--concurrency", 8, "--msearch", 64)

    both = collection.broker("broker-both", [on_gpu, on_cores])
    both.start()
    both.await_ready()
    rate = round((most_on_gpu or 1000) * 0.2)
    kill_under_load(collection, loads, "kill -9 of one leaf of two replicas", both, on_gpu, [on_cores], rate)
    kill_under_load(collection, loads, "kill -9 of the only leaf", gpu_broker, on_gpu, [], rate)

    if parsed.partitions > 1 and in_budget("two leaves share the GPU", 25):
        shards = [collection.leaf(f"leaf-half{n}", parsed.gpu, f"{n}/2") for n in (0, 1)]
        for leaf in shards:
            leaf.start()
        say("start of two leaves of half each", ready_after_seconds=[leaf.await_ready() for leaf in shards])
        halves = collection.broker("broker-halves", shards)
        halves.start()
        halves.await_ready()
        loads.run("two leaves share the GPU", [halves], shards, "--concurrency", parsed.connections)
        loads.run("two leaves share the GPU, msearch", [halves], shards, "--concurrency", 8, "--msearch", 64)
    for _ in range(2):  # how far rounds are apart
        loads.run("gpu leaf: again", [gpu_broker], [on_gpu], "--concurrency", parsed.connections)
        loads.run("cpu leaf: again", [cores_broker], [on_cores], "--concurrency", parsed.connections)
    if in_budget("no list cache on the host", 12):
        bare = collection.leaf("leaf-bare", "off", host_cache="0")
        bare.start()
        bare.await_ready()
        uncached = collection.broker("broker-bare", [bare])
        uncached.start()
        uncached.await_ready()
        loads.run("cpu leaf, --host-cache 0", [uncached], [bare], "--concurrency", parsed.connections)
        say("cpu leaf, --host-cache 0: memory", leaf=bare.memory())
    gpu.stop()


harness.run(test, parsed)
