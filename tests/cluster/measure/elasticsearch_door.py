#!/usr/bin/env python3
"""What the Elasticsearch API costs over our own routes, in time: searches with the same clauses, and documents into collections of one
schema. A broker, a leaf and the indexer's service on this machine, made-up documents of 16 fields; nothing else is needed. Turns of both
routes follow one another. Of each search the processor time of the broker (/proc/PID/task/*/schedstat): the least and the median of all
turns; of writes documents a second and the processor time of broker and service. About 60 s.
"""
import http.client
import json
import os
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import harness  # noqa: E402
from elasticsearch_cluster import Cluster  # noqa: E402

parser = harness.arguments(__doc__)
parser.add_argument("--seconds", type=float, default=5, help="for each kind of search, cached and not, and for each number of writing clients")
parser.add_argument("--searches", type=int, default=100, help="in a turn of one route")
parser.add_argument("--documents", type=int, default=1000, help="in a request that writes")
parser.add_argument("--parts", default="searches,writes")
parsed = parser.parse_args()

TEXT = {"type": "text"}
MAPPING = {"title": {**TEXT, "fields": {"keyword": {"type": "keyword"}}}, "body": TEXT, "category": {"type": "keyword"}, "tags": {"type": "keyword"},
           "language": {"type": "keyword"}, "views": {"type": "integer"}, "bytes": {"type": "long"}, "rating": {"type": "float"},
           "featured": {"type": "boolean"}, "published": {"type": "date"}, "updated": {"type": "date"}, "scores": {"type": "integer"},
           "author": {"properties": {"name": {**TEXT, "fields": {"keyword": {"type": "keyword"}}}, "country": {"type": "keyword"}}}}


def processor_us(*processes):
    total = 0
    for process in processes:
        for task in os.listdir(f"/proc/{process.pid}/task"):
            try:
                with open(f"/proc/{process.pid}/task/{task}/schedstat", encoding="ascii") as file:
                    total += int(file.read().split()[0])
            except OSError:  # the thread has ended
                pass
    return total / 1e3


class Words:
    """Words as frequent as in a text."""

    def __init__(self, rng):
        self.rng, self.all = rng, [f"word{i}" for i in range(8000)]
        self.weights = [1 / (i + 3) for i in range(len(self.all))]

    def some(self, number):
        return self.rng.choices(self.all, self.weights, k=number)

    def document(self):
        rng = self.rng
        day = f"20{rng.randint(18, 24)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}T01:43:47Z"
        return {"title": " ".join(self.some(3)), "body": " ".join(self.some(30)), "category": rng.choice(("arts", "history", "nature", "people", "science")),
                "tags": rng.sample(("alpha", "beta", "gamma", "delta"), 2), "language": rng.choice(("de", "en", "fr")), "views": rng.randint(0, 500),
                "bytes": rng.randint(0, 10**7), "rating": rng.randint(0, 50) / 10, "featured": rng.random() < .3, "published": day,
                "updated": 1624631460807 + rng.randint(0, 10**9), "scores": [rng.randint(-50, 50)],
                "author": {"name": " ".join(self.some(2)), "country": rng.choice(("NL", "GH", "FR"))}}


class Client:
    def __init__(self, port, key):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": "Bearer " + key}

    def post(self, path, body, kind="application/json"):
        self.connection.request("POST", path, body, {**self.headers, "Content-Type": kind})
        reply = self.connection.getresponse()
        answer = reply.read()
        harness.expect(reply.status == 200, f"{path}: {reply.status}: {answer[:300]}")
        return answer


def kinds():
    """name: (a body for the API, one for our own route, both of some words)"""
    def match(text):
        return {"match": {"body": text}}

    def words(text):
        return {"bool": {"should": [{"words": {"field": "body", "text": word}} for word in text.split()]}}

    own = {"k1": 1.2, "b": 0.75, "total": "exact", "mode": "or"}
    arts = ({"term": {"category": "arts"}}, {"term": {"field": "category", "value": "arts"}})
    both = lambda query, filter: {"bool": {"must": [query], "filter": [filter]}}  # noqa: E731
    return {"match, 10 hits with _source": (lambda t: {"query": match(t)}, lambda t: {**own, "query": words(t), "fields": "source"}),
            "match, _source: false": (lambda t: {"query": match(t), "_source": False}, lambda t: {**own, "query": words(t), "fields": "id"}),
            "bool: match, and a filter": (lambda t: {"query": both(match(t), arts[0]), "_source": False},
                                          lambda t: {**own, "query": both(words(t), arts[1]), "fields": "id"}),
            "match with a terms aggregation": (lambda t: {"query": match(t), "_source": False, "aggs": {"c": {"terms": {"field": "category"}}}},
                                               lambda t: {**own, "query": words(t), "fields": "id", "facets": {"c": {"values": {"field": "category", "size": 10}}}})}


