#!/usr/bin/env python3
"""A collection of impacts ranks as a few lines of Python do: learned sparse vectors from JSON Lines and the same from CIFF, in several
partitions and on all processors, by weights alone, beside filters and inside other clauses, also where sums end at the highest score;
and after documents were added, replaced, removed and merged. Vectors that are wrong are bad records that say why.

FROND_QUERIES=10000 asks so many random queries; usually they are 3,100.
"""
import json
import math
import os
import struct
import subprocess

import harness

HIGHEST = 0xfffffffe
SCHEMA = {"fields": {"vector": {"type": "weights", "scale": 1.5}, "body": {"type": "text"}, "lang": {"type": "keyword"}}, "scorer": "impact"}


def impact(weight, scale):
    return min(255, math.floor(weight * scale + 0.5))


def units(weight):
    return math.floor(weight * 256 + 0.5)


def ranked(documents, weights, wanted=lambda document: True):
    """[(id, score)], best first: the sum of impact times weight, in 1/65,536."""
    found = []
    for number, document in enumerate(documents):
        shared = [token for token in weights if token in document["impacts"] and units(weights[token]) > 0]
        if shared and wanted(document):
            score = min(HIGHEST, sum(document["impacts"][token] * units(weights[token]) * 256 for token in shared))
            found.append((-score, number, document["id"]))
    return [(name, -score / 65536) for score, number, name in sorted(found)]


class Toy:
    def __init__(self, rng, scale):
        self.rng, self.scale = rng, scale
        self.tokens = [f"##t{i}" for i in range(60)] + ["The", "the", "naïve", "two words", "x" * 1024, "C++", "日本", "\\", '"', "a:b"]

    def document(self, name):
        rng = self.rng
        vector = {}
        for token in rng.sample(self.tokens, rng.randint(0, 25)):
            vector[token] = rng.choice([rng.randint(0, 260), rng.random() * 4, rng.expovariate(0.02), 1, 0])
        impacts = {token: impact(weight, self.scale) for token, weight in vector.items()}
        return {"id": name, "contents": f"text of {name} the ##t1", "lang": rng.choice(["en", "fr"]), "vector": vector,
                "impacts": {token: value for token, value in impacts.items() if value > 0}}

    def weights(self):
        rng = self.rng
        chosen = rng.sample(self.tokens + ["unknown"], rng.choice([1, 2, 3, 8, 20, 60]))
        largest = rng.choice([1, 2.5, 2.5, 2.5, 40, 3000])
        return {token: rng.choice([rng.random() * largest, 1, 0.001, rng.random()]) for token in chosen}


def lines(documents):
    return "".join(json.dumps({name: value for name, value in document.items() if name != "impacts"}) + "\n" for document in documents)


def asked(cluster, body):
    status, answer = harness.fetch(cluster.http, "/v1/search", method="POST", body=json.dumps({"timeout_ms": 20000, **body}).encode())
    harness.expect(status == 200, f"{str(body)[:600]}: {status} {answer[:300]!r}")
    answer = json.loads(answer)
    harness.expect(not answer["coverage"]["degraded"], f"{str(body)[:600]}: degraded")
    return answer


def expect_same(cluster, body, wanted, k):
    answer = asked(cluster, {**body, "k": k})
    got = [(hit["id"], hit["score"]) for hit in answer["hits"]]
    first = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
    harness.expect(got == wanted[:k], f"{str(body)[:600]}: k {k}, {len(got)} of {len(wanted)}, from {first} on {got[first:first + 3]}, wanted {wanted[first:first + 3]}")
    total = answer["total"]
    harness.expect(total["value"] == len(wanted) if total["relation"] == "eq" else total["value"] <= len(wanted), f"{str(body)[:600]}: {total} of {len(wanted)}")


