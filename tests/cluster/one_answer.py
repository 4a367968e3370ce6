#!/usr/bin/env python3
"""The same collection in 1, 2, 3 and 16 partitions gives byte-identical hits for every mode, k and processor, in the input's order of
documents and in another. The scores are those of BM25 computed naively in double precision. Counts, and answers without ranking,
are those of the text too.
"""
import collections
import concurrent.futures
import http.client
import json
import math
import re
import threading
import urllib.parse

import harness
import random_text

LAYOUTS = {"input": ((1, 1), (2, 2), (3, 2), (16, 3)), "bp": ((1, 1), (3, 2))}  # by order: partitions, leaves
MODES, DEPTHS, PROCESSORS = ("and", "or", "auto"), (1, 10, 100), ("cpu", "exhaustive")


class Reference:
    """BM25 as the contract has it, from the text itself."""

    def __init__(self, documents, k1=1.5, b=0.75):
        self.k1, self.b = k1, b
        counts = [(name, collections.Counter(body), len(body)) for name, body in documents]
        self.documents = len(counts)
        self.place = {name: place for place, (name, _, _) in enumerate(counts)}
        self.average = sum(length for _, _, length in counts) / len(counts)
        self.postings = collections.defaultdict(dict)  # word: {id: (frequency, length)}
        for name, counter, length in counts:
            for word, frequency in counter.items():
                self.postings[word][name] = frequency, length
        self.known = {}

    def idf(self, word):
        df = len(self.postings.get(word, ()))
        return math.log(1 + (self.documents - df + 0.5) / (df + 0.5))

    def scores(self, query, every):
        """{id: score} of the documents with all (or any) of the words."""
        if (query, every) not in self.known:
            words = collections.Counter(query.split())
            found, matched = collections.defaultdict(float), collections.Counter()
            for word, times in words.items():
                for name, (frequency, length) in self.postings.get(word, {}).items():
                    norm = self.k1 * (1 - self.b + self.b * length / self.average)
                    found[name] += times * self.idf(word) * (self.k1 + 1) * frequency / (frequency + norm)
                    matched[name] += 1
            self.known[query, every] = {name: score for name, score in found.items() if not every or matched[name] == len(words)}
        return self.known[query, every]


def check_against(reference, query, mode, k, answer):
    every, wanted = reference.scores(query, True), reference.scores(query, mode == "and")
    best = sorted(wanted.values(), reverse=True)
    if mode == "auto":  # those with all words first
        best = sorted(every.values(), reverse=True) + sorted((score for name, score in wanted.items() if name not in every), reverse=True)
        harness.expect(all((name in every) == (rank < len(every)) for rank, (name, _) in enumerate(answer.ranking)), f"{query!r} auto k={k}: {len(every)} have all words")
        value, relation = answer.all_words
        harness.expect(value == len(every) if relation == "eq" else k <= value <= len(every), f"{query!r} auto k={k}: all_words {answer.all_words}, {len(every)} have all words")
    best = best[:k]
    got = [(name, float(score)) for name, score in answer.ranking]
    harness.expect(len(got) == len(best), f"{query!r} {mode} k={k}: {len(got)} hits, {len(best)} wanted")
    for (name, score), ideal in zip(got, best):
        close = abs(score - ideal) < 1e-3 and abs(score - wanted.get(name, -1)) < 1e-3
        harness.expect(close, f"{query!r} {mode} k={k}: {name} has {score}, wanted {wanted.get(name)}, at its rank {ideal}")
    value, relation = answer.total
    right = value == len(wanted) if relation == "eq" else value <= len(wanted)
    harness.expect(right, f"{query!r} {mode} k={k}: total {answer.total}, {len(wanted)} match")


TOOK = re.compile(rb'"took_ms":[0-9.]+')


