#!/usr/bin/env python3
"""The metrics of broker and leaf: what promtool holds against them, their names, and that no query is in them."""
import re
import shutil
import subprocess
import sys

import harness
import random_text

PREFIXES = {"broker": ("frond_broker_", "frond_http_", "frond_build_", "process_"),
            "leaf": ("frond_leaf_", "frond_http_", "frond_build_", "process_")}


def test(setting):
    rng = setting.rng
    # The words that are asked for are none that a number or a metric's name could hold by chance.
    words = ["zzyzxindexedword"] + random_text.vocabulary(rng, 100)
    source = random_text.Collection(rng, 500, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 2)
    cluster = harness.Cluster(setting, repository, "c", 1)
    for query in [words[0], words[0], "zzyzxqueryword"]:
        cluster.search(query)
    for process, port in (("broker", cluster.http), ("leaf", cluster.leaf_http[0])):
        status, body = harness.fetch(port, "/metrics")
        text = body.decode()
        names = set(re.findall(r"^# TYPE (\S+)", text, re.M))
        harness.expect(status == 200 and names, f"{process}: status {status}, {len(names)} metrics")
        strange = sorted(n for n in names if not n.startswith(PREFIXES[process]))
        harness.expect(not strange, f"{process}: not prefixed: {strange}")
        harness.expect("zzyzx" not in text, f"{process}: a query stands in the metrics")
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
        harness.expect(checked.returncode == 0, f"{process}: promtool: {checked.stderr}{checked.stdout}")
        print(f"{process}: {len(names)} metrics")
    cluster.stop()


if not shutil.which("promtool"):
    print("skipped: no promtool")
    sys.exit(harness.SKIPPED)
harness.run(test, harness.arguments(__doc__).parse_args())
