#!/usr/bin/env python3
"""One broker, several collections, each on leaves of its own: routes by name, the first for those without, a generation of one
switched while the other is searched, leaves of one lost, names that are unknown or escaped."""
import json
import subprocess

import harness
from several import Broker, Of

A, B = "plain", "stemmed_2"


class Leaf:
    def __init__(self, setting, repository, collection, shard, shards):
        self.setting, self.listen, self.http = setting, *harness.free_ports(2)
        self.name = f"{collection}-{shard}"
        self.flags = ("--repository", repository, "--collection", collection, "--data", setting.path(self.name), "--shard", f"{shard}/{shards}",
                      "--listen", f"tcp://127.0.0.1:{self.listen}", "--http", f"127.0.0.1:{self.http}", "--gpu", "off", "--poll-ms", "100")
        self.start()

    def start(self):
        self.process = self.setting.spawn(self.name, "frond-leaf", *self.flags)


def routes(broker, alone):
    """Every route by name answers as a broker of that collection alone; routes without a name are the first one's."""
    for collection in (A, B):
        base = f"/v1/collections/{collection}"
        for query in ("link", "links", "number 7", "nothing"):
            got, wanted = broker.search(query, collection=collection, k=20), alone[collection].search(query, k=20)
            harness.expect((got.hits, got.total) == (wanted.hits, wanted.total), f"{collection}: {query}: {got.hits} instead of {wanted.hits}")
            count = json.loads(broker.ask(base + "/count", q=query)[1])
            harness.expect(count["count"] == json.loads(alone[collection].ask("/v1/count", q=query)[1])["count"], f"{collection}: count of {query}: {count}")
        lines = "".join(json.dumps({"q": query, "k": 3}) + "\n" for query in ("links", "number 3"))
        got, wanted = (json.loads(text.splitlines()[0])["hits"] for _, text in
                       (broker.ask(base + "/msearch", "POST", lines), alone[collection].ask("/v1/msearch", "POST", lines)))
        harness.expect(got == wanted, f"{collection}: msearch: {got}")
        for path in ("/search", "/count"):
            harness.expect(broker.ask(base + path, "POST", '{"q":"link"}')[0] == 200, f"{collection}: POST {path}")
        cluster = json.loads(broker.ask(base + "/cluster")[1])
        harness.expect(cluster["collection"] == collection and cluster["ready"] and len(cluster["leaves"]) == (2 if collection == A else 1)
                       and all(leaf["healthy"] for leaf in cluster["leaves"]), f"{collection}: {cluster}")
    harness.expect(broker.search("links", k=20).hits == alone[A].search("links", k=20).hits, "a route without a name is not the first collection's")
    harness.expect(broker.search("links", collection=A).hits != broker.search("links", collection=B).hits, "both collections have one analyzer")
    harness.expect(json.loads(broker.ask("/v1/collections")[1]) == {"collections": [A, B]}, "/v1/collections")
    print("each collection by its name, with its own analyzer")


def names(broker):
    escaped = "".join(f"%{ord(c):02x}" for c in B)
    harness.expect(json.loads(broker.ask(f"/v1/collections/{escaped}/cluster")[1])["collection"] == B, "an escaped name")
    for name in ("other", "Plain", B + "%20", "%2e%2e", "a%2Fb", "%00", "+", "plain%"):
        for path in ("search?q=link", "count?q=link", "cluster"):
            status, body = broker.ask(f"/v1/collections/{name}/{path}")
            harness.expect(status == (400 if name == "plain%" else 404) and json.loads(body)["parameter"] == "collection", f"{name}: {status} {body!r}")
    for path in ("/v1/collections/", "/v1/collections//search", "/v1/collections/plain", f"/v1/collections/{A}/x", f"/v1/collections/{A}/b/search"):
        harness.expect(broker.ask(path)[0] == 404, path)
    harness.expect(broker.ask(f"/v1/collections/{A}/msearch")[0] == 405, "GET of msearch")
    harness.expect(broker.ask(f"/v1/collections/{A}/search", q="link", nonsense=1)[0] == 400, "an unknown parameter")
    print("unknown and escaped names")


