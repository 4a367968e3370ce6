#!/usr/bin/env python3
"""Collections that are made, written and removed while a broker and a leaf with --collection '*' run: followed within seconds; what a
removed one had (threads, files, metrics) is gone; one of the same name begins anew; more than are served are told of."""
import json
import os

import harness
from elasticsearch_cluster import Cluster

SETTINGS = json.dumps({"schema": {"fields": {"title": {"type": "text"}}}})


class Own(Cluster):
    """By the broker's own API."""

    def make(self, name):
        self.expect(201, "PUT", f"/v1/collections/{name}", SETTINGS, port=self.http)

    def write(self, name, *words):
        body = "".join(json.dumps({"id": word, "title": word}) + "\n" for word in words)
        self.expect(200, "POST", f"/v1/collections/{name}/documents", body, port=self.http, kind="application/x-ndjson")
        self.expect(200, "POST", f"/v1/collections/{name}/refresh", port=self.http)

    def remove(self, name):
        self.expect(200, "DELETE", f"/v1/collections/{name}", port=self.http)

    def names(self):
        return self.ask("GET", "/v1/collections", port=self.http)[1]["collections"]

    def metrics(self, port):
        return self.ask("GET", "/metrics", port=port)[1]


def threads(process):
    """Of collections, by name."""
    names = []
    for task in os.listdir(f"/proc/{process.pid}/task"):
        try:
            with open(f"/proc/{process.pid}/task/{task}/comm", encoding="utf-8") as file:
                names.append(file.read().strip())
        except OSError:
            continue  # it has just ended
    return sum(name in ("leaf-follower", "leaf-announce") for name in names)


def test(setting):
    cluster = Own(setting)
    harness.expect(cluster.names() == [], "there are collections")
    harness.expect(threads(cluster.leaf_process) == 0, "threads of no collection")
    for name in ("one", "two"):
        cluster.make(name)
        cluster.write(name, "alpha", name)
    for name in ("one", "two"):
        harness.eventually(lambda: cluster.count(name, "alpha") == 1, f"{name} is searched", 5)
    harness.expect(cluster.names() == ["one", "two"] and cluster.count("two", "one") == 0, "each has its own documents")
    harness.expect(threads(cluster.leaf_process) == 4, f"{threads(cluster.leaf_process)} threads of two collections")
    for port in (cluster.http, cluster.leaf_http):
        harness.expect('collection="two"' in cluster.metrics(port), "no metric names the collection")

    cluster.remove("two")
    harness.eventually(lambda: cluster.names() == ["one"], "the broker knows the removal", 5)
    harness.expect(cluster.count("two", "alpha") == -1 and cluster.count("one", "alpha") == 1, "what remains")
    harness.eventually(lambda: threads(cluster.leaf_process) == 2, "its threads end", 10)
    harness.eventually(lambda: not any('collection="two"' in cluster.metrics(port) for port in (cluster.http, cluster.leaf_http)), "its metrics go", 10)
    harness.eventually(lambda: not os.path.exists(setting.path("leaf", "collections", "two")), "its files go", 10)

    cluster.make("two")
    cluster.write("two", "beta")
    harness.eventually(lambda: cluster.count("two", "beta") == 1, "the new one is searched", 5)
    harness.expect(cluster.count("two", "alpha") == 0, "it has documents of the old one")
    for round in range(5):  # made and removed as fast as it goes, while the other one is searched
        cluster.make("brief")
        cluster.write("brief", "gamma")
        cluster.remove("brief")
        harness.expect(cluster.count("one", "alpha") == 1, "another collection is not searched meanwhile")
    harness.eventually(lambda: cluster.names() == ["one", "two"], "the brief ones are gone", 5)

    cluster.stop()
    cluster.start()
    harness.eventually(lambda: (cluster.count("one", "alpha"), cluster.count("two", "beta")) == (1, 1), "both are searched after a restart", 15)
    cluster.stop()
    print("collections come and go")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
