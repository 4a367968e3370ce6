#!/usr/bin/env python3
"""The metrics of broker, leaf and a build: promtool accepts them, their names are right, and they contain no queries."""
import os
import re
import shutil
import subprocess
import sys

import harness
import random_text

PREFIXES = {"broker": ("frond_broker_", "frond_http_", "frond_build_", "process_"),
            "leaf": ("frond_leaf_", "frond_http_", "frond_build_", "process_"),
            "indexer": ("frond_indexer_", "frond_build_", "process_")}


def check(process, port):
    """Fetches and checks a process's metrics, and returns them."""
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
    return text


def check_build(setting, source):
    """A build tells how far it is, stays when asked to, and ends in peace at SIGTERM."""
    (port,) = harness.free_ports(1)
    odd = setting.path("odd")
    os.mkdir(odd)
    for name, content in (("a.pdf", "%PDF-1.4"), ("b.jsonl", '{"body": "no id"}\n')):
        with open(os.path.join(odd, name), "w", encoding="utf-8") as file:
            file.write(content)
    build = setting.spawn("build", *setting.build_command(setting.path("elsewhere"), "c", [source, odd], 2, http=f"127.0.0.1:{port}",
                                                          http_linger_seconds=600))
    harness.eventually(lambda: b'frond_indexer_stage{stage="done"} 1' in harness.fetch(port, "/metrics")[1], "the build is done", 120)
    text = check("indexer", port)
    for line in ("frond_indexer_documents_inverted_total 500", "frond_indexer_documents_written_total 500",
                 'frond_indexer_files_skipped_total{reason="pdf"} 1', "frond_indexer_bad_records_total 1", "frond_indexer_duplicate_ids_total 0"):
        harness.expect(f"\n{line}\n" in text, f"no '{line}' in {text}")
    build.terminate()
    harness.expect(build.wait(60) == 0, f"the build exited {build.returncode}")


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
    check("broker", cluster.http)
    text = check("leaf", cluster.leaf_http[0])
    for name in ("bytes", "misses_total"):  # a hit was shown
        harness.expect(re.search(rf"^frond_leaf_document_cache_{name} [1-9]", text, re.M), f"nothing in the cache of stored fields: {text}")
    cluster.stop()
    check_build(setting, source)


if not shutil.which("promtool"):
    print("skipped: no promtool")
    sys.exit(harness.SKIPPED)
harness.run(test, harness.arguments(__doc__).parse_args())
