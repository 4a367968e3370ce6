#!/usr/bin/env python3
"""A byte of a served file changes on a leaf's disk. The leaf finds it, names it, leaves the partition to the other replica, and
fetches that one file anew as soon as it can; no answer is wrong, and none is missing.
"""
import glob
import hashlib
import os

import harness
import random_text


class Replicas(harness.Cluster):
    """All leaves serve all partitions."""

    def start_leaf(self, number):
        self.leaves[number] = self.setting.spawn(
            f"{self.name}-leaf{number}", "frond-leaf", "--repository", self.repository, "--collection", self.collection,
            "--data", self.setting.path(f"{self.name}-leaf{number}"), "--listen", f"tcp://127.0.0.1:{self.leaf_ports[number]}",
            "--http", f"127.0.0.1:{self.leaf_http[number]}", *self.leaf_flags)


def digests(folder):
    found = {}
    for name in glob.glob(os.path.join(folder, "partitions", "*", "*.sst")):
        with open(name, "rb") as file:
            found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


def flip(path):
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))


def test(setting):
    words = random_text.vocabulary(setting.rng, 60)
    source = random_text.Collection(setting.rng, 5000, words).write(setting.path("documents.jsonl"))
    queries = random_text.queries(setting.rng, words, 12)
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 2)
    cluster = Replicas(setting, repository, "c", 2, leaf_flags=("--poll-ms", "200", "--scrub-interval", "1"))
    reference = {query: cluster.search(query, mode="or", k=10, cache="off").hits for query in queries}
    for http in cluster.leaf_http:
        harness.eventually(lambda: harness.fetch(http, "/readyz")[0] == 200, "all leaves are ready")
    port, data = cluster.leaf_http[0], setting.path("c-leaf0")
    before = digests(data)

    watch = harness.Watch(cluster, [(query, "or", 10) for query in queries], 2, setting.rng.randrange(1 << 30))
    os.rename(repository, repository + "-away")
    victim = max(before, key=os.path.getsize)
    fetched = harness.metric(port, "frond_leaf_fetched_bytes_total")
    size = os.path.getsize(victim)
    flip(victim)
    harness.eventually(lambda: victim in harness.fetch(port, "/readyz")[1].decode(), "/readyz names the file", 20)
    harness.eventually(lambda: harness.metric(port, "frond_leaf_partitions_damaged") == 1, "the metric tells of the partition", 5)
    harness.expect(harness.metric(port, "frond_leaf_scrub_damaged_files_total") >= 1, "the metric tells of no file")
    for query in queries:
        answer = cluster.search(query, mode="or", k=10, cache="off")
        harness.expect(answer.whole and answer.hits == reference[query], f"{query}: {answer.degraded}")
    log = setting.log("c-leaf0")
    for text in ("a file on this disk has changed or is gone", '"file":"', '"expected":"', "could not be fetched anew"):
        harness.expect(log.count(text) == 1, f"{log.count(text)} times {text!r} in the log")

    os.rename(repository + "-away", repository)
    harness.eventually(lambda: harness.metric(port, "frond_leaf_partitions_damaged") == 0, "it is fetched anew", 20)
    harness.expect(harness.metric(port, "frond_leaf_fetched_bytes_total") - fetched == size, "another file was fetched, too")
    harness.expect(sorted(digests(data).values()) == sorted(before.values()), "other files than before")
    watch.stop()
    right = watch.judge(lambda generation, query, mode, k: reference[query])
    harness.expect(watch.degraded == 0 and watch.errors == 0, f"{watch.degraded} answers lack a partition, {watch.errors} failed")
    print(f"{watch.asked} answers, all whole, {right} different ones right", flush=True)
    cluster.stop()


harness.run(test, harness.arguments(__doc__).parse_args())
