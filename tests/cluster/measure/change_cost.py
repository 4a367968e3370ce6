#!/usr/bin/env python3
"""What a change costs against the size of the collection: `add` of new documents and `remove` of old ones, some times each, with the
processor's seconds, the wall's, and the bytes of new files, which are what a leaf fetches; then removals under a leaf, with the time
it takes to load each generation. Documents have 40 words, of a Pareto distribution with exponent 0.6 over 50,000. One JSON object a line.
"""
import bisect
import itertools
import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402

parser = harness.arguments(__doc__)
parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="sizes of collections, one after the other")
parser.add_argument("--changed", type=int, default=1000, help="documents of one change")
parser.add_argument("--rounds", type=int, default=3, help="changes of each kind")
parsed = parser.parse_args()

WORDS, PHRASES, WORDS_OF_PHRASE, PHRASES_OF_DOCUMENT = 50_000, 200_000, 10, 4


class Documents:
    """Phrases are drawn once: drawing each word of millions of documents would take Python an hour."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        sums = list(itertools.accumulate((rank + 1) ** -1.6 for rank in range(WORDS)))
        word = lambda: f"w{bisect.bisect(sums, self.rng.random() * sums[-1])}"
        self.phrases = [" ".join(word() for _ in range(WORDS_OF_PHRASE)) for _ in range(PHRASES)]

    def write(self, path, first, count):
        with open(path, "w", encoding="ascii") as file:
            for number in range(first, first + count):
                body = " ".join(self.rng.choices(self.phrases, k=PHRASES_OF_DOCUMENT))
                file.write(f'{{"id":"d{number}","title":"","body":"{body}"}}\n')
        return path


def sizes(repository):
    """{file: bytes} of generations and partitions."""
    return {os.path.join(folder, name): os.path.getsize(os.path.join(folder, name)) for part in ("generations", "partitions")
            for folder, _, names in os.walk(os.path.join(repository, "c", part)) for name in names}


def run(setting, repository, *command):
    """What a command of the indexer took and made."""
    before, began = sizes(repository), time.monotonic()
    process = setting.spawn("indexer", "frond-indexer", *command, "--repository", repository, "--collection", "c")
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    harness.expect(process.returncode == 0, f"{command[0]} exited {process.returncode}")
    new = sum(size for file, size in sizes(repository).items() if before.get(file) != size)
    return {"cpu_s": round(used.ru_utime + used.ru_stime, 3), "wall_s": round(time.monotonic() - began, 2), "new_kb": round(new / 1000),
            "faults": used.ru_minflt + used.ru_majflt}


def say(what, documents, figures):
    print(json.dumps({"what": what, "documents": documents, **{key: [one[key] for one in figures] for key in figures[0]}}), flush=True)


def measure(setting, made, documents):
    repository, threads = setting.path(f"repository{documents}"), ("--parsers", "1", "--cpu-inverters", "1", "--format", "jsonl")
    source = made.write(setting.path("in.jsonl"), 0, documents)
    say("build", documents, [run(setting, repository, "build", "--input", source, "--memory-limit", "3GiB", *threads)])
    os.remove(source)

    def add(number):
        return run(setting, repository, "add", "--input", made.write(setting.path("new.jsonl"), documents * (number + 2), parsed.changed), *threads)

    def remove():
        with open(setting.path("ids"), "w", encoding="ascii") as ids:
            ids.writelines(f"d{one}\n" for one in made.rng.sample(range(documents), parsed.changed))
        return run(setting, repository, "remove", "--ids", setting.path("ids"))

    say("add", documents, [add(number) for number in range(parsed.rounds)])
    say("remove", documents, [remove() for _ in range(parsed.rounds)])
    cluster = harness.Cluster(setting, repository, "c", 1, name=f"c{documents}", leaf_flags=("--poll-ms", "100", "--gpu", "off"))
    loaded = lambda part: harness.metric(cluster.leaf_http[0], "frond_leaf_generation_load_duration_seconds_" + part)
    loads = []
    for _ in range(parsed.rounds):
        count, total = loaded("count"), loaded("sum")
        remove()
        harness.eventually(lambda count=count: loaded("count") == count + 1, "the leaf loads the generation")
        loads.append({"load_ms": round(1000 * (loaded("sum") - total), 1)})
    say("load of a removal in a leaf", documents, loads)
    cluster.stop()


def test(setting):
    made = Documents(setting.rng.random())
    for documents in parsed.documents:
        measure(setting, made, documents)


if __name__ == "__main__":
    harness.run(test, parsed)
