#!/usr/bin/env python3
"""One answer everywhere, on real text: the wiki articles and SciFact as 1, 2, 3 and 16 partitions; real queries in every
mode for k = 1, 10, 100; hits and scores of all must be byte-identical, and those of the exhaustive engine too.
"""
import hashlib
import http.client
import json
import queue
import threading
import time
import urllib.parse

import data
import harness

LAYOUTS = ((1, 1), (2, 2), (3, 2), (16, 3))  # partitions, leaves


def answers(cluster, asked, processor, threads=3):
    """{(query, mode, k): digest of the hits}"""
    todo, found, failures = queue.SimpleQueue(), {}, []
    for each in asked:
        todo.put(each)

    def ask():
        connection = http.client.HTTPConnection("127.0.0.1", cluster.http, timeout=120)
        try:
            while not failures:
                query, mode, k = todo.get_nowait()
                parameters = {"q": query, "mode": mode, "k": k, "processor": processor, "cache": "off", "timeout_ms": 60000}
                connection.request("GET", "/v1/search?" + urllib.parse.urlencode(parameters))
                reply = connection.getresponse()
                answer = harness.Answer(reply.status, reply.read())
                harness.expect(answer.whole, f"{query!r}: degraded: {answer.degraded}")
                found[query, mode, k] = hashlib.sha256(answer.hits.encode()).hexdigest()
        except queue.Empty:
            pass
        except (harness.Failure, OSError, http.client.HTTPException) as error:
            failures.append(error)

    workers = [threading.Thread(target=ask) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    harness.expect(not failures, f"{failures[:1]}")
    return found


def compare(setting, name, source, asked, flags):
    first, report = None, {"queries": len(asked)}
    for partitions, leaves in LAYOUTS:
        repository = setting.path(f"{name}{partitions}")
        setting.build(repository, name, [source], partitions, **flags)
        cluster = harness.Cluster(setting, repository, name, leaves, name=f"{name}{partitions}")
        for processor in ("cpu", "exhaustive") if partitions in (1, 3) else ("cpu",):
            started = time.monotonic()
            got = answers(cluster, asked, processor)
            first = first or got
            differing = [key for key in asked if got[key] != first[key]]
            report[f"{partitions} partitions, {processor}"] = {"differing": len(differing), "seconds": round(time.monotonic() - started, 1)}
            print(f"{name}: {partitions} partitions, {processor}: {len(differing)} of {len(asked)} answers differ {differing[:3]}", flush=True)
        cluster.stop()
    return report


parser = harness.arguments(__doc__)
parser.add_argument("--queries", type=int, default=1000)
parser.add_argument("--collections", default="scifact,wiki")
parsed = parser.parse_args()


def test(setting):
    asked = [(q, m, k) for q in data.queries(parsed.queries) for m in ("and", "or", "auto") for k in (1, 10, 100)]
    report = {}
    for name in parsed.collections.split(","):
        source = data.wiki_articles() if name == "wiki" else data.scifact_documents(setting.path("scifact.jsonl"))
        report[name] = compare(setting, name, source, asked, {"stemmer": "porter", "stop_words": "on"})
    print(json.dumps(report, indent=1))
    wrong = sum(v["differing"] for r in report.values() for v in r.values() if isinstance(v, dict))
    harness.expect(wrong == 0, f"{wrong} answers differ")


harness.run(test, parsed)
