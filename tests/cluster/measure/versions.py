#!/usr/bin/env python3
"""Two versions side by side: leaves and brokers of both in every combination over a repository that the older one built, and
an upgrade under load in the order of docs/operations.md, and newer leaves that start with the older ones' data while the
repository is away. Every answer must be the same to the byte, none degraded.

usage: versions.py --bin NEW --old OLD
"""
import os

import data  # noqa: F401  # where harness and random_text are
import harness
import random_text

parser = harness.arguments(__doc__)
parser.add_argument("--old", required=True, help="the folder of the older programs")
parsed = parser.parse_args()


class Mixed(harness.Cluster):
    """A cluster whose leaves and broker are each of a version of their own."""

    def __init__(self, setting, repository, versions, name):
        self.versions = versions
        super().__init__(setting, repository, "c", 2, name=name)

    def start_leaf(self, number):
        self.setting.programs = self.versions["leaf"]
        super().start_leaf(number)

    def start_broker(self):
        self.setting.programs = self.versions["broker"]
        super().start_broker()

    def replace(self, process, what, version, start):
        process.terminate()
        harness.expect(process.wait(30) == 0, f"a {what} did not exit 0 at SIGTERM")
        self.versions[what] = version
        start()


def upgrade(setting, repository, queries, reference):
    """No replicas: while a leaf is away its partitions are lacking, and answers say so."""
    old, new = parsed.old, parsed.bin
    cluster = Mixed(setting, repository, {"leaf": old, "broker": old}, "upgrade")
    watch = harness.Watch(cluster, queries, threads=2, seed=setting.rng.randrange(2**32))
    for number in range(2):
        cluster.replace(cluster.leaves[number], "leaf", new, lambda n=number: cluster.start_leaf(n))
        harness.eventually(lambda n=number: harness.fetch(cluster.leaf_http[n], "/readyz")[0] == 200, "the new leaf is ready")
        harness.eventually(lambda: cluster.search(queries[0][0], cache="off").whole, "the broker has the new leaf")
    cluster.replace(cluster.broker, "broker", new, cluster.start_broker)
    cluster.await_ready()
    watch.stop()
    right = watch.judge(lambda _, query, mode, k: reference[query, mode, k])
    print(f"upgrade under load: {watch.asked} answers, {right} different, all whole ones right; {watch.degraded} degraded while a "
          f"leaf was away, {watch.errors} not answered while the broker was")
    cluster.stop()


def upgrade_without_repository(setting, repository, queries, reference):
    """What an older leaf has in its data folder is all that a newer one needs."""
    cluster = Mixed(setting, repository, {"leaf": parsed.old, "broker": parsed.bin}, "away")
    for number in range(2):
        leaf = cluster.leaves[number]
        leaf.terminate()
        harness.expect(leaf.wait(30) == 0, "a leaf did not exit 0 at SIGTERM")
    published, away = os.path.join(repository, "c"), os.path.join(repository, "away")
    os.rename(published, away)
    cluster.versions["leaf"] = parsed.bin
    for number in range(2):
        cluster.start_leaf(number)
    harness.eventually(lambda: cluster.search(queries[0][0], cache="off").whole, "the broker has the new leaves")
    for number in range(2):
        folders = [os.path.join(f, name) for f, _, names in os.walk(setting.path(f"away-leaf{number}", "partitions")) for name in names]
        harness.expect(not any(f.endswith(("COMPLETE", "CURRENT")) for f in folders), "a database is left")
        harness.expect(sum(f.endswith("FILES") for f in folders) == 2, "partitions are not listed")
    for query in queries:
        answer = cluster.search(query[0], mode=query[1], k=query[2], cache="off")
        harness.expect(answer.whole and answer.hits == reference[query], "another answer without the repository")
    os.rename(away, published)
    cluster.stop()
    print(f"upgrade of the leaves without the repository: {len(queries)} answers are the same")


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    queries = [(q, mode, 10) for q in random_text.queries(rng, words, 30) for mode in ("and", "or", "auto")]
    texts = random_text.Collection(rng, 3000, words).write(setting.path("d.jsonl"))
    repositories = {}
    for name, programs in (("old", parsed.old), ("new", parsed.bin)):
        setting.programs = programs
        repositories[name] = setting.path(f"repository-{name}")
        setting.build(repositories[name], "c", [texts], 4)
    reference = None
    for leaf in (parsed.old, parsed.bin):
        for broker in (parsed.old, parsed.bin):
            for built in ("old", "new"):
                if built == "new" and leaf == parsed.old:
                    continue  # what a newer indexer writes, an older leaf may refuse
                name = f"{built}-{'old' if leaf == parsed.old else 'new'}-{'old' if broker == parsed.old else 'new'}"
                cluster = Mixed(setting, repositories[built], {"leaf": leaf, "broker": broker}, name)
                found = {q: cluster.search(q[0], mode=q[1], k=q[2], cache="off") for q in queries}
                harness.expect(all(a.whole for a in found.values()), f"{name}: a degraded answer")
                hits = {q: a.hits for q, a in found.items()}
                reference = reference or hits
                harness.expect(hits == reference, f"{name}: other answers than the old version's own")
                print(f"indexer-leaf-broker {name}: {len(hits)} answers are the same")
                cluster.stop()
    upgrade(setting, repositories["old"], queries, reference)
    upgrade_without_repository(setting, repositories["old"], queries, reference)


harness.run(test, parsed)
