#!/usr/bin/env python3
"""One collection, built with one codec after the other: every search, count and search without ranking is answered as the exhaustive
engine does, by the CPU, and by the GPU where there is one. The GPU must answer by itself: no plan may be left to the CPU once lists are
in its memory. `--codecs` and `--documents` choose what is built.
"""
import http.client
import json
import subprocess

import harness
import random_text

LINES = 500  # of one msearch


def codecs(setting):
    """The codecs that the indexer names where it is given none of them."""
    source = setting.write_numbered("one", 1, lambda number: "word")
    refused = subprocess.run(setting.build_command(setting.path("refused"), "c", [source], 1, codec="none-of-them"),
                             capture_output=True, text=True, timeout=60, check=False).stderr
    names = refused.partition("is none of ")[2].partition(",")[0].split("|")
    harness.expect(len(names) > 20, f"no codecs in {refused!r}")
    return names


def lines_of(queries, documents):
    asked = []
    for q in queries:
        for mode in ("and", "or", "auto"):
            asked += [{"q": q, "mode": mode, "k": k} for k in (1, 10, 1000)]
        for mode in ("and", "or"):
            asked.append({"q": q, "mode": mode, "count": True})
            asked += [{"q": q, "mode": mode, "k": k, "rank": "none", "fields": "id"} for k in (1, 10, min(1000, documents))]
    return asked


def answers(cluster, asked, processor):
    """One text for each line: its hits, and where the answer is exact, how many documents match."""
    found = []
    connection = http.client.HTTPConnection("127.0.0.1", cluster.http, timeout=120)
    for first in range(0, len(asked), LINES):
        lines = [{**one, "processor": processor, "cache": "off", "timeout_ms": 60000} for one in asked[first:first + LINES]]
        connection.request("POST", "/v1/msearch", "\n".join(map(json.dumps, lines)) + "\n")
        reply = connection.getresponse()
        body = reply.read().decode()
        harness.expect(reply.status == 200, f"msearch: {reply.status} {body[:300]}")
        for line, text in zip(lines, body.splitlines(), strict=True):
            answer = json.loads(text, parse_float=str)
            harness.expect("coverage" in answer and not answer["coverage"]["degraded"], f"{line}: {text[:300]}")
            exact = answer["count"] if "count" in answer else answer["total"]["value"]
            ranked = "count" not in line and "rank" not in line
            found.append(json.dumps([answer.get("hits"), None if ranked else exact]))
    return found


def ask_gpu(cluster, asked, wanted, codec):
    """Asks until all lists are in device memory, then once more, when nothing may be left to the CPU. Returns how many plans the GPU had."""
    def count(name):
        return harness.metric(cluster.leaf_http[0], f"frond_leaf_gpu_{name}_total")

    def resident():
        misses = count("cache_misses")
        compare(asked, answers(cluster, asked, "gpu"), wanted, f"{codec}, GPU")
        return count("cache_misses") == misses

    harness.eventually(resident, f"{codec}: all lists in device memory", 60)
    plans, fallbacks = count("plans"), count("fallbacks")
    compare(asked, answers(cluster, asked, "gpu"), wanted, f"{codec}, GPU")
    left = count("fallbacks") - fallbacks
    harness.expect(left == 0, f"{codec}: {left} plans were left to the CPU")
    return count("plans") - plans


def compare(asked, got, wanted, where):
    for line, has, right in zip(asked, got, wanted, strict=True):
        harness.expect(has == right, f"{where}: {line}: {has[:300]} instead of {right[:300]}")


def test(setting):
    words = random_text.vocabulary(setting.rng, 300)
    source = random_text.Collection(setting.rng, parsed.documents, words).write(setting.path("documents.jsonl"))
    asked = lines_of(random_text.queries(setting.rng, words, parsed.queries), parsed.documents)
    wanted = None
    for codec in parsed.codecs or codecs(setting):
        repository = setting.path("repository-" + codec)
        setting.build(repository, "random", [source], 2, codec=codec)
        cluster = harness.Cluster(setting, repository, "random", 1, name=codec)
        wanted = wanted or answers(cluster, asked, "exhaustive")
        for processor in ("cpu", "auto"):
            compare(asked, answers(cluster, asked, processor), wanted, f"{codec}, {processor}")
        has_gpu = harness.metric(cluster.leaf_http[0], "frond_leaf_gpu_state", state="ready") == 1
        plans = ask_gpu(cluster, asked, wanted, codec) if has_gpu else 0
        cluster.stop()
        print(f"{codec}: {len(asked)} answers, all the same" + (f"; {plans:.0f} plans by the GPU, none left to the CPU" if has_gpu else ""), flush=True)


parser = harness.arguments(__doc__)
parser.add_argument("--codecs", nargs="+", help="default: all, and auto")
parser.add_argument("--documents", type=int, default=6000)
parser.add_argument("--queries", type=int, default=12)
parsed = parser.parse_args()
harness.run(test, parsed)
