#!/usr/bin/env python3
"""Leaves and brokers with two collections each: the answers of clusters of one collection; one collection published anew, rolled back,
refused, missing, taken away and given back while the other is searched."""
import glob
import json
import os
import subprocess

import harness
from several import Broker, Of

A, B, C = "plain", "stemmed_2", "late"
QUERIES = [("link", "or", 7), ("links", "or", 300), ("number 3", "and", 10), ("number 11 links", "auto", 20), ("nothing", "or", 5)]


class Leaf:
    def __init__(self, setting, name, repository, shard, shards, *flags):
        self.setting, self.name = setting, name
        self.listen, self.http = harness.free_ports(2)
        self.data = setting.path(name)
        self.flags = ("--repository", repository, "--data", self.data, "--shard", f"{shard}/{shards}", "--listen", f"tcp://127.0.0.1:{self.listen}",
                      "--http", f"127.0.0.1:{self.http}", "--poll-ms", "100", "--cpu-threads", "2", *flags)

    def start(self, *collections):
        named = [flag for collection in collections for flag in ("--collection", collection)]
        self.process = self.setting.spawn(self.name, "frond-leaf", *self.flags, *named)
        return self

    def readyz(self):
        status, body = harness.fetch(self.http, "/readyz", timeout=5)
        return status, json.loads(body)

    def state(self, collection):
        return {one["collection"]: one for one in self.readyz()[1]["collections"]}[collection]

    def generation(self, collection):
        return harness.metric(self.http, "frond_leaf_generation", collection=collection)


def indexer(setting, *command):
    done = subprocess.run([setting.program("frond-indexer"), *command], capture_output=True, text=True, timeout=120)
    harness.expect(done.returncode == 0, f"{command[0]}: {done.stderr}")


def replace(path, text):
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(text)
    os.replace(path + ".new", path)


def answers(broker, collection, processor):
    got = []
    for query, mode, k in QUERIES:
        answer = broker.search(query, collection=collection, mode=mode, k=k, cache="off", processor=processor)
        harness.expect(answer.whole, f"{collection}: {query}: degraded")
        got.append((answer.generation, answer.hits, answer.total if processor == "exhaustive" else None))  # others stop counting early
    return got


def same_answers(setting, repository, broker, collection, *processors):
    """As a cluster of that collection alone, which is started for this, answers."""
    name = f"only-{collection}-{harness.current(repository, collection)}"
    leaf = Leaf(setting, name, repository, 0, 1, "--gpu", "off").start(collection)
    alone = Broker(setting, "broker-" + name, [leaf], [collection], "--threads", "1")
    harness.eventually(alone.ready, "a cluster of one collection is ready", 60)
    for processor in processors:
        got, wanted = answers(broker, collection, processor), answers(alone, collection, "cpu" if processor == "gpu" else processor)
        harness.expect(got == wanted, f"{collection}, {processor}: {[pair for pair in zip(got, wanted) if pair[0] != pair[1]]}")
    harness.end(alone.process, "the broker of one collection")
    harness.end(leaf.process, "the leaf of one collection")
    harness.expect(any(json.loads(hits) for _, hits, _ in wanted), "nothing was found")


def metrics(leaves):
    for leaf in leaves:
        harness.expect((leaf.generation(A), leaf.generation(B)) == (1, 1), "frond_leaf_generation")
        harness.expect(harness.metric(leaf.http, "frond_leaf_brokers", collection=B) >= 2, "the brokers of one collection")
    for collection, documents in ((A, 200), (B, 300)):
        harness.expect(sum(harness.metric(leaf.http, "frond_leaf_documents", collection=collection) for leaf in leaves) == documents, f"{collection}: documents")
    print("metrics of each collection")


