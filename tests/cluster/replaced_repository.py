#!/usr/bin/env python3
"""A repository is deleted and built again: its generation has the old number and other content. Leaves take it, brokers answer
from it, and nothing of the old one is answered: not from a cache, and not from a leaf that starts with old data.
"""
import shutil

import harness

DOCUMENTS = 50
PARTITIONS = 4


def write(setting, name):
    """Documents of the collection `name`: each has a word of its own, and all have the word "every"."""
    return setting.write_numbered(name, DOCUMENTS, lambda number: f"every {name}x{number}")


def found(cluster, name):
    """How many documents of `name` are found by their own word; the cache may answer."""
    ids = [[hit[0] for hit in cluster.search(f"{name}x{number}").ranking] for number in range(DOCUMENTS)]
    return sum(hits == [f"{name}{number}"] for number, hits in enumerate(ids))


def every(cluster):
    """The ids that a query finds whose answer is in the cache."""
    answer = cluster.search("every", k=DOCUMENTS)
    return sorted(hit[0] for hit in answer.ranking) if answer.whole else []


def ids(name):
    return sorted(f"{name}{number}" for number in range(DOCUMENTS))


def replace(setting, repository, name):
    shutil.rmtree(repository)
    setting.build(repository, "c", [write(setting, name)], PARTITIONS)
    harness.expect(harness.current(repository, "c") == 1, "the generation has another number: this test would prove nothing")


def test(setting):
    repository = setting.path("repository")
    setting.build(repository, "c", [write(setting, "a")], PARTITIONS)
    cluster = harness.Cluster(setting, repository, "c", 2)
    harness.expect(found(cluster, "a") == DOCUMENTS and every(cluster) == ids("a"), "the first repository is not served")
    harness.expect(cluster.search("every", k=DOCUMENTS).cache == "hit", "the cache is not warm")

    replace(setting, repository, "b")
    harness.eventually(lambda: every(cluster) == ids("b"), "what was cached is answered from the new repository", 20)
    harness.expect(found(cluster, "b") == DOCUMENTS, f"{found(cluster, 'b')} of {DOCUMENTS} documents are found")
    harness.expect(found(cluster, "a") == 0, f"{found(cluster, 'a')} of {DOCUMENTS} documents that are gone are found")

    # One leaf is stopped meanwhile. It starts with its old data, which no answer may mix with what the other leaf serves.
    harness.end(cluster.leaves[1], "a leaf")
    replace(setting, repository, "c")
    harness.eventually(lambda: setting.log("c-leaf0").count("serving a generation") == 3, "the leaf that runs takes it", 20)
    cluster.start_leaf(1)
    mixed = 0

    def settled():
        nonlocal mixed
        answer = cluster.search("every", k=DOCUMENTS, allow_partial="true", cache="off")
        names = {hit[0][0] for hit in answer.ranking}
        mixed += len(names) > 1
        return names == {"c"} and answer.whole and found(cluster, "c") == DOCUMENTS

    harness.eventually(settled, "the third repository is served", 20)
    harness.expect(mixed == 0, f"{mixed} answers had documents of two repositories")
    harness.expect(found(cluster, "b") == 0 and every(cluster) == ids("c"), "documents that are gone are found")
    cluster.stop()
    print(f"{DOCUMENTS} of {DOCUMENTS} documents found after each of two replacements, none that was gone")


harness.run(test, harness.arguments(__doc__).parse_args())
