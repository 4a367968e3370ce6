"""Two shards of two replicas each, two brokers, and an indexer's service whose repository they read: collection `s` is searched, `c` written."""
import json
import os
import subprocess
import time

import harness
import open_load
import random_text
import writing

SHARDS, REPLICAS, PARTITIONS = 2, 2, 4
STORED = "s3://bucket/faults"


class World:
    http = property(lambda self: self.brokers_http[0])  # as of a harness.Cluster

    def __init__(self, setting, documents, store=None, made=None):
        """`store`: an object store (tests/objects/store.py) that all read and write; none: a folder that the service serves. `made`: what `c` is made of."""
        self.setting, self.rng, self.name = setting, setting.rng, "stored-" if store else ""
        self.folder, self.flags = (STORED, store.arguments()) if store else (setting.path("repository"), [])
        os.makedirs(setting.path("repository"), exist_ok=True)
        self.words = random_text.vocabulary(setting.rng, 400)
        self.sources = {name: random_text.Collection(setting.rng, documents, self.words, name=name).write(setting.path(name + ".jsonl")) for name in "ab"}
        queries = [(query, mode, k) for query in random_text.queries(setting.rng, self.words, 12) for mode in ("and", "or") for k in (3, 20)]
        self.reference = open_load.Reference(queries)
        keys, key_file = setting.keys = getattr(setting, "keys", None) or writing.make_keys(setting)
        self.service_flags = ["--api-keys", key_file, "--refresh-ms", "100", "--memory-limit", "128MiB",
                              *(self.flags or ["--lease-seconds", "3"])]
        self.publish("b")
        self.service = writing.Service(setting, self.folder, keys, "--state", setting.path(self.name + "first"), *self.service_flags,
                                       name=self.name + "first")
        self.service.expect(201, "PUT", "/v1/collections/c", made, key="admin")
        self.service.expect(200, "POST", "/v1/collections/c/documents", writing.line("begin", ["begin"]), key="write")
        self.service.refresh()
        count = SHARDS * REPLICAS
        ports = harness.free_ports(2 * count + 2)
        self.leaf_ports, self.leaf_http, self.brokers_http = ports[:count], ports[count:2 * count], ports[2 * count:]
        self.leaf_repository = f"http://127.0.0.1:{self.service.port}/repository" if store is None else STORED
        self.leaves, self.brokers = [None] * count, [None] * len(self.brokers_http)
        for number in range(count):
            self.start_leaf(number)
        for number in range(len(self.brokers)):
            self.start_broker(number)
        self.await_recovered(60)
        self.learn()

    def learn(self):
        """What each of two generations answers."""
        self.reference.learn(self.http, "b")
        self.publish("a")
        self.await_recovered(60)
        self.reference.learn(self.http, "a")

    def start_leaf(self, number, *before):
        self.setting.before["frond-leaf"] = before
        self.leaves[number] = self.setting.spawn(
            f"{self.name}leaf{number}", "frond-leaf", "--repository", self.leaf_repository, "--collection", "c", "--collection", "s", "--data", self.data(number),
            "--listen", f"tcp://127.0.0.1:{self.leaf_ports[number]}", "--http", f"127.0.0.1:{self.leaf_http[number]}", "--shard",
            f"{number % SHARDS}/{SHARDS}", "--cpu-threads", "1", "--gpu", "off", "--poll-ms", "200", "--disk-reserve", "0",
            "--host-cache", "0", "--document-cache", "0", "--term-cache", "0",  # so that damaged files are read
            *(self.flags if self.leaf_repository == self.folder else ()))

    def start_broker(self, number, *before):
        self.setting.before["frond-broker"] = before
        leaves = [flag for port in self.leaf_ports for flag in ("--leaf", f"tcp://127.0.0.1:{port}")]
        self.brokers[number] = self.setting.spawn(f"{self.name}broker{number}", "frond-broker", "--http", f"127.0.0.1:{self.brokers_http[number]}",
                                                  "--collection", "c", "--collection", "s", "--threads", "1", *leaves)

    def data(self, number):
        return self.setting.path(f"{self.name}leaf{number}-data")

    def publish(self, content):
        """A generation of `s` with other documents."""
        before = harness.current(self.folder, "s") if os.path.isdir(self.folder) else max(self.reference.content_of, default=0)
        if before is not None:
            self.reference.content_of[before + 1] = content
        scratch = {"scratch": self.setting.path("scratch")} if self.folder == STORED else {}
        self.setting.build(self.folder, "s", [self.sources[content]], PARTITIONS, memory_limit="128MiB", **scratch,
                           **{flag[2:].replace("-", "_"): value for flag, value in zip(self.flags[::2], self.flags[1::2])})
        self.generation = (before or 0) + 1

    def lacking(self):
        """What keeps the cluster from being as it was before; empty: nothing."""
        for port in self.brokers_http:
            status, body = harness.fetch(port, "/v1/collections/s/cluster", timeout=5)
            cluster = json.loads(body)
            harness.expect(status == 200, f"{status} {body[:300]}")
            if cluster["generation"] != self.generation:
                return f"generation {cluster['generation']} instead of {self.generation}"
            for leaf in cluster["leaves"]:
                if not leaf["healthy"] or leaf.get("detail") or self.generation not in [one["generation"] for one in leaf["generations"]]:
                    return f"{leaf['address']}: {leaf.get('error', '')}{leaf.get('detail', '')}"
            if any(len(one["leaves"]) != REPLICAS for one in cluster["partitions"]):
                return "a partition lacks a replica"
            if open_load.ask(port, *self.reference.queries[0], "off", 5000)[1].get("coverage", {}).get("degraded") != []:
                return "not whole"
        return ""

    def await_recovered(self, seconds=40):
        """How long it took."""
        begin, lack = time.monotonic(), [""]

        def whole():
            lack[0] = "no answer"
            lack[0] = self.lacking()
            return not lack[0]

        try:
            harness.eventually(whole, "the cluster is as before", seconds)
        except harness.Failure as failure:
            raise harness.Failure(f"{failure}: {lack[0]}") from failure
        return time.monotonic() - begin

    def search(self, query, **parameters):
        return harness.Cluster.search(self, query, **parameters)

    def check(self, collection):
        done = subprocess.run([self.setting.program("frond-indexer"), "check", "--repository", self.folder, "--collection", collection, *self.flags],
                              capture_output=True, text=True, timeout=300)
        harness.expect(done.returncode == 0, f"check of {collection}: {done.stdout[-800:]}{done.stderr[-800:]}")
