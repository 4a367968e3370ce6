#!/usr/bin/env python3
"""What a search costs the broker by the number of leaves, which are scripted: they answer from memory (tests/bench/broker).

For each number of leaves and each folder of programs, in turn, starts leaves and a broker, and loads it in closed loop with the cache
off. Prints a line each: searches a second, and of the broker's threads the processor time of a search, from /proc/PID/task/*/schedstat. With
--instructions the broker runs under callgrind; files of it are kept where --keep-callgrind says.

usage: broker_leaves.py --bins BEFORE,AFTER [--leaves 1,2,4,8,16] [--k 10] [--threads 1] [--instructions 8]
"""
import glob
import json
import os
import re
import subprocess

from large_collection_parts import harness

parser = harness.arguments(__doc__)
parser.add_argument("--bins", required=True, help="folders of programs, separated by commas")
parser.add_argument("--scripted", default="build/release/bench/scripted_leaves")
parser.add_argument("--leaves", default="1,2,4,8,16")
parser.add_argument("--k", type=int, default=10)
parser.add_argument("--fields", default="id,title")
parser.add_argument("--connections", type=int, default=8)
parser.add_argument("--loads", type=int, default=1, help="processes that load it together; answers of 1,000 hits keep one busy at 5,000/s")
parser.add_argument("--threads", type=int, default=1, help="of the broker; 0: as it comes")
parser.add_argument("--seconds", type=float, default=3)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--instructions", type=float, default=0, help="seconds of load under callgrind; 0: without it")
parser.add_argument("--keep-callgrind", default="", help="a folder for callgrind's files")
parsed = parser.parse_args()
if parsed.connections % parsed.loads:
    parser.error("--connections is no multiple of --loads")


def thread_seconds(pid):
    used = {}
    for task in glob.glob(f"/proc/{pid}/task/*"):
        with open(f"{task}/comm", encoding="utf-8") as name, open(f"{task}/schedstat", encoding="ascii") as times:
            thread = name.read().strip()
            used[thread] = used.get(thread, 0) + int(times.read().split()[0]) / 1e9
    return used


class Broker:
    def __init__(self, setting, programs, leaves, name):
        self.setting = setting
        *ports, self.http = harness.free_ports(leaves + 1)
        setting.programs = os.path.dirname(os.path.abspath(parsed.scripted))
        self.leaves = setting.spawn(f"{name}-leaves", "scripted_leaves", *ports)
        setting.programs = os.path.abspath(programs)
        self.profile = setting.path(f"{name}.callgrind")
        if parsed.instructions:
            setting.before["frond-broker"] = ("valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={self.profile}")
        args = ["--http", f"127.0.0.1:{self.http}", "--collection", "c", *(["--threads", parsed.threads] if parsed.threads else [])]
        self.broker = setting.spawn(f"{name}-broker", "frond-broker", *args, *[f"--leaf=tcp://127.0.0.1:{port}" for port in ports])
        harness.eventually(lambda: harness.fetch(self.http, "/readyz", timeout=5)[0] == 200, "the broker is ready", 60)
        self.load(1)

    def load(self, seconds):
        command = [self.setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{self.http}", "--queries",
                   self.setting.path("queries.txt"), "--json", "--cache", "off", "--mode", "and", "--k", str(parsed.k), "--fields",
                   parsed.fields, "--timeout-ms", "60000", "--concurrency", str(parsed.connections // parsed.loads), "--seconds", str(seconds)]
        loads = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(parsed.loads)]
        reports = [json.loads(load.communicate()[0]) for load in loads]
        harness.expect(all(load.returncode == 0 for load in loads), "a load failed")
        return sum(report["queries_per_second"] for report in reports)

    def searches(self):
        return harness.metric(self.http, "frond_broker_searches_total", outcome="whole")

    def count_instructions(self, kept):
        before = self.searches()
        subprocess.run(["callgrind_control", "--instr=on", str(self.broker.pid)], check=True, capture_output=True)
        self.load(parsed.instructions)
        subprocess.run(["callgrind_control", "--dump", str(self.broker.pid)], check=True, capture_output=True)
        searches = self.searches() - before
        (profile,) = glob.glob(self.profile + ".1")
        with open(profile, encoding="utf-8") as file:
            total = int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M)[1])
        if kept:
            os.makedirs(parsed.keep_callgrind, exist_ok=True)
            os.rename(profile, os.path.join(parsed.keep_callgrind, kept))
        return total / searches, searches

    def stop(self):
        harness.end(self.broker, "the broker")
        harness.end(self.leaves, "the leaves")


def test(setting):
    with open(setting.path("queries.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"word{i} other{i % 89}\n" for i in range(2000))
    for leaves in map(int, parsed.leaves.split(",")):
        for number in range(1 if parsed.instructions else parsed.rounds):
            for which, programs in enumerate(parsed.bins.split(",")):
                broker = Broker(setting, programs, leaves, f"{leaves}-{number}-{which}")
                if parsed.instructions:
                    kept = f"{which}-{leaves}-k{parsed.k}" if parsed.keep_callgrind else ""
                    each, searches = broker.count_instructions(kept)
                    print(f"{programs:24} {leaves:3} leaves {each:12,.0f} instructions a search, of {searches:,.0f}", flush=True)
                else:
                    before = thread_seconds(broker.broker.pid)
                    rate = broker.load(parsed.seconds)
                    searches = rate * parsed.seconds
                    used = {name: 1e6 * (seconds - before.get(name, 0)) / searches
                            for name, seconds in thread_seconds(broker.broker.pid).items()}
                    threads = ", ".join(f"{name} {us:.1f}" for name, us in sorted(used.items()) if us >= 0.1)
                    print(f"{programs:24} {leaves:3} leaves {rate:9,.0f}/s  {sum(used.values()):7.1f} us a search ({threads})",
                          flush=True)
                broker.stop()


harness.run(test, parsed)
