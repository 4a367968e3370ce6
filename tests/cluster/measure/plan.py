#!/usr/bin/env python3
"""`frond plan`'s predictions beside measurements: 1, 2 and 4 leaves over one collection of 4 partitions, without a GPU.

Leaves, broker and load have cores of their own, or share some: --leaf-cores 1-2,3-4,5-6,7-8 gives each leaf two (a list that is too
short is used again from its start). Each round measures each number of leaves in closed loop, with searches for words that no
document has, and in open loop at shares of the closed loop's rate; and evaluations one at a time (`profile`). `frond plan` is given
the medians of what was measured of 1 leaf: costs of leaf and broker, ways, how work spreads between searches, and by the median at the
lowest rate how much cores gain that share a search; what a second leaf costs the broker; and, of the closed loops of 1 and 4 leaves, the
power by which work goes down with a leaf's share. So the other latencies are predicted.

usage: plan.py --repository R --collection C --queries FILE [--rounds 3] [--raw FILE]; with --compare, FILE is read, and nothing measured
"""
import json
import math
import os
import re
import resource
import statistics
import subprocess
import urllib.parse

from large_collection_parts import TICKS, Process, harness

LEAVES = (1, 2, 4)
PARTITIONS = 4
K = 10
parser = harness.arguments(__doc__)
parser.add_argument("--repository", help="a folder")
parser.add_argument("--collection", help="of 4 partitions")
parser.add_argument("--queries", help="one a line: words, or NUMBER:words")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--seconds", type=float, default=4.0, help="of each load")
parser.add_argument("--alone", type=int, default=2000, help="searches with profile, one at a time")
parser.add_argument("--shares", default="0.2,0.35,0.5", help="of the closed loop's rate")
parser.add_argument("--leaf-cores", default="0", help="of each leaf, separated by commas")
parser.add_argument("--leaf-threads", type=int, default=1, help="of each leaf: as many as it has cores")
parser.add_argument("--broker-cores", default="1")
parser.add_argument("--broker-threads", type=int, default=1)
parser.add_argument("--load-cores", default="1")
parser.add_argument("--postings", type=float, default=0, help="that a search reads, as frond synth prints them; 0: those decoded")
parser.add_argument("--raw", help="where what was measured is written")
parser.add_argument("--compare", action="store_true", help="read --raw instead of measuring")
parser.add_argument("--out", help="where the constants go that were measured, for frond plan --constants")
parsed = parser.parse_args()
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
SHARES = [float(share) for share in parsed.shares.split(",")]


def queries():
    with open(parsed.queries, encoding="utf-8") as file:
        return [re.sub(r"^\d+:", "", line.strip()) for line in file if line.strip()]


