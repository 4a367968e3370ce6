#!/usr/bin/env python3
"""Two shards of two replicas, offered half to ten times what they can answer; a replica that accepts and never answers; msearch and writes
beside single searches. Prints a line each.

usage: overload.py [--parts hung,overload,mixed] [--rate SEARCHES_A_SECOND] [--seconds 10]
"""
import json
import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import fault_world  # noqa: E402
import harness  # noqa: E402
import writing  # noqa: E402

parser = harness.arguments(__doc__)
parser.add_argument("--parts", default="hung,overload,mixed")
parser.add_argument("--rate", type=float, default=300, help="of the parts hung and mixed")
parser.add_argument("--seconds", type=float, default=10)
parser.add_argument("--documents", type=int, default=20000)
parser.add_argument("--words", type=int, default=3, help="of a search: many make searches dear, so that refusals and the load itself are cheap beside them")
parser.add_argument("--connections", type=int, default=1000)


class Load:
    def __init__(self, world, parsed, *flags, seconds=None):
        self.process = subprocess.Popen([
            world.setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{world.http}", "--queries", world.setting.path("queries.txt"), "--json",
            "--collection", "s", "--cache", "off", "--mode", "or", "--fields", "id", "--seconds", str(seconds or parsed.seconds), *map(str, flags)],
            stdout=subprocess.PIPE, text=True)

    def report(self):
        out, _ = self.process.communicate()
        harness.expect(self.process.returncode == 0, f"frond load: {self.process.returncode}")
        report = json.loads(out)
        report["whole_per_second"] = (report["answers"] - report["degraded"]) / report["seconds"]
        return report


def said(name, report):
    kept = ("requests", "answers", "queries_per_second", "whole_per_second", "statuses", "degraded", "refused", "unanswered", "latency_ms", "answer_latency_ms")
    print(name, json.dumps({key: report[key] for key in kept if key in report}), flush=True)
    return report


def resident_mib(processes):
    total = 0
    for process in processes:
        with open(f"/proc/{process.pid}/statm", encoding="ascii") as statm:
            total += int(statm.read().split()[1])
    return total * 4096 / 2**20


def hung(world, parsed):
    steady = said("steady", Load(world, parsed, "--rate", parsed.rate).report())
    load = Load(world, parsed, "--rate", parsed.rate)
    time.sleep(parsed.seconds / 4)
    harness.pause(world.leaves[0])
    report = said("a replica hangs", load.report())
    world.leaves[0].send_signal(18)
    world.await_recovered()
    print(f"p99 {report['latency_ms']['p99'] / steady['latency_ms']['p99']:.2f} times the steady one", flush=True)


def overload(world, parsed):
    closed = said("closed, 16 connections", Load(world, parsed, "--concurrency", 16).report())
    capacity = closed["queries_per_second"]
    for times in (0.5, 1, 2, 4, 10):
        before = resident_mib([world.brokers[0], *world.leaves])
        report = said(f"{times} x capacity", Load(world, parsed, "--rate", capacity * times, "--connections", parsed.connections).report())
        print(f"resident before and after: {before:.0f}, {resident_mib([world.brokers[0], *world.leaves]):.0f} MiB; places "
              f"{harness.metric(world.http, 'frond_broker_searches_in_flight_allowed'):.0f}", flush=True)
    said("after", Load(world, parsed, "--rate", capacity / 4, seconds=5).report())


def mixed(world, parsed):
    said("single searches alone", Load(world, parsed, "--rate", parsed.rate).report())
    ended = threading.Event()

    def write():
        number = 0
        while not ended.wait(10 / parsed.rate):
            number += 1
            world.service.ask("POST", "/v1/collections/c/documents", writing.line(f"m{number}", world.words[:20]), key="write")

    threading.Thread(target=write, daemon=True).start()
    many = Load(world, parsed, "--rate", max(1, parsed.rate / 100), "--msearch", 10)
    said("beside msearch and writes", Load(world, parsed, "--rate", parsed.rate).report())
    said("msearch", many.report())
    ended.set()


def test(setting, parsed):
    world = fault_world.World(setting, parsed.documents)
    with open(setting.path("queries.txt"), "w", encoding="utf-8") as file:
        file.writelines(" ".join(setting.rng.sample(world.words, parsed.words)) + "\n" for _ in range(2000))
    for part in parsed.parts.split(","):
        {"hung": hung, "overload": overload, "mixed": mixed}[part](world, parsed)


parsed_arguments = parser.parse_args()
harness.run(lambda setting: test(setting, parsed_arguments), parsed_arguments)