def documents(setting, broker, body):
    """Documents by their ids, whole; `frond search` of a collection by its name."""
    for collection, name, count in ((A, "a", 200), (B, "b", 300)):
        for n in (0, 1, count // 2, count - 1):
            status, text = broker.ask(f"/v1/collections/{collection}/documents/{name}{n}")
            harness.expect(status == 200 and json.loads(text) == {"id": f"{name}{n}", "title": "", "url": "", "body": body(n), "truncated": False, "generation": 1}, f"{name}{n}: {status} {text!r}")
        status, text = broker.ask(f"/v1/collections/{collection}/documents/{name}{count}")
        harness.expect(status == 404 and json.loads(text)["parameter"] == "id", f"{name}{count}: {status} {text!r}")
    harness.expect(broker.ask("/v1/documents/%61" + "7")[0] == 200 and broker.ask("/v1/documents/b7")[0] == 404, "the route without a name is not the first collection's")
    for collection, wanted in ((None, "[a"), (A, "[a"), (B, "[b")):
        command = [setting.program("frond"), "search", "--broker", f"http://127.0.0.1:{broker.http}", "links", *(("--collection", collection) if collection else ())]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        harness.expect(done.returncode == 0 and wanted in done.stdout, f"{command}: {done.stdout[:300]} {done.stderr}")
    print("documents by their ids")


def caches(broker):
    seen = [broker.search("number 11", collection=collection).cache for collection in (A, B, A, B)]
    harness.expect(seen == ["miss", "miss", "hit", "hit"], f"{seen}")
    harness.expect(broker.search("number 11").cache == "hit", "a route without a name shares the first one's answers")
    print("one cache, answers apart")


def switching(setting, repository, broker):
    """Generations of B, while both are searched."""
    kept = {}
    watch = harness.Watch(Of(broker, A), [("link", "or", 5), ("links", "or", 5), ("number 3", "and", 5)], 2, 1)
    for generation in (2, 3):
        setting.build(repository, B, [setting.write_numbered(f"g{generation}x", 150, lambda n: f"number {n} of links")], 2, stemmer="porter")
        harness.eventually(lambda: broker.search("links", collection=B, cache="off").generation == generation, f"generation {generation} of {B}")
        kept[generation] = broker.search("links", collection=B, k=150).hits
        harness.expect(f"g{generation}x" in kept[generation], kept[generation])
    watch.stop()
    harness.expect(watch.errors == 0 and watch.degraded == 0 and watch.asked > 0, f"{A}: {watch.errors} errors, {watch.degraded} degraded of {watch.asked}")
    answers = {(query, mode, k): hits for _, query, mode, k, hits in watch.seen}
    watch.judge(lambda generation, query, mode, k: answers[(query, mode, k)] if generation == 1 else "one generation")
    print(f"{B} switched twice under {watch.asked} searches of {A}")


def losses(broker, leaf_b):
    harness.kill9(leaf_b.process)
    harness.eventually(lambda: harness.metric(broker.http, "frond_broker_partitions_covered", collection=B) == 0, f"the leaf of {B} is missed")
    harness.expect(broker.ready(), "the broker is not ready because one collection has no leaf")
    harness.expect(broker.search("link", collection=A).whole, f"{A} is degraded")
    harness.expect(broker.ask(f"/v1/collections/{B}/search", q="fresh words")[0] == 503, f"{B} answers without a leaf")
    harness.expect(broker.ask(f"/v1/collections/{B}/documents/b1")[0] == 503, f"{B} knows without a leaf that a document is not there")
    harness.expect(harness.metric(broker.http, "frond_broker_leaves", collection=A, state="up") == 2, "leaves of the other collection")
    leaf_b.start()
    harness.eventually(lambda: broker.search("links", collection=B, cache="off").whole, f"{B} is back")
    print(f"{B} lost its leaf and got it back, {A} did not notice")


def test(setting):
    repository = setting.path("repository")
    body = lambda n: f"number {n} links to link {n % 7}" if n % 2 else f"number {n} link"
    setting.build(repository, A, [setting.write_numbered("a", 200, body)], 4, stemmer="none")
    setting.build(repository, B, [setting.write_numbered("b", 300, body)], 2, stemmer="porter")
    leaves = {A: [Leaf(setting, repository, A, shard, 2) for shard in range(2)], B: [Leaf(setting, repository, B, 0, 1)]}
    both = leaves[A] + leaves[B]
    broker = Broker(setting, "both", both, (A, B), "--threads", "2")
    alone = {collection: Broker(setting, f"only-{collection}", leaves[collection], (collection,), "--threads", "1") for collection in (A, B)}
    for one in (broker, *alone.values()):
        harness.eventually(one.ready, "a broker is ready", 60)
    routes(broker, alone)
    names(broker)
    documents(setting, broker, body)
    caches(broker)
    for one in alone.values():
        harness.end(one.process, "a broker of one collection")
    switching(setting, repository, broker)
    losses(broker, leaves[B][0])
    harness.end(broker.process, "the broker")
    for command in (("--collection", A, "--collection", A), tuple(flag for n in range(65) for flag in ("--collection", f"c{n}"))):
        done = subprocess.run([setting.program("frond-broker"), "--http", "127.0.0.1:0", "--leaf", "tcp://127.0.0.1:1", *command], capture_output=True, text=True, timeout=60)
        harness.expect(done.returncode == 2 and "--collection" in done.stderr, f"{len(command)}: {done.stderr}")
    harness.expect("leaf still down" not in setting.log("both"), "leaves of the other collection are called down")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
