#!/usr/bin/env python3
"""Documents with titles of 40 MB do no harm: they are found and shown with the beginning of their titles, all other searches are
answered meanwhile, and no connection to a leaf is lost. --indexer names the folder of an older indexer that did not truncate
titles, since a partition may be that old; today's truncates them.
"""
import json
import os
import threading

import harness
import random_text

LARGE = 40 << 20
MAX_TITLE = 1024  # common/text/limits.h


class Replicated(harness.Cluster):
    """Each leaf has all partitions: what one fails at, the other is asked for."""

    def start_leaf(self, number):
        self.leaves[number] = self.setting.spawn(
            f"{self.name}-leaf{number}", "frond-leaf", "--repository", self.repository, "--collection", self.collection,
            "--data", self.setting.path(f"{self.name}-leaf{number}"), "--listen", f"tcp://127.0.0.1:{self.leaf_ports[number]}",
            "--http", f"127.0.0.1:{self.leaf_http[number]}")


def write(setting, path):
    words = random_text.vocabulary(setting.rng, 300)
    collection = random_text.Collection(setting.rng, 2000, words)
    collection.write(path)
    with open(path, "a", encoding="utf-8") as file:
        for number in range(2):
            title = ("zzlarge " + "".join(setting.rng.choices("abcdefghij ", k=1000)) + " ") * (LARGE // 1009)
            file.write(json.dumps({"id": f"large{number}", "title": title, "body": "zzlarge body"}) + "\n")
    return words


def test(setting):
    source = setting.path("documents.jsonl")
    words = write(setting, source)
    repository = setting.path("repository")
    own, setting.programs = setting.programs, os.path.abspath(parsed.indexer or setting.programs)
    setting.build(repository, "c", [source], 2, memory_limit="1GiB")
    setting.programs = own
    cluster = Replicated(setting, repository, "c", 2)
    queries = [(" ".join(setting.rng.sample(words, 2)), "or", 10) for _ in range(50)]
    watch = harness.Watch(cluster, queries, 4, setting.rng.randrange(2**32))
    failures = []

    def ask_for_large():
        for _ in range(15):
            try:
                answer = harness.fetch(cluster.http, "/v1/search?q=zzlarge&k=2&cache=off&timeout_ms=20000")
                hits = json.loads(answer[1]).get("hits", [])
                if answer[0] != 200 or len(hits) != 2 or any(len(hit["title"].encode()) > MAX_TITLE for hit in hits):
                    failures.append((answer[0], len(hits), answer[1][:200]))
            except OSError as error:
                failures.append(error)

    threads = [threading.Thread(target=ask_for_large) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    watch.stop()
    print(f"{watch.asked} other searches, {watch.errors} refused, {watch.degraded} degraded; of 60 for large documents {len(failures)} failed")
    harness.expect(not failures, f"searches for large documents: {failures[:3]}")
    harness.expect(watch.asked > 50 and watch.errors == 0 and watch.degraded == 0, "other searches suffer")
    harness.expect('"leaf down"' not in setting.log("c-broker"), "a leaf was taken for dead")
    cluster.stop()


parser = harness.arguments(__doc__)
parser.add_argument("--indexer", help="the folder of an older frond-indexer")
parsed = parser.parse_args()
harness.run(test, parsed)
