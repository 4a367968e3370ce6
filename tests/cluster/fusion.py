#!/usr/bin/env python3
"""Reciprocal rank fusion over several partitions and leaves: /v1/fuse and the Elasticsearch API's retriever.rrf answer, hit by hit and
score by score, what a list of ranks computes from plain searches; filters hold for both lists; what can't be fused is refused by name.
"""
import http.client
import json
import os
import sys

import harness

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python"))
import frond  # noqa: E402

DOCUMENTS, WORDS = 2000, 40


def fused(lists, constant, known=None):
    """[(id, score)], best first."""
    scores, ranks = {}, {}
    for number, one in enumerate(lists):
        for rank, identity in enumerate(one, 1):
            scores[identity] = scores.get(identity, 0) + 1 / (constant + rank)
            ranks.setdefault(identity, [10**9] * len(lists))[number] = rank
    order = sorted((one for one in scores if known is None or one in known), key=lambda one: (-scores[one], ranks[one]))
    return [(one, scores[one]) for one in order]


def check_own(client, rng):
    for _ in range(60):
        words, constant, window, k = f"w{rng.randrange(WORDS)} w{rng.randrange(WORDS)}", rng.choice([1, 60, 1000]), rng.choice([1, 7, 100, 1000]), rng.choice([1, 10, 300])
        given = list(dict.fromkeys(f"d{rng.randrange(DOCUMENTS + 200)}" for _ in range(rng.choice([1, 20, 400]))))
        search = {"q": words, "mode": rng.choice(["and", "or", "auto"]), "fields": "id,year", **({"filter": "year:>=1950"} if rng.random() < 0.5 else {})}
        ranking = [hit["id"] for hit in client.search(**search, k=window)["hits"]]
        known = {f"d{number}" for number in range(DOCUMENTS) if "filter" not in search or 1900 + number % 100 >= 1950}
        wanted = fused([ranking, given], constant, known)[:k]
        body = {"search": search, "ranking": given, "constant": constant, "window": window, "k": k}
        answer = client.fuse(**body)
        got = [(hit["id"], hit["score"]) for hit in answer["hits"]]
        harness.expect(got == wanted, f"{body}: {got[:5]} instead of {wanted[:5]}")
        harness.expect(all(hit["year"] == 1900 + int(hit["id"][1:]) % 100 for hit in answer["hits"]), f"{answer['hits'][:3]}")
    for wrong, name in (({"search": {"q": "a", "sort": "_order"}}, "search"), ({"ranking": ["a", "a"]}, "ranking"), ({"window": 0}, "window"), ({"x": 1}, "x"),
                        ({"search": {"q": "a", "mode": "x"}}, "mode")):
        try:
            client.request("POST", "/v1/collections/fused/fuse", json.dumps({"search": {"q": "a"}, "ranking": ["a"], **wrong}).encode())
        except frond.RequestRefused as error:
            harness.expect((error.status, error.parameter) == (400, name), f"{wrong}: {error}")
        else:
            raise harness.Failure(f"{wrong} is taken")
    print("60 fused searches are as computed", flush=True)


def check_elasticsearch(ask, rng):
    def ids(query, size):
        return [hit["_id"] for hit in ask({"query": query, "size": size, "_source": False})["hits"]["hits"]]

    for _ in range(30):
        queries = [{"match": {"t": f"w{rng.randrange(WORDS)}"}} for _ in range(rng.choice([2, 3]))]
        window, size, start = rng.choice([20, 100]), rng.choice([1, 10]), rng.choice([0, 3])
        wanted = fused([ids(query, window) for query in queries], 60)[start:start + size]
        answer = ask({"retriever": {"rrf": {"retrievers": [{"standard": {"query": query}} for query in queries], "rank_window_size": window}}, "size": size,
                      "from": start, "track_total_hits": True})["hits"]
        got = [(hit["_id"], hit["_score"]) for hit in answer["hits"]]
        harness.expect([one for one, _ in got] == [one for one, _ in wanted], f"{queries}: {got} instead of {wanted}")
        harness.expect(all(abs(a[1] - b[1]) < 1e-6 for a, b in zip(got, wanted)), f"{got} instead of {wanted}")
        every = ask({"query": {"bool": {"should": queries}}, "size": 0, "track_total_hits": True})["hits"]["total"]
        harness.expect(answer["total"] == every, f"{answer['total']} instead of {every}")
    alone = {"match": {"t": "w1"}}
    harness.expect([hit["_id"] for hit in ask({"retriever": {"standard": {"query": alone}}})["hits"]["hits"]] == ids(alone, 10), "a standard retriever")
    one = {"standard": {"query": alone}}
    for body, name in (({"retriever": {"knn": {"field": "v"}}}, "knn"), ({"retriever": {"rrf": {"retrievers": [one, {"knn": {}}]}}}, "knn"),
                       ({"retriever": {"rrf": {"retrievers": [one]}}}, "retrievers"), ({"retriever": {"rrf": {"retrievers": [one, one], "rank_window_size": 3}}}, "rank_window_size"),
                       ({"retriever": one, "query": alone}, "query"), ({"retriever": {"text_similarity_reranker": {}}}, "text_similarity_reranker")):
        refused = ask(body, 400)
        harness.expect(name in refused["error"]["reason"], f"{body}: {refused}")
    print("30 searches with retriever.rrf are as computed", flush=True)


def test(setting):
    port, api = harness.free_ports(2)
    setting.spawn("up", "frond", "up", "--data", setting.path("state"), "--http", f"127.0.0.1:{port}", "--elasticsearch-api", f"127.0.0.1:{api}")
    harness.eventually(lambda: "search page" in setting.log("up"), "frond up is up", 60)
    rng = setting.rng

    def text():
        return " ".join(f"w{min(int(rng.expovariate(0.1)), WORDS - 1)}" for _ in range(12))

    with frond.Client(f"http://127.0.0.1:{port}", collection="docs", key_file=setting.path("state", "api.key")) as client:
        client.create_collection("fused", schema={"fields": {"body": {"type": "text"}, "year": {"type": "integer"}}})
        client.collection = "fused"
        for part in range(4):  # a partition each
            client.index({"id": f"d{number}", "body": text(), "year": 1900 + number % 100} for number in range(part, DOCUMENTS, 4))
            client.refresh()

        def all_there():
            try:
                return client.count(query={"all": {}}, cache="off")["count"] == DOCUMENTS
            except frond.RequestRefused as error:
                raise harness.Refused(str(error)) from error
        harness.eventually(all_there, "all documents are there", 60)
        check_own(client, rng)

    lines = "".join(json.dumps({"index": {"_id": str(number)}}) + "\n" + json.dumps({"t": text()}) + "\n" for number in range(600))
    status, body = fetch(api, "/books/_bulk?refresh=true", lines, "application/x-ndjson")
    harness.expect(status == 200 and not json.loads(body)["errors"], f"{body[:300]}")

    def ask(body, wanted=200):
        status, answer = fetch(api, "/books/_search", json.dumps(body), "application/json")
        harness.expect(status == wanted, f"{status}: {answer[:500]}")
        return json.loads(answer)
    check_elasticsearch(ask, rng)


def fetch(port, path, body, kind):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", path, body=body.encode(), headers={"Content-Type": kind})
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
