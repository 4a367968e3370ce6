#!/usr/bin/env python3
"""docs/metrics.md names every metric of a process; docs/operations.md every alert and every reason why a partition is unsearched; it,
writing.md or logs.md every message that a process logs at warn or error; dashboards show every cache. Exit 1 and a list of what is missing.
"""
import glob
import os
import re
import sys

import expressions
from expressions import ROOT, read


def sources(*folders):
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(ROOT, folder, "**", "*.*"), recursive=True)):
            if path.endswith((".h", ".cc", ".cu")):
                yield read(path)


def main():
    manual, table, *others = (read(os.path.join(ROOT, "docs", page)) for page in ("operations.md", "metrics.md", "logs.md", "writing.md"))
    said = "".join((manual, *others))
    alerts = re.findall(r"- alert: (\w+)", read(os.path.join(ROOT, "deploy/prometheus/rules/alerts.yml")))
    metrics = {m for text in sources("common", "broker", "leaf", "indexer")
               for m in re.findall(r'"((?:frond_(?:broker|leaf|indexer|http|log)|process)_[a-z0-9_]+)"', text)}
    messages = {m for text in sources("common", "broker", "leaf", "indexer")
                for m in re.findall(r'\blog(?:ger)?_?(?:\.|->)(?:warn|error)\(\s*"([^"]+)"', text)}
    reasons = re.findall(r'\{UnsearchedReason::k\w+, "(\w+)"', read(os.path.join(ROOT, "common/wire/reasons.h")))
    wrong = [f"no page names the {kind} {name}" for kind, names, page in
             (("alert", alerts, manual), ("metric", metrics, table), ("reason", reasons, manual), ("message", messages, said))
             for name in sorted(names) if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", page)]
    shown = {name for _, _, expr in expressions.panels() for name in expressions.metrics(expr)}
    of_caches = [m for m in metrics if re.search(r"_cache_(limit_bytes|bytes|hits_total|misses_total|evictions_total)$", m)]
    wrong += [f"no dashboard has {name}" for name in sorted(of_caches) if name not in shown]
    print(f"{len(alerts)} alerts, {len(metrics)} metrics, {len(reasons)} reasons, {len(messages)} messages")
    print("\n".join(wrong))
    sys.exit(1 if wrong or not (alerts and metrics and reasons and messages) else 0)


main()
