#!/usr/bin/env python3
"""An index that is exported to CIFF and imported again gives the same hits and scores for every mode, depth and processor, in any number
of partitions; and exported once more, the same file but for its description. A file that is cut short or contradicts itself publishes
nothing.
"""
import json
import os
import subprocess

import harness
import random_text


def frond_indexer(setting, command, repository, collection, **flags):
    arguments = [setting.program("frond-indexer"), command, "--repository", repository, "--collection", collection]
    for name, value in flags.items():
        arguments += ["--" + name.replace("_", "-"), str(value)]
    return subprocess.run(arguments + (["--json"] if "ciff" in command else []), capture_output=True, text=True, timeout=300)


def done(ran):
    harness.expect(ran.returncode == 0, f"{ran.args[1]} exited {ran.returncode}: {ran.stderr[-500:]}")
    return ran.stdout


def behind_header(path):
    with open(path, "rb") as file:
        data = file.read()
    size, at = harness.varint(data, 0)
    return data[at + size:]


def check_bad_files(setting, good, folder):
    with open(good, "rb") as file:
        data = file.read()
    before = harness.current(folder, "in")
    for what, content in (("cut short", data[:len(data) // 2]), ("two files", data + data), ("none", b""), ("a text", b"Just some text.\n" * 100)):
        path = setting.path("bad.ciff")
        with open(path, "wb") as file:
            file.write(content)
        ran = frond_indexer(setting, "import-ciff", folder, "in", input=path)
        harness.expect(ran.returncode == 1 and path in ran.stderr and harness.current(folder, "in") == before,
                       f"{what}: exit {ran.returncode}, {ran.stderr!r}, generation {harness.current(folder, 'in')}")
    ran = frond_indexer(setting, "export-ciff", folder, "in", output=setting.path("nowhere", "x.ciff"))
    harness.expect(ran.returncode == 1 and "x.ciff" in ran.stderr, f"a file in no folder: {ran.returncode}, {ran.stderr!r}")


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 400)
    source = random_text.Collection(rng, 2000, words).write(setting.path("documents.jsonl"))
    out, again, repository, taken = setting.path("out.ciff"), setting.path("again.ciff"), setting.path("repository"), setting.path("taken")
    built = setting.build(repository, "out", [source], 3)
    told = json.loads(done(frond_indexer(setting, "export-ciff", repository, "out", output=out)))
    harness.expect([told[name] for name in ("terms", "postings", "documents", "tokens")] ==
                   [built[name] for name in ("terms", "postings", "documents", "tokens")], f"exported {told} of {built}")
    taken_in = json.loads(done(frond_indexer(setting, "import-ciff", taken, "in", input=out, partitions=5)))
    harness.expect([taken_in[name] for name in ("terms", "postings", "documents", "tokens")] ==
                   [built[name] for name in ("terms", "postings", "documents", "tokens")], f"imported {taken_in} of {built}")
    done(frond_indexer(setting, "check", taken, "in"))
    done(frond_indexer(setting, "export-ciff", taken, "in", output=again))
    harness.expect(behind_header(out) == behind_header(again), "the file that is exported again is another one")

    first, second = harness.Cluster(setting, repository, "out", 1, name="first"), harness.Cluster(setting, taken, "in", 2, name="second")
    asked = 0
    for query in random_text.queries(rng, words, 60):
        for mode in ("and", "or", "auto"):
            for k, processor in ((1, "cpu"), (10, "cpu"), (100, "exhaustive")):
                answers = [cluster.search(query, mode=mode, k=k, processor=processor, cache="off") for cluster in (first, second)]
                harness.expect(all(answer.whole for answer in answers), f"{query!r}: a degraded answer")
                harness.expect(answers[0].ranking == answers[1].ranking, f"{query!r} {mode} k={k}: {answers[0].ranking} and {answers[1].ranking}")
                harness.expect(answers[0].total[1] != "eq" or answers[1].total[1] != "eq" or answers[0].total == answers[1].total,
                               f"{query!r} {mode} k={k}: totals {answers[0].total} and {answers[1].total}")
                asked += 1
    first.stop()
    second.stop()
    check_bad_files(setting, out, taken)
    print(f"{asked} answers are the same before and after; {os.path.getsize(out)} bytes of CIFF")


harness.run(test, harness.arguments(__doc__).parse_args())