def watched(broker, collection, change):
    """Runs change() under searches of `collection`, whose answers must not change."""
    watch = harness.Watch(Of(broker, collection), [("link", "or", 5), ("links", "or", 20), ("number 3", "and", 5)], 2, 1)
    before = {mode + query: broker.search(query, collection=collection, mode=mode, k=k).hits for query, mode, k in watch.queries}
    change()
    watch.stop()
    harness.expect(watch.asked > 0 and watch.errors == 0 and watch.degraded == 0, f"{collection}: {watch.errors} errors, {watch.degraded} degraded of {watch.asked}")
    watch.judge(lambda generation, query, mode, k: before[mode + query])
    return watch.asked


def changes(setting, repository, broker, leaves, processors):
    def served(generation):
        harness.eventually(lambda: broker.search("links", collection=B, cache="off").generation == generation, f"generation {generation} of {B}")

    def publish():
        more = setting.write_numbered("more", 50, lambda n: f"number {n} of more links")
        indexer(setting, "add", "--repository", repository, "--collection", B, "--input", more)
        served(2)
        ids = setting.path("gone")
        with open(ids, "w", encoding="ascii") as file:
            file.write("b7\nmore3\n")
        indexer(setting, "remove", "--repository", repository, "--collection", B, "--ids", ids)
        served(3)
        same_answers(setting, repository, broker, B, *processors)

    def roll_back():
        indexer(setting, "rollback", "--repository", repository, "--collection", B)
        served(2)

    def refuse():
        current = os.path.join(repository, B, "CURRENT")
        with open(current, encoding="ascii") as file:
            before = file.read()
        with open(os.path.join(repository, B, "generations", "9.json"), "w", encoding="ascii") as file:
            file.write("{")
        replace(current, before.replace("2", "9"))
        for leaf in leaves:
            harness.eventually(lambda: leaf.state(B)["detail"] and leaf.readyz()[0] == 200, f"{leaf.name} refuses the generation")
            harness.expect(leaf.state(A) == {"collection": A, "ready": True, "generation": 1, "detail": ""}, leaf.state(A))
            harness.expect(harness.metric(leaf.http, "frond_leaf_generation_refused_total", collection=A) == 0, "refused")
        harness.expect(broker.search("links", collection=B, cache="off").generation == 2, "the generation before is not served")
        replace(current, before)
        harness.eventually(lambda: not any(leaf.state(B)["detail"] for leaf in leaves), "the leaves are content again")

    for change, what in ((publish, "added to and removed from"), (roll_back, "rolled back"), (refuse, "broken")):
        asked = watched(broker, A, change)
        print(f"{B} {what} under {asked} searches of {A}")

    def other():
        setting.build(repository, A, [setting.write_numbered("a2", 120, lambda n: f"number {n} link to links")], 4, stemmer="none")
        harness.eventually(lambda: broker.search("links", collection=A, cache="off").generation == 2, f"a new generation of {A}")
        same_answers(setting, repository, broker, A, *processors)

    asked = watched(broker, B, other)
    print(f"{A} published anew under {asked} searches of {B}")


def missing(setting, repository, broker, leaf):
    """The second leaf is started with a collection that is not published yet."""
    harness.end(leaf.process, "a leaf")
    leaf.start(B, C, A)
    harness.eventually(lambda: leaf.readyz()[0] == 200, "ready in spite of a collection that is not there", 60)
    harness.expect(not leaf.state(C)["ready"] and "repository" in leaf.state(C)["detail"], leaf.state(C))
    harness.expect(leaf.state(A)["ready"] and leaf.state(B)["ready"], leaf.readyz())
    for collection in (A, B):
        harness.eventually(lambda: broker.search("links", collection=collection, cache="off").whole, f"{collection} is whole again")
    setting.build(repository, C, [setting.write_numbered("c", 10, lambda n: f"number {n}")], 1)
    harness.eventually(lambda: leaf.state(C)["ready"] and leaf.generation(C) == 1, "the collection is served once it is published", 60)
    print("a collection that is not published keeps no other from being served")