def processor_us(process):
    with open(f"/proc/{process.process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return 1e6 * (int(fields[11]) + int(fields[12])) / TICKS


class Cluster:
    def __init__(self, setting, leaves, name):
        self.setting, self.leaves = setting, []
        addresses, cores = [], parsed.leaf_cores.split(",")
        setting.before = {"frond-broker": ("taskset", "-c", parsed.broker_cores)}
        for leaf in range(leaves):
            listen, probes = harness.free_ports(2)
            addresses += ["--leaf", f"tcp://127.0.0.1:{listen}"]
            self.leaves.append(Process(setting, f"leaf-{name}-{leaf}", "frond-leaf",
                                       ["--repository", parsed.repository, "--collection", parsed.collection, "--data",
                                        setting.path(f"data-{leaves}-{leaf}"), "--listen", f"tcp://127.0.0.1:{listen}", "--http",
                                        f"127.0.0.1:{probes}", "--gpu", "off", "--shard", f"{leaf}/{leaves}", "--cpu-threads",
                                        str(parsed.leaf_threads), "--io-threads", "1"], probes, listen))
            setting.before["frond-leaf"] = ("taskset", "-c", cores[leaf % len(cores)])
            self.leaves[-1].start()
        (port,) = harness.free_ports(1)
        self.broker = Process(setting, f"broker-{name}", "frond-broker",
                              ["--http", f"127.0.0.1:{port}", "--collection", parsed.collection, *addresses, "--threads",
                               str(parsed.broker_threads), "--cache", "0"], port)
        self.broker.start()
        for process in [*self.leaves, self.broker]:
            process.await_ready()

    def spent(self):
        """Processor microseconds of the leaves and of the broker so far."""
        return [sum(map(processor_us, self.leaves)), processor_us(self.broker)]

    def load(self, *flags, seconds=parsed.seconds, queries=parsed.queries):
        before, clients = self.spent(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(["taskset", "-c", parsed.load_cores, self.setting.program("frond"), "load", "--broker",
                               f"http://127.0.0.1:{self.broker.http}", "--queries", queries, "--mode", "or", "--k", str(K),
                               "--fields", "id", "--cache", "off", "--json", "--seconds", str(seconds), *map(str, flags)],
                              check=True, capture_output=True, text=True)
        report, after, late = json.loads(done.stdout), self.spent(), resource.getrusage(resource.RUSAGE_CHILDREN)
        asked = max(1, report["answers"])
        client = 1e6 * (late.ru_utime + late.ru_stime - clients.ru_utime - clients.ru_stime) / asked
        client *= parsed.load_cores == parsed.broker_cores  # then it is as if the broker did it
        return {"rate": report["queries_per_second"], "leaf_us": (after[0] - before[0]) / asked,
                "broker_us": (after[1] - before[1]) / asked + client, **report["latency_ms"]}

    def alone(self, asked):
        """Of each search: postings, evaluation µs by partition, all of its time."""
        found = []
        for query in asked:
            target = f"/v1/search?q={urllib.parse.quote(query)}&mode=or&k={K}&fields=id&profile=true"
            status, body = harness.fetch(self.broker.http, target)[:2]
            harness.expect(status == 200, f"{target}: {status}")
            parts = [p for leaf in json.loads(body)["profile"]["leaves"] for p in leaf["partitions"]]
            found.append((sum(p["postings"] for p in parts), [p["engine_us"] + p["lists_us"] for p in parts]))
        return found

    def stop(self):
        for process in [self.broker, *self.leaves]:
            process.process.terminate()
        for process in [self.broker, *self.leaves]:
            process.process.wait(30)


def measured(setting, asked):
    """By number of leaves: what searches take alone (all rounds), and the medians of each load."""
    rounds = {str(leaves): [] for leaves in LEAVES}
    alone, empty = [], setting.path("empty")
    with open(empty, "w", encoding="utf-8") as file:
        file.writelines(f"{i}:zz{i}\n" for i in range(1, 101))
    for number in range(parsed.rounds):
        for leaves in LEAVES:
            cluster = Cluster(setting, leaves, f"{leaves}-{number}")
            cluster.load("--concurrency", 4, seconds=1.5)
            if leaves == 1:
                alone.append(cluster.alone(asked))
            one = {"closed": cluster.load("--concurrency", 32)}
            if number > 0:  # all rounds have the rates of the first
                rates = rounds[str(leaves)][0]["rates"]
            else:
                rates = [round(share * one["closed"]["rate"]) for share in SHARES]
            one["rates"] = rates
            one["empty"] = cluster.load("--rate", rates[0], queries=empty)
            one["open"] = [cluster.load("--rate", rate) for rate in rates]
            rounds[str(leaves)].append(one)
            cluster.stop()
            print(json.dumps({"leaves": leaves, "round": number, **one}), flush=True)
    return rounds, alone


def spread_of(works):
    """Quantiles of work around its mean, as constants.json has them."""
    works, mean = sorted(works), statistics.fmean(works)
    places = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1]
    return [[p, round(works[min(len(works) - 1, int(p * len(works)))] / mean, 4)] for p in places]


def machines_of(leaves):
    return min(leaves, len(set(parsed.leaf_cores.split(","))))


def read_postings(asked):
    """That a search reads on average, as its lists' lengths: they are not in the profile, which has those decoded."""
    return parsed.postings or statistics.fmean(postings for postings, _ in asked)


def constants_of(rounds, alone):
    """constants.json with what was measured of 1 leaf, and of 2 what 1 cannot tell."""
    with open(os.path.join(ROOT, "tools", "plan", "constants.json"), encoding="utf-8") as file:
        constants = json.load(file)

    def seen(leaves, step, figure):
        return statistics.median((one["open"][0] if step == "lowest" else one[step])[figure] for one in rounds[leaves])
    leaf, work = seen("1", "empty", "leaf_us"), seen("1", "closed", "leaf_us")
    power = 1 - math.log(seen("4", "closed", "leaf_us") / work, 4)
    broker = seen("1", "closed", "broker_us")
    per_leaf = max(0.0, seen("2", "closed", "broker_us") - broker)
    way = max(0.0, 1e3 * seen("1", "empty", "mean") - leaf - broker)
    # A search's least work of all rounds, and what is far above that, as rounds differ in speed: stalls.
    least = [min(sum(one[i][1]) for one in alone) for i in range(len(alone[0]))]
    stalls, seen = [], 0
    for of in alone:
        speed = statistics.median(sum(parts) / max(1, least[i]) for i, (_, parts) in enumerate(of))
        excess = [(sum(parts) / speed - least[i], least[i]) for i, (_, parts) in enumerate(of)]
        stalls += [e for e, usual in excess if e > max(500, usual)]
        seen += len(excess)
    # Between the partitions of a search, each with its least time.
    parts = [[min(one[i][1][p] for one in alone) for p in range(PARTITIONS)] for i in range(len(least))]
    spread = statistics.pstdev(math.log(part * PARTITIONS / sum(of)) for of in parts if min(of) > 20 for part in of)
    million = work / (read_postings(alone[0]) / 1e6) ** power
    values = {"leaf_us": leaf, "or_us_million": million, "work_power": power, "way_us": way,
              "fetch_way_us": way / 2, "broker_us": broker - per_leaf, "broker_us_leaf": per_leaf, "show_us": 0, "leaf_spread": spread,
              "stall_share": len(stalls) / seen, "stall_us": statistics.fmean(stalls) if stalls else 0, "split_more": 0}
    for constant in constants["constants"]:
        if constant["name"] in values:
            constant["value"] = round(values[constant["name"]], 6)
    constants["work"]["quantiles"] = spread_of(least)
    return constants


def planned(setting, file, postings, leaves, rate):
    done = subprocess.run([setting.program("frond"), "plan", "--constants", file, "--documents", "1000000", "--query-postings",
                           str(round(postings)), "--rate", str(rate), "--shards", leaves, "--machines",
                           str(machines_of(int(leaves))), "--cores", str(parsed.leaf_threads), "--partitions", str(PARTITIONS), "--mode",
                           "or", "--k", str(K), "--brokers-apart", "--json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"p50_ms": math.inf, "p99_ms": math.inf, "most_rate": math.nan}


def write_fitted(setting, constants, file, postings, rounds):
    """Writes the constants, and among them the gain by sharing that gives the median of 1 leaf at the lowest rate."""
    sharing = next(c for c in constants["constants"] if c["name"] == "split_more")
    wanted = statistics.median(one["open"][0]["p50"] for one in rounds["1"])
    least, most = 0.0, 2.0
    for _ in range(8):
        sharing["value"] = round((least + most) / 2, 3)
        with open(file, "w", encoding="utf-8") as out:
            json.dump(constants, out, indent=1)
        if planned(setting, file, postings, "1", rounds["1"][0]["rates"][0])["p50_ms"] > wanted:
            most = sharing["value"]
        else:
            least = sharing["value"]


def compare(setting, rounds, alone):
    def cell(predicted, seen, digits):
        return f"{predicted:.{digits}f}, {seen:.{digits}f} ({100 * predicted / seen - 100:+.0f} %)"
    file, postings = parsed.out or setting.path("constants.json"), read_postings(alone[0])
    constants = constants_of(rounds, alone)
    write_fitted(setting, constants, file, postings, rounds)
    print(json.dumps({c["name"]: c["value"] for c in constants["constants"] if c["page"] == "plan.md"}))
    print("| leaves | searches/s | p50, ms: predicted, measured | p99 |\n| --- | --- | --- | --- |")
    for leaves, of in rounds.items():
        for i, rate in enumerate(of[0]["rates"]):
            plan = planned(setting, file, postings, leaves, rate)
            cells = [cell(plan[f"{q}_ms"], statistics.median(one["open"][i][q] for one in of), 2) for q in ("p50", "p99")]
            print(f"| {leaves} | {rate} | {cells[0]} | {cells[1]} |")
        print(f"| {leaves} | the most: {cell(plan['most_rate'], statistics.median(one['closed']['rate'] for one in of), 0)} | | |", flush=True)


def test(setting):
    if parsed.compare:
        with open(parsed.raw, encoding="utf-8") as file:
            return compare(setting, *json.load(file))
    rounds, alone = measured(setting, queries()[:parsed.alone])
    if parsed.raw:
        with open(parsed.raw, "w", encoding="utf-8") as file:
            json.dump([rounds, alone], file)
    return compare(setting, rounds, alone)


if __name__ == "__main__":
    raise SystemExit(harness.run(test, parsed))
