#!/usr/bin/env python3
"""How fast a generation comes into an object store and out of it: passages of articles are built into the store for tests, a leaf without any
files fetches them. Store, indexer and leaf on this machine, which has no limit of bandwidth. One JSON object a line.
"""
import json
import os
import re
import subprocess
import sys
import time

from store import PLACE, faulty

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cluster"), os.path.join(HERE, "..", "cluster", "measure")]
import data  # noqa: E402
import harness  # noqa: E402

parser = harness.arguments(__doc__)
parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
parser.add_argument("--delay-ms", type=int, default=0, help="that the store takes for a request")
parser.add_argument("--work", default="build/measure", help="where the cut passages are kept")
parsed = parser.parse_args()


def cpu_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test(setting):
    store = faulty(setting, parsed.server)
    store.say(f"delay {parsed.delay_ms}")

    def indexer(command, *more):
        begin = time.monotonic()
        done = subprocess.run([setting.program("frond-indexer"), command, "--repository", PLACE, "--collection", "c", "--scratch",
                               setting.path("scratch"), *store.arguments(), *more], check=True, capture_output=True, text=True)
        return done.stdout.strip().splitlines()[-1], time.monotonic() - begin

    built = json.loads(indexer("build", "--json", "--format", "jsonl", "--input", data.wiki_passages(parsed.work))[0])
    said, took = indexer("check")
    published = int(re.search(r"(\d+) bytes", said)[1])
    print(json.dumps({"documents": built["documents"], "published_MB": round(published / 1e6, 1), "publish_s": round(built["seconds"]["publish"], 2),
                      "MB_a_second": round(published / 1e6 / built["seconds"]["publish"], 1), "check_s": round(took, 2)}), flush=True)

    begin, port = time.monotonic(), harness.free_ports(2)
    leaf = setting.spawn("leaf", "frond-leaf", "--repository", PLACE, "--collection", "c", "--data", setting.path("data"), "--gpu", "off",
                         "--listen", f"tcp://127.0.0.1:{port[0]}", "--http", f"127.0.0.1:{port[1]}", *store.arguments())
    harness.eventually(lambda: harness.fetch(port[1], "/readyz")[0] == 200, "the leaf serves", 600)
    took = time.monotonic() - begin
    received = harness.metric(port[1], "frond_leaf_fetched_bytes_total")
    print(json.dumps({"fetched_MB": round(received / 1e6, 1), "until_served_s": round(took, 2), "MB_a_second": round(received / 1e6 / took, 1),
                      "leaf_cpu_s": cpu_of(leaf.pid)}), flush=True)


harness.run(test, parsed)
