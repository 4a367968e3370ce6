#!/usr/bin/env python3
"""What clients see when one of a leaf's GPUs is lost under load: answers that are wrong, failed or late.

Asks the CPU for the answers of some queries first. Then loads the leaf in closed loop, in steps, while another client asks these queries
again and compares hits and scores; between two steps the leaf gives a device up (its --gpu-drill). Prints one JSON object a line.

usage: gpu_drill.py --repository R --collection C --queries FILE [--gpu 0,1] [--device 1] [--after 15]
"""
import itertools
import json
import os
import subprocess
import threading
import time
import urllib.parse

from large_collection_parts import Process, harness

parser = harness.arguments(__doc__)
parser.add_argument("--repository", required=True)
parser.add_argument("--collection", required=True)
parser.add_argument("--queries", required=True, help="one a line: words, or NUMBER:words")
parser.add_argument("--gpu", default="0,1")
parser.add_argument("--device", type=int, default=1)
parser.add_argument("--after", type=int, default=20, help="seconds from the leaf's start to the drill")
parser.add_argument("--compared", type=int, default=400, help="queries whose answers are compared")
parser.add_argument("--connections", type=int, default=256)
parser.add_argument("--broker-threads", type=int, default=8)
parser.add_argument("--mode", default="or")
parsed = parser.parse_args()


def say(what, **figures):
    print(json.dumps({"what": what, **figures}), flush=True)


class Comparison(threading.Thread):
    """Asks again and again, and counts what is not as the CPU answered."""

    def __init__(self, port, wanted):
        super().__init__(daemon=True)
        self.port, self.wanted, self.asked, self.wrong, self.failed, self.longest = port, wanted, 0, [], [], 0.0
        self.end = threading.Event()

    def run(self):
        for query, hits in itertools.cycle(self.wanted.items()):
            if self.end.is_set():
                return
            begun = time.monotonic()
            status, found = ask(self.port, query, "auto")
            self.longest = max(self.longest, time.monotonic() - begun)
            self.asked += 1
            if status != 200:
                self.failed.append((query, status))
            elif found != hits:
                self.wrong.append(query)


def ask(port, query, processor):
    target = "/v1/search?" + urllib.parse.urlencode({"q": query, "mode": parsed.mode, "cache": "off", "fields": "id", "processor": processor})
    status, body = harness.fetch(port, target, timeout=20)[:2]
    answer = json.loads(body)
    if status == 200 and answer["coverage"]["degraded"]:
        status = "degraded"
    return status, answer.get("hits")


def test(setting):
    with open(parsed.queries, encoding="utf-8") as file:
        queries = [line.split(":", 1)[-1].strip() for line in file][:parsed.compared]
    listen, probes, port = harness.free_ports(3)
    leaf = Process(setting, "leaf", "frond-leaf",
                   ["--repository", os.path.abspath(parsed.repository), "--collection", parsed.collection, "--data", setting.path("data"),
                    "--listen", f"tcp://127.0.0.1:{listen}", "--http", f"127.0.0.1:{probes}", "--gpu", parsed.gpu, "--gpu-drill",
                    f"{parsed.device}:{parsed.after}"], probes)
    broker = Process(setting, "broker", "frond-broker",
                     ["--http", f"127.0.0.1:{port}", "--collection", parsed.collection, "--leaf", f"tcp://127.0.0.1:{listen}", "--threads",
                      str(parsed.broker_threads)], port)
    for process in (leaf, broker):
        process.start()
        process.await_ready()
    wanted = {query: ask(port, query, "cpu")[1] for query in queries}
    say("ready", after=round(time.monotonic() - leaf.started, 1), compared=len(wanted))
    comparison = Comparison(port, wanted)
    comparison.start()
    before = leaf.metrics()
    while time.monotonic() - leaf.started < parsed.after + 8:
        at = time.monotonic() - leaf.started
        report = json.loads(subprocess.run(
            [setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{port}", "--queries", parsed.queries, "--json", "--cache", "off",
             "--seconds", "1", "--warmup", "0", "--concurrency", str(parsed.connections), "--mode", parsed.mode, "--fields", "id"],
            check=True, capture_output=True, text=True).stdout)
        failed = report["degraded"] + report["refused"] + report["connection_errors"] + report["unanswered"]
        say("step", at=round(at, 1), rate=round(report["queries_per_second"]), failed=failed, **report["latency_ms"])
    comparison.end.set()
    comparison.join()
    leaves = json.loads(harness.fetch(port, "/v1/cluster")[1])["leaves"]
    say("compared", asked=comparison.asked, wrong=len(comparison.wrong), failed=len(comparison.failed), first=comparison.wrong[:3],
        longest_ms=round(1000 * comparison.longest, 1), gpu=leaves[0]["gpu"], grown=leaf.grown(before))
    harness.expect(not comparison.wrong and not comparison.failed, "answers were wrong or failed")


harness.run(test, parsed)
