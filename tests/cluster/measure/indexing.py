#!/usr/bin/env python3
"""How fast the wiki articles or passages are indexed, how large the index is, and the peak of resident memory beside the limit. One JSON object."""
import json
import os
import subprocess
import sys
import time

import data
import harness

TEXTS = {"articles": data.unpacked_articles, "passages": data.wiki_passages}

parser = harness.arguments(__doc__)
parser.add_argument("--memory-limit", action="append", help="as frond-indexer takes it; may be given more than once")
parser.add_argument("--partitions", type=int, default=2)
parser.add_argument("--text", choices=TEXTS, default="articles")
parser.add_argument("--work", default="build/measure", help="where the unpacked articles, or the cut passages, are kept")
parsed = parser.parse_args()


def measured(command):
    """(the last line of its output as JSON, seconds, peak resident MiB)"""
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    harness.expect(status == 0, f"build: status {status}")
    return json.loads(out.strip().splitlines()[-1]), time.monotonic() - started, usage.ru_maxrss / 1024


def test(setting):
    source, figures = TEXTS[parsed.text](parsed.work), []
    for limit in parsed.memory_limit or [None, "512MiB"]:
        flags = {"memory_limit": limit} if limit else {}
        repository = setting.path("limit-" + (limit or "default"))
        summary, seconds, peak = measured(setting.build_command(repository, "wiki", [source], parsed.partitions, **flags))
        figures.append({"memory_limit": limit or "default", "seconds": round(seconds, 1), "text_mb_per_s": round(summary["bytes"] / 1e6 / seconds, 1),
                        "peak_resident_mib": round(peak), "summary": summary})
    print(json.dumps(figures, indent=1))


harness.run(test, parsed)