class Asker:
    """Answers of one cluster. Taking one apart costs more than asking for it, so what begins as a whole answer began before,
    and goes on as a right one did, byte for byte, is taken for the same without it."""

    def __init__(self, cluster):
        self.cluster, self.local, self.whole_heads = cluster, threading.local(), set()

    def get(self, path, **parameters):
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.cluster.http, timeout=30)
        parameters |= {"cache": "off", "timeout_ms": 20000}
        self.local.connection.request("GET", path + "?" + urllib.parse.urlencode(parameters))
        reply = self.local.connection.getresponse()
        return reply.status, reply.read()

    def check(self, query, mode, k, processor, right, reference, where):
        """`right`: {(query, mode, k): (hits, the answer's bytes from its total on)}, completed where it lacks this one."""
        status, body = self.get("/v1/search", q=query, mode=mode, k=k, processor=processor)
        head, _, rest = body.partition(b'"total"')
        head = TOOK.sub(b"", head)
        if (query, mode, k) in right and rest == right[query, mode, k][1] and head in self.whole_heads and status == 200:
            return
        answer = harness.Answer(status, body)
        harness.expect(answer.whole, f"{query!r}: a degraded answer: {answer.degraded}")
        self.whole_heads.add(head)
        if (query, mode, k) not in right:
            check_against(reference, query, mode, k, answer)
        wanted = right.setdefault((query, mode, k), (answer.hits, rest))[0]
        harness.expect(answer.hits == wanted, f"{query!r} {mode} k={k} {processor}, {where}: {answer.hits} instead of {wanted}")

    def check_pages(self, query, processor, wanted, k, offset, where):
        """A page is a part of the longest one."""
        answer = harness.Answer(*self.get("/v1/search", q=query, k=k, offset=offset, processor=processor))
        harness.expect(answer.ranking == wanted[offset:offset + k], f"{query!r} k={k} offset={offset} {processor}, {where}: {answer.ranking}, wanted {wanted[offset:offset + k]}")

    def check_unranked(self, query, mode, k, processor, right, reference, order, where):
        """`right`: {(query, mode, k): ids}, completed where it lacks this one."""
        every, matching = reference.scores(query, True), reference.scores(query, mode == "and")
        asked = {"q": query, "mode": mode, "processor": processor}
        total = {"value": len(matching), "relation": "eq"}
        if mode == "auto":
            total["all_words"] = {"value": len(every), "relation": "eq"}
        else:
            count = json.loads(self.get("/v1/count", **asked)[1])
            got = (count.get("count"), count.get("relation"))
            harness.expect(got == (len(matching), "eq"), f"{query!r} {mode} {processor}, {where}: count {got}, {len(matching)} match")
        answer = json.loads(self.get("/v1/search", k=k, rank="none", fields="id", **asked)[1])
        harness.expect(answer["total"] == total, f"{query!r} {mode}, {where}: {answer['total']}")
        ids = [hit.pop("id") for hit in answer["hits"]]
        harness.expect(not any(answer["hits"]), f"{query!r} {mode}, {where}: more than ids: {answer['hits']}")
        if (query, mode, k) not in right:
            right[query, mode, k] = sorted(matching, key=lambda name: (mode == "auto" and name not in every, reference.place[name]))[:k] if order == "input" else ids
        harness.expect(ids == right[query, mode, k], f"{query!r} {mode} k={k} {processor}, {where}: {ids}, wanted {right[query, mode, k]}")
        harness.expect(set(ids) <= set(matching) and len(ids) == min(k, len(matching)), f"{query!r} {mode} k={k}, {where}: {ids}")


def ranking_of(hits):
    """As harness.Answer.ranking, from its hits."""
    return [(hit["id"], hit["score"]) for hit in json.loads(hits)]


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 500)
    collection = random_text.Collection(rng, 3000, words)
    source = collection.write(setting.path("documents.jsonl"))
    reference = Reference(collection.documents)
    asked = [(q, m, k, p) for q in random_text.queries(rng, words, 40) for m in MODES for k in DEPTHS for p in PROCESSORS]
    unranked = [(q, m, k, p) for q, m, k, p in asked if k > 1]
    pages = [(q, p, k, offset) for q, m, _, p in asked[::3] if m == "auto" for k, offset in ((1, 1), (2, 0), (7, 5), (10, 90))]
    first = {order: {} for order in LAYOUTS}
    right = {order: {} for order in LAYOUTS}  # ties go by the order of documents, so each order has its own
    for order, partitions, leaves in ((order, *layout) for order, layouts in LAYOUTS.items() for layout in layouts):
        repository = setting.path(f"repository-{order}-{partitions}")
        setting.build(repository, "random", [source], partitions, order=order)
        cluster = harness.Cluster(setting, repository, "random", leaves, name=f"{order}{partitions}")
        asker, where = Asker(cluster), f"order {order}, {partitions} partitions"
        with concurrent.futures.ThreadPoolExecutor(3) as threads:
            for done in [threads.submit(asker.check, *one, right[order], reference, where) for one in asked]:
                done.result()
            for done in [threads.submit(asker.check_pages, q, p, ranking_of(right[order][q, "auto", 100][0]), k, offset, where) for q, p, k, offset in pages]:
                done.result()
            for done in [threads.submit(asker.check_unranked, *one, first[order], reference, order, where) for one in unranked]:
                done.result()
        cluster.stop()
        print(f"{where} on {leaves} leaves: {len(asked)} answers, {len(pages)} pages and {len(unranked)} answers without ranking, all the same", flush=True)


harness.run(test, harness.arguments(__doc__).parse_args())
