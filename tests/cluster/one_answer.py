#!/usr/bin/env python3
"""The same collection as 1, 2, 3 and 16 partitions gives byte-identical hits for every mode, k and processor, and the
scores are those of BM25 computed the slow way in double precision; in the input's order of documents, and in another.
"""
import collections
import math

import harness
import random_text

LAYOUTS = {"input": ((1, 1), (2, 2), (3, 2), (16, 3)), "bp": ((1, 1), (3, 2))}  # by order: partitions, leaves
MODES, DEPTHS, PROCESSORS = ("and", "or", "auto"), (1, 10, 100), ("cpu", "exhaustive")


class Reference:
    """BM25 as the contract has it, from the text itself."""

    def __init__(self, documents, k1=0.9, b=0.4):
        self.k1, self.b = k1, b
        self.counts = [(name, collections.Counter(body), len(body)) for name, body in documents]
        self.average = sum(length for _, _, length in self.counts) / len(self.counts)
        self.df = collections.Counter(word for _, counter, _ in self.counts for word in counter)

    def idf(self, word):
        n = len(self.counts)
        return math.log(1 + (n - self.df[word] + 0.5) / (self.df[word] + 0.5))

    def scores(self, query, every):
        """{id: score} of the documents with all (or any) of the words."""
        words = collections.Counter(query.split())
        found = {}
        for name, counter, length in self.counts:
            present = [w for w in words if w in counter]
            if not present or (every and len(present) < len(words)):
                continue
            norm = self.k1 * (1 - self.b + self.b * length / self.average)
            found[name] = sum(words[w] * self.idf(w) * (self.k1 + 1) * counter[w] / (counter[w] + norm) for w in present)
        return found


def check_against(reference, query, mode, k, answer):
    every, any_of = reference.scores(query, True), reference.scores(query, False)
    wanted = every if mode == "and" or (mode == "auto" and len(every) >= k) else any_of
    best = sorted(wanted.values(), reverse=True)[:k]
    got = [(name, float(score)) for name, score in answer.ranking]
    harness.expect(len(got) == len(best), f"{query!r} {mode} k={k}: {len(got)} hits, {len(best)} wanted")
    for (name, score), ideal in zip(got, best):
        close = abs(score - ideal) < 1e-3 and abs(score - wanted.get(name, -1)) < 1e-3
        harness.expect(close, f"{query!r} {mode} k={k}: {name} has {score}, wanted {wanted.get(name)}, at its rank {ideal}")
    value, relation = answer.total
    right = value == len(wanted) if relation == "eq" else value <= len(wanted)
    harness.expect(right, f"{query!r} {mode} k={k}: total {answer.total}, {len(wanted)} match")


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 500)
    collection = random_text.Collection(rng, 3000, words)
    source = collection.write(setting.path("documents.jsonl"))
    reference = Reference(collection.documents)
    asked = [(q, m, k) for q in random_text.queries(rng, words, 40) for m in MODES for k in DEPTHS]
    first = {}  # ties go by the order of documents, so each order has its own
    for order, partitions, leaves in ((order, *layout) for order, layouts in LAYOUTS.items() for layout in layouts):
        repository = setting.path(f"repository-{order}-{partitions}")
        setting.build(repository, "random", [source], partitions, order=order)
        cluster = harness.Cluster(setting, repository, "random", leaves, name=f"{order}{partitions}")
        for query, mode, k in asked:
            for processor in PROCESSORS:
                answer = cluster.search(query, mode=mode, k=k, processor=processor, cache="off", timeout_ms=20000)
                harness.expect(answer.whole, f"{query!r}: a degraded answer: {answer.degraded}")
                if (order, query, mode, k) not in first:
                    check_against(reference, query, mode, k, answer)
                wanted = first.setdefault((order, query, mode, k), answer.hits)
                harness.expect(answer.hits == wanted,
                               f"{query!r} {mode} k={k} {processor}, order {order}, {partitions} partitions: {answer.hits} instead of {wanted}")
        cluster.stop()
        print(f"order {order}, {partitions} partitions on {leaves} leaves: {len(asked) * len(PROCESSORS)} answers, all the same", flush=True)


harness.run(test, harness.arguments(__doc__).parse_args())
