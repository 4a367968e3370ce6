#!/usr/bin/env python3
"""100,000 hits in an order of their own, page by page behind cursors, while documents are added and removed: each hit comes
once and in its place, all from one generation, though more follow than a leaf keeps. Then the generation goes, and its
cursor is answered 410; facets are those of the documents."""
import collections
import json
import subprocess
import threading
import time

import harness

DOCUMENTS, PAGE, CHANGES, GRACE = 100_000, 1000, 10, 15
SCHEMA = {"fields": {"title": {"type": "text"}, "tag": {"type": "keyword", "many": True}, "year": {"type": "integer"},
                     "price": {"type": "float"}}}


def document(rng, number):
    one = {"id": f"d{number:06}", "title": "word" + ("" if rng.random() < 0.5 else " other")}
    if rng.random() < 0.9:
        one["year"] = rng.randint(1900, 2030)
    if rng.random() < 0.8:
        one["tag"] = rng.sample(["red", "green", "blue", "a b", "日本"], rng.randint(1, 3))
    if rng.random() < 0.7:
        one["price"] = round(rng.uniform(-5, 100), 2)
    return one


def write(path, documents):
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(json.dumps(one) + "\n" for one in documents)
    return path


def ask(cluster, body):
    status, answer = harness.fetch(cluster.http, "/v1/search", method="POST", timeout=60,
                                   body=json.dumps({"timeout_ms": 30000, **body}).encode())
    return status, json.loads(answer)


def change(setting, repository, rng, done):
    """Adds documents, and removes some, again and again."""
    for number in range(CHANGES):
        fresh = [document(rng, DOCUMENTS + 100 * number + i) for i in range(100)]
        path = write(setting.path(f"fresh{number}.jsonl"), fresh)
        command = [setting.program("frond-indexer"), "add", "--repository", repository, "--collection", "c", "--input", path]
        if number % 3 == 2:
            gone = setting.path(f"gone{number}")
            with open(gone, "w", encoding="ascii") as out:
                out.writelines(f"d{rng.randrange(DOCUMENTS):06}\n" for _ in range(50))
            command = command[:1] + ["remove"] + command[2:6] + ["--ids", gone]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        done.append(result.stderr if result.returncode else None)


def test(setting):
    rng = setting.rng
    documents = [document(rng, i) for i in range(DOCUMENTS)]
    schema, repository = setting.path("schema.json"), setting.path("repository")
    with open(schema, "w", encoding="ascii") as out:
        json.dump(SCHEMA, out)
    setting.build(repository, "c", [write(setting.path("base.jsonl"), documents)], 3, schema=schema)
    cluster = harness.Cluster(setting, repository, "c", 2, leaf_flags=("--grace-seconds", GRACE, "--poll-ms", 50))

    counts = collections.Counter(tag for one in documents for tag in one.get("tag", []))
    status, answer = ask(cluster, {"q": "word", "k": 1, "facets": "tag:10,price:stats,year:distinct"})
    harness.expect(status == 200, f"facets: {status} {answer}")
    got = {bucket["value"]: bucket["count"] for bucket in answer["facets"]["tag"]["buckets"]}
    harness.expect(got == counts, f"tags {got}, {dict(counts)} wanted")
    harness.expect(answer["facets"]["tag"]["missing"] == sum("tag" not in one for one in documents), "documents without a tag")
    prices = [one["price"] for one in documents if "price" in one]
    harness.expect(answer["facets"]["price"]["count"] == len(prices), "how many prices")
    harness.expect(answer["facets"]["year"]["value"] == len({one["year"] for one in documents if "year" in one}), "years")

    wanted = [one["id"] for one in sorted(documents, key=lambda one: -one.get("year", -1))]
    done, search = [], {"q": "word", "sort": ["year:desc", "_order"], "k": PAGE, "fields": "id", "cache": "off"}
    changing = threading.Thread(target=change, args=(setting, repository, rng, done))
    changing.start()
    got, generations, cursor = [], set(), None
    while True:
        status, answer = ask(cluster, {**search, **({"search_after": cursor} if cursor else {})})
        harness.expect(status == 200, f"page {len(got) // PAGE}: {status} {answer}")
        got += [hit["id"] for hit in answer["hits"]]
        generations.add(answer["generation"])
        harness.expect(answer["total"] == {"value": DOCUMENTS, "relation": "eq"}, f"total {answer['total']}")
        last, cursor = cursor, answer.get("cursor")
        if cursor is None:
            break
        if len(got) > DOCUMENTS - 10 * PAGE:  # the rest when all changes are served
            while changing.is_alive():
                ask(cluster, {**search, "k": 1, "search_after": cursor})
                time.sleep(0.2)
    changing.join()
    harness.expect(not any(done), f"a change failed: {done}")
    harness.expect(generations == {harness.current(repository, "c") - CHANGES}, f"generations {generations}")
    first = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
    harness.expect(got == wanted, f"{len(got)} hits of {len(wanted)}, the first wrong one at {first}")

    newest = harness.current(repository, "c")
    harness.eventually(lambda: ask(cluster, search)[1].get("generation") == newest, f"generation {newest} is served", 60)
    status, problem = ask(cluster, {**search, "search_after": last, "q": "other"})
    harness.expect(status == 400 and problem["parameter"] == "search_after", f"another query: {status} {problem}")
    time.sleep(GRACE + 5)  # without a request for it
    harness.eventually(lambda: ask(cluster, {**search, "search_after": last})[0] == 410 or time.sleep(GRACE + 5),
                       "the cursor's generation is gone", 4 * GRACE)
    cluster.stop()
    print(f"{len(got)} hits in {len(got) // PAGE} pages of generation {min(generations)}, {CHANGES} changes meanwhile")


harness.run(test, harness.arguments(__doc__).parse_args())
