#!/usr/bin/env python3
"""A repository is deleted and made anew: its generation has the old number and other content. Leaves take it, brokers
answer from it, and nothing of the old one comes back: not from a cache, not from a leaf that started with old data.
"""
import json
import shutil

import harness

DOCUMENTS = 50
PARTITIONS = 4


def write(setting, name):
    """Documents of the collection `name`: each has a word of its own, and all have the word "every"."""
    path = setting.path(name + ".jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for number in range(DOCUMENTS):
            file.write(json.dumps({"id": f"{name}{number}", "title": "", "body": f"every {name}x{number}"}) + "\n")
    return path


def found(cluster, name):
    """How many documents of `name` their own word finds, by way of the cache."""
    ids = [[hit[0] for hit in cluster.search(f"{name}x{number}").ranking] for number in range(DOCUMENTS)]
    return sum(hits == [f"{name}{number}"] for number, hits in enumerate(ids))


def every(cluster):
    """The ids that a query has which was asked before, and is in the cache."""
    answer = cluster.search("every", k=DOCUMENTS)
    return sorted(hit[0] for hit in answer.ranking) if answer.whole else []


def ids(name):
    return sorted(f"{name}{number}" for number in range(DOCUMENTS))


def replace(setting, repository, name):
    shutil.rmtree(repository)
    setting.build(repository, "c", [write(setting, name)], PARTITIONS)
    harness.expect(harness.current(repository, "c") == 1, "the number did not come again: this test would prove nothing")


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

    # One leaf sleeps meanwhile. It begins with what it has from before, which nobody may mix with what the other serves.
    cluster.leaves[1].terminate()
    harness.expect(cluster.leaves[1].wait(30) == 0, "a leaf did not exit 0 at SIGTERM")
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
