#!/usr/bin/env python3
"""What a publication costs `frond-indexer serve`: processor seconds of the service from posting documents until they are published, for
documents that are new and that replace others; and what `frond-indexer remove` takes. With --also, several programs take turns, each with
a repository of its own. What the thread "compact" takes is told apart. Passages of articles; one JSON object a line.
"""
import json
import os
import random
import resource
import statistics
import subprocess
import time

import data
import harness

import writing

parser = harness.arguments(__doc__)
parser.add_argument("--also", nargs="*", default=[], metavar="BIN", help="folders of other programs that take turns with --bin")
parser.add_argument("--base", type=int, default=100_000, help="documents that are there before")
parser.add_argument("--partitions", type=int, default=1, help="of them")
parser.add_argument("--each", type=int, default=1000, help="documents of a publication")
parser.add_argument("--rounds", type=int, default=12, help="publications of each kind")
parser.add_argument("--kinds", nargs="*", default=["add", "replace", "remove"], choices=["add", "replace", "again", "remove"],
                    help="replace: random ones of the base; again: those of the publication before")
parser.add_argument("--work", default="build/measure", help="where the cut passages are kept")
parser.add_argument("--serve-flags", default="", help="more flags of the service, separated by spaces")
parsed = parser.parse_args()


class Served:
    """One folder of programs, with a repository and a service."""

    def __init__(self, setting, programs, keys, key_file, base, number):
        self.label = programs
        own = harness.Setting(os.path.abspath(programs), setting.folder, setting.rng)
        self.repository = setting.path(f"repository{number}")
        os.mkdir(self.repository)
        own.build(self.repository, "passages", [base], parsed.partitions)
        self.service = writing.Service(own, self.repository, keys, "--api-keys", key_file, "--refresh-ms", "3600000",
                                       *parsed.serve_flags.split(), name=f"service{number}")
        setting.processes += own.processes
        time.sleep(1)  # it looks for something to compact

    def seconds(self):
        """(of the process, of its thread "compact")."""
        pid, tick = self.service.process.pid, os.sysconf("SC_CLK_TCK")

        def of(path):
            with open(path, encoding="ascii") as file:
                name, fields = file.read().rsplit(")", 1)
            fields = fields.split()
            return name.split("(", 1)[1], (int(fields[11]) + int(fields[12])) / tick

        compact = sum(spent for name, spent in (of(f"/proc/{pid}/task/{task}/stat") for task in os.listdir(f"/proc/{pid}/task"))
                      if name == "compact")
        return of(f"/proc/{pid}/stat")[1], compact

    def publish(self, requests):
        """(processor seconds without compaction, those of compaction, wall seconds); `requests`: (method, path, body)."""
        before, began = self.seconds(), time.monotonic()
        for method, path, body in requests:
            self.service.expect(200, method, path, body, key="write")
        self.service.refresh("passages")
        wall = time.monotonic() - began
        harness.eventually(lambda: not self.service.state("passages")["compaction"]["running"], "no compaction", 120)
        after = self.seconds()
        compact = after[1] - before[1]
        return after[0] - before[0] - compact, compact, wall

    def remove(self, ids):
        """As publish(), of the command."""
        path = self.repository + ".ids"
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(one + "\n" for one in ids))
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([os.path.join(self.label, "frond-indexer"), "remove", "--repository", self.repository, "--collection", "passages",
                        "--ids", path], check=True, capture_output=True)
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 0, wall

    def end(self):
        described = json.loads(self.service.expect(200, "GET", "/v1/collections/passages"))
        harness.end(self.service.process, "the service")
        size = int(subprocess.run(["du", "-sb", self.repository], capture_output=True, text=True, check=True).stdout.split()[0])
        return {"partitions": described["partitions"], "documents": described["documents"], "generation_bytes": described["bytes"],
                "repository_bytes": size}


def documents_of(kind, number, lines, new, rng):
    if kind == "add":
        return new[number * parsed.each:(number + 1) * parsed.each]
    return lines[:parsed.each] if kind == "again" else rng.sample(lines, parsed.each)


def change(one, kind, documents):
    if kind == "remove":
        return one.remove([json.loads(line)["id"] for line in documents])
    tenth = max(1, len(documents) // 10)
    return one.publish([("POST", "/v1/collections/passages/documents", "\n".join(documents[at:at + tenth]))
                        for at in range(0, len(documents), tenth)])


def test(setting):
    keys, key_file = writing.make_keys(setting)
    with open(data.wiki_passages(parsed.work), encoding="utf-8") as source:
        lines = [line.rstrip("\n") for _, line in zip(range(parsed.base + parsed.rounds * parsed.each), source)]
    lines, new = lines[:parsed.base], lines[parsed.base:]
    base = setting.path("base.jsonl")
    with open(base, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    served = [Served(setting, programs, keys, key_file, base, number) for number, programs in enumerate([parsed.bin, *parsed.also])]
    for kind in parsed.kinds:
        taken = [[] for _ in served]
        for number in range(parsed.rounds):
            documents = documents_of(kind, number, lines, new, random.Random(f"{parsed.seed} {kind} {number}"))
            for at, one in enumerate(served):
                taken[at].append(change(one, kind, documents))
        for one, times in zip(served, taken):
            cpu, compact, wall = zip(*times)
            print(json.dumps({"kind": kind, "programs": one.label, "cpu_seconds": [round(s, 3) for s in cpu],
                              "median": round(statistics.median(cpu), 3), "compacting": round(sum(compact), 2),
                              "wall_median": round(statistics.median(wall), 3)}), flush=True)
    for one in served:
        print(json.dumps({"programs": one.label, **one.end()}), flush=True)


if __name__ == "__main__":
    harness.run(test, parsed)