def searches(cluster, words):
    key, asked = cluster.keys["search,write,admin"], set()
    routes = ((Client(cluster.api, key), "/articles/_search"), (Client(cluster.http, key), "/v1/collections/articles/search"))

    def pair():
        """Two words of those that are not rare, no pair twice."""
        while True:
            found = tuple(sorted(words.rng.sample(words.all[20:1500], 2)))
            if found not in asked:
                asked.add(found)
                return " ".join(found)

    for name, bodies in kinds().items():
        for cached in (True, False):
            same, taken, begun = pair(), ([], []), time.monotonic()
            while time.monotonic() - begun < parsed.seconds or len(taken[0]) < 4:
                for route, (client, path) in enumerate(routes):
                    texts = [json.dumps(bodies[route](same if cached else pair())) for _ in range(parsed.searches)]
                    before = processor_us(cluster.broker)
                    for text in texts:
                        client.post(path, text)
                    taken[route].append((processor_us(cluster.broker) - before) / len(texts))
            door, own = (([min(turns[1:]), statistics.median(turns[1:])]) for turns in taken)
            print(json.dumps({"search": name, "cached": cached, "us": {"door": [round(x, 1) for x in door], "own": [round(x, 1) for x in own],
                                                                       "more": [round(x - y, 1) for x, y in zip(door, own)]},
                              "turns": len(taken[0])}), flush=True)


def writes(cluster, words):
    key, number = cluster.keys["search,write,admin"], 0
    described = cluster.expect(200, "GET", "/v1/collections/articles", port=cluster.service_port)
    cluster.expect(201, "PUT", "/v1/collections/own", {"schema": described["schema"]}, port=cluster.service_port)
    columns = [name for name in described["schema"]["fields"] if "keyword" not in name.split(".")]

    def value(document, name):
        for part in name.split("."):
            document = document[part]
        return document

    documents = [words.document() for _ in range(parsed.documents)]

    def body(route, first):
        lines = []
        for i, document in enumerate(documents):
            if route == 0:
                lines += [json.dumps({"index": {"_id": f"d{first + i}"}}), json.dumps(document)]
                continue
            record = {name: value(document, name) for name in columns} | {"id": f"d{first + i}", "title.keyword": document["title"],
                                                                          "author.name.keyword": document["author"]["name"]}
            if isinstance(record.get("updated"), int):
                record["updated"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record["updated"] / 1000))
            lines.append(json.dumps(record))
        return "\n".join(lines) + "\n"

    routes = ((cluster.api, "/written/_bulk"), (cluster.service_port, "/v1/collections/own/documents"))
    cluster.expect(200, "PUT", "/written", {"mappings": {"properties": MAPPING}})
    for clients in (1, 4):
        rates, costs, begun = ([], []), ([], []), time.monotonic()
        while time.monotonic() - begun < parsed.seconds or len(rates[0]) < 4:
            for route, (port, path) in enumerate(routes):
                texts = [body(route, number + i * parsed.documents) for i in range(clients * 2)]
                number += len(texts) * parsed.documents

                def send(mine, port=port, path=path):
                    client = Client(port, key)
                    for text in mine:
                        client.post(path, text, "application/x-ndjson")

                threads = [threading.Thread(target=send, args=(texts[i::clients],)) for i in range(clients)]
                before, start = processor_us(cluster.broker, cluster.service), time.monotonic()
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                sent = len(texts) * parsed.documents
                rates[route].append(sent / (time.monotonic() - start))
                costs[route].append((processor_us(cluster.broker, cluster.service) - before) / sent)
        rate, cost = ([statistics.median(turns) for turns in of] for of in (rates, costs))
        print(json.dumps({"writing clients": clients, "documents a second": {"bulk": round(rate[0]), "own": round(rate[1])},
                          "ratio": round(rate[0] / rate[1], 2), "us of processor a document": {"bulk": round(cost[0], 1), "own": round(cost[1], 1)},
                          "ratio of processor time": round(cost[1] / cost[0], 2), "turns": len(rates[0])}), flush=True)


def test(setting):
    words = Words(setting.rng)
    cluster = Cluster(setting, refresh_ms=500)
    cluster.expect(200, "PUT", "/articles", {"mappings": {"properties": MAPPING}})
    lines = []
    for number in range(1000):
        lines += [{"index": {"_id": str(number)}}, words.document()]
    cluster.bulk("articles", lines)
    if "searches" in parsed.parts:
        searches(cluster, words)
    if "writes" in parsed.parts:
        writes(cluster, words)
    cluster.stop()


if __name__ == "__main__":
    harness.run(test, parsed)