def check_ranking(cluster, documents, toy, usual):
    rng = toy.rng
    for number in range(usual * int(os.environ.get("FROND_QUERIES", 3100)) // 3100):
        weights = toy.weights()
        clause = {"weights": {"field": "vector", "terms": weights}}
        k = rng.choice([1, 10, 10, 100, 1000])
        wanted = ranked(documents, weights)
        processor = rng.choice(["auto", "cpu", "exhaustive"])
        expect_same(cluster, {"query": clause, "processor": processor, "cache": "off"}, wanted, k)
        kind = number % 8
        if kind == 0 and "lang" in documents[0]:
            of_lang = ranked(documents, weights, lambda document: document["lang"] == "fr")
            expect_same(cluster, {"query": clause, "filter": {"term": {"field": "lang", "value": "fr"}}, "processor": processor}, of_lang, k)
        elif kind == 1:
            expect_same(cluster, {"query": clause, "total": "exact", "processor": processor}, wanted, k)
        elif kind == 2:  # the sum of two clauses is that of the weights, where neither ends at the highest score
            first = dict(list(weights.items())[::2])
            second = {token: weight for token, weight in weights.items() if token not in first} or {"unknown": 1}
            parts = [{"weights": {"field": "vector", "terms": terms}} for terms in (first, second)]
            expect_same(cluster, {"query": {"bool": {"should": parts}}, "processor": processor}, wanted, k)
        elif kind == 3 and max(weights.values()) < 3:
            doubled = [(name, min(HIGHEST / 65536, 2 * score)) for name, score in wanted]
            expect_same(cluster, {"query": {"boost": {"of": clause, "by": 2}}, "processor": processor}, doubled, k)
        elif kind == 4:
            words = [token for token in weights if not any(c in token for c in ' \\":')]
            once = {token: 1 for token in words}
            expect_same(cluster, {"q": " ".join(words), "mode": "or"}, ranked(documents, once), k)
            if len(words) < 4:
                expect_same(cluster, {"q": " ".join(words), "mode": "and"},
                            ranked(documents, once, lambda document: all(word in document["impacts"] for word in words)), k)


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def message(*fields):
    """A protocol buffer of (number, value) behind its length."""
    body = b""
    for number, value in fields:
        if isinstance(value, float):
            body += varint(number << 3 | 1) + struct.pack("<d", value)
        elif isinstance(value, int):
            body += varint(number << 3) + varint(value)
        else:
            body += varint(number << 3 | 2) + varint(len(value)) + value
    return varint(len(body)) + body


def write_ciff(path, documents):
    postings = {}
    for number, document in enumerate(documents):
        for token, value in document["impacts"].items():
            postings.setdefault(token.encode(), []).append((number, value))
    lengths = [sum(document["impacts"].values()) for document in documents]
    with open(path, "wb") as file:
        file.write(message((1, 1), (2, len(postings)), (3, len(documents)), (4, len(postings)), (5, len(documents)), (6, sum(lengths)),
                           (7, sum(lengths) / len(lengths)), (8, b"a toy of impacts")))
        for token in sorted(postings):
            fields, before = [(1, token), (2, len(postings[token])), (3, sum(value for _, value in postings[token]))], 0
            for number, value in postings[token]:
                inner = varint(1 << 3) + varint(number - before) + varint(2 << 3) + varint(value)
                fields.append((4, inner))
                before = number
            file.write(message(*fields))
        for number, document in enumerate(documents):
            file.write(message((1, number), (2, document["id"].encode()), (3, lengths[number])))


def indexer(setting, command, *args, code=0):
    done = subprocess.run([setting.program("frond-indexer"), command, *map(str, args)], capture_output=True, text=True, timeout=300)
    harness.expect(done.returncode == code, f"{command} {args}: {done.returncode} {done.stderr[-600:]}")
    return done.stdout + done.stderr


def check_bad_vectors(setting, repository):
    good = '{"id":"good","vector":{"a":1}}\n'
    for vector, why in (('{"a":-1}', "weight -1"), ('{"a":1e30}', "weight 1e+30"), ('{"a":NaN}', "NaN"), ('{"a":"1"}', "a string"),
                        ('{"a":[1]}', "no number"), ('[1]', "no object"), ('3', "no object"), ('{"a":1,"a":2}', "is there twice"),
                        ('{"":1}', "empty"), ('{"' + "y" * 1025 + '":1}', "longer than 1024 bytes"), ('{"a\\u0000":1}', "no term has"),
                        ("{" + ",".join(f'"{i}":1' for i in range(65537)) + "}", "one of more than 65536")):
        path = setting.path("bad.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(good + '{"id":"bad","vector":' + vector + "}\n")
        told = indexer(setting, "build", "--repository", repository, "--collection", "bad", "--schema", setting.path("schema.json"),
                       "--format", "jsonl", "--max-bad-records", 1, "--input", path)
        harness.expect("vector" in told and why in told, f"{vector[:60]}: {told[-500:]}")


def check_refusals(cluster):
    def refused(body, why):
        status, answer = harness.fetch(cluster.http, "/v1/search", method="POST", body=json.dumps(body).encode())
        harness.expect(status == 400 and why in answer.decode(), f"{str(body)[:300]}: {status} {answer!r}")

    refused({"query": {"weights": {"field": "vector", "terms": {"a": 1e30}}}}, "query.weights.terms.a is not a number from 0 to 65535")
    refused({"query": {"weights": {"field": "lang", "terms": {"a": 1}}}}, "is keyword, not weights or text")
    refused({"query": {"weights": {"field": "vector", "terms": {f"t{i}": 1 for i in range(5000)}}}}, "more than max_terms")
    refused({"query": {"words": {"text": "the"}}}, "only a weights clause can search")
    refused({"query": {"term": {"field": "vector", "value": "the"}}}, "only a weights clause can search")
    refused({"query": {"phrase": {"field": "body", "text": "text of"}}}, "body")
    refused({"q": "the", "k1": 1.2}, "k1 and b are of BM25")


def test(setting):
    toy = Toy(setting.rng, SCHEMA["fields"]["vector"]["scale"])
    repository = setting.path("repository")
    with open(setting.path("schema.json"), "w", encoding="utf-8") as file:
        json.dump(SCHEMA, file)
    documents = [toy.document(f"d{number}") for number in range(700)]
    with open(setting.path("toy.jsonl"), "w", encoding="utf-8") as file:
        file.write(lines(documents))
    setting.build(repository, "toy", [setting.path("toy.jsonl")], 3, schema=setting.path("schema.json"))
    indexer(setting, "check", "--repository", repository, "--collection", "toy")
    check_bad_vectors(setting, repository)
    cluster = harness.Cluster(setting, repository, "toy", 2)
    check_refusals(cluster)
    check_ranking(cluster, documents, toy, 1500)

    # Added, replaced and removed; then merged.
    place = ("--repository", repository, "--collection", "toy")
    more = [toy.document(f"d{number}") for number in range(650, 800)]
    with open(setting.path("more.jsonl"), "w", encoding="utf-8") as file:
        file.write(lines(more))
    indexer(setting, "add", *place, "--format", "jsonl", "--input", setting.path("more.jsonl"))
    gone = {f"d{number}" for number in range(0, 800, 7)}
    with open(setting.path("gone"), "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(gone)) + "\n")
    indexer(setting, "remove", *place, "--ids", setting.path("gone"))
    documents = [document for document in documents[:650] + more if document["id"] not in gone]
    for step in ("changed", "compacted"):
        if step == "compacted":
            indexer(setting, "compact", *place, "--all")
        indexer(setting, "check", *place)
        wanted = harness.current(repository, "toy")
        harness.eventually(lambda: asked(cluster, {"q": "the"})["generation"] == wanted, f"generation {wanted} is served")
        check_ranking(cluster, documents, toy, 300)
    cluster.stop()

    # The same impacts from CIFF.
    documents = [toy.document(f"c{number}") for number in range(500)]
    for document in documents:
        del document["lang"]
    write_ciff(setting.path("toy.ciff"), documents)
    indexer(setting, "import-ciff", "--repository", repository, "--collection", "ciff", "--scorer", "impact", "--partitions", 4,
            "--input", setting.path("toy.ciff"))
    indexer(setting, "check", "--repository", repository, "--collection", "ciff")
    cluster = harness.Cluster(setting, repository, "ciff", 1, name="ciff")
    check_ranking(cluster, documents, toy, 1000)
    cluster.stop()
    print("rankings are those of the sums")


harness.run(test, harness.arguments(__doc__).parse_args())