def folders(setting, repository, broker, leaf):
    """The order of the flags does not matter to the files; those of a collection that is gone go."""
    kept = lambda: {os.path.basename(path): sorted(os.listdir(os.path.join(path, "partitions"))) for path in glob.glob(os.path.join(leaf.data, "collections", "*"))}
    root = lambda: sorted(os.listdir(os.path.join(leaf.data, "partitions")))
    harness.expect(set(kept()) == {B, C} and root(), f"{kept()}")
    fetched = lambda: harness.metric(leaf.http, "frond_leaf_fetched_bytes_total")
    harness.end(leaf.process, "a leaf")
    before = root()
    leaf.start(B, A)
    harness.eventually(lambda: leaf.readyz()[0] == 200, "two collections in another order", 60)
    harness.expect(fetched() == 0 and set(kept()) == {B} and root() == before, f"{fetched()} bytes fetched, {kept()}")
    harness.end(leaf.process, "a leaf")
    leaf.start(B)
    harness.eventually(lambda: leaf.readyz()[0] == 200 and "collections" not in leaf.readyz()[1], "one collection", 60)
    harness.expect(fetched() == 0 and root() == [], f"{fetched()} bytes fetched, {root()}")
    harness.eventually(lambda: broker.search("links", collection=B, cache="off").whole, f"{B} on a leaf of its own")
    harness.end(leaf.process, "a leaf")
    leaf.start(A, B)
    harness.eventually(lambda: leaf.readyz()[0] == 200 and root(), "both again", 60)
    for collection in (A, B):
        harness.eventually(lambda: broker.search("links", collection=collection, cache="off").whole, f"{collection} is whole again")
    print("folders of collections")


def wrong_flags(setting, repository):
    for named in ((A, A), ("..",), ("a/b",), ("",), tuple(f"c{n}" for n in range(65))):
        leaf = Leaf(setting, "wrong", repository, 0, 1)
        flags = [flag for name in named for flag in ("--collection", name)]
        done = subprocess.run([setting.program("frond-leaf"), *leaf.flags, *flags], capture_output=True, text=True, timeout=60)
        harness.expect(done.returncode == 2 and "--collection" in done.stderr, f"{named[:2]}: {done.returncode} {done.stderr}")
        harness.expect(not os.path.exists(leaf.data), "a folder was made")
    print("names that are none")


def test(setting):
    repository = setting.path("repository")
    body = lambda n: f"number {n} links to link {n % 7}" if n % 2 else f"number {n} link"
    setting.build(repository, A, [setting.write_numbered("a", 200, body)], 4, stemmer="none")
    setting.build(repository, B, [setting.write_numbered("b", 300, body)], 2, stemmer="porter")
    leaves = [Leaf(setting, f"leaf-{shard}", repository, shard, 2).start(*order) for shard, order in enumerate(((A, B), (A, B)))]
    broker = Broker(setting, "both", leaves, (A, B), "--threads", "2")
    one = Broker(setting, "only-second", leaves, (B,), "--threads", "1")
    for ready in (broker, one):
        harness.eventually(ready.ready, "a broker is ready", 60)
    for leaf in leaves:
        harness.eventually(lambda: leaf.readyz()[0] == 200, "a leaf is ready", 60)
    has_gpu = harness.metric(leaves[0].http, "frond_leaf_gpu_state", state="ready") == 1
    processors = ("auto", "cpu", "exhaustive") + (("gpu",) if has_gpu else ())
    for collection in (A, B):
        same_answers(setting, repository, broker, collection, *processors)
    same_answers(setting, repository, one, B, *processors)
    print("answers of clusters of one collection, by " + ", ".join(processors))
    metrics(leaves)
    harness.end(one.process, "the broker of the second collection")
    changes(setting, repository, broker, leaves, processors)
    missing(setting, repository, broker, leaves[1])
    folders(setting, repository, broker, leaves[1])
    wrong_flags(setting, repository)
    for leaf in leaves:
        harness.end(leaf.process, leaf.name)
    harness.end(broker.process, "the broker")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
