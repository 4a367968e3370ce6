#!/usr/bin/env python3
"""A generation is published, and one shard takes it late or never: answers stay whole, from the old generation, even when all
queries are cached or there are none. A broker that starts without a shard serves the others after a while. Each shard's leaf reads its own copy of the repository, so that one can be late.
"""
import json
import os
import shutil
import time

import harness

DOCUMENTS = 200
PARTITIONS = 4
IDLE_SECONDS = 8  # several times the grace time
GRACE_SECONDS = 1


def write(setting, name):
    return setting.write_numbered(name, DOCUMENTS, lambda number: f"every word{number % 20} {name}{number}")


def copy_of(source, target):
    """Copies a collection as an operator would: CURRENT last."""
    os.makedirs(target, exist_ok=True)
    for folder in ("partitions", "generations"):
        shutil.copytree(os.path.join(source, folder), os.path.join(target, folder), dirs_exist_ok=True)
    shutil.copy(os.path.join(source, "CURRENT"), os.path.join(target, "CURRENT.new"))
    os.rename(os.path.join(target, "CURRENT.new"), os.path.join(target, "CURRENT"))


class Shards(harness.Cluster):
    """Leaf 0 follows `repository`, leaf 1 a copy of it."""

    def start_leaf(self, number):
        repository, self.repository = self.repository, self.repository if number == 0 else self.repository + "-late"
        super().start_leaf(number)
        self.repository = repository

    def generation_of(self, number):
        return harness.metric(self.leaf_http[number], "frond_leaf_generation")

    def expect_whole(self, generation, what, **parameters):
        answer = self.search("every", k=10, **parameters)
        harness.expect(answer.whole, f"{what}: degraded: {answer.degraded}")
        harness.expect(answer.generation == generation, f"{what}: answered from generation {answer.generation}, not {generation}")
        harness.expect(answer.total[0] == DOCUMENTS, f"{what}: {answer.total[0]} documents")


def corrupt_late_shard(late, generation):
    """Flips a byte in a partition of shard 1 that belongs to this generation only."""
    with open(os.path.join(late, "generations", f"{generation}.json"), encoding="utf-8") as file:
        partition = json.load(file)["manifest"]["partitions"][1]
    path = os.path.join(late, "partitions", partition["id"], partition["files"][0]["name"])
    with open(path, "r+b") as file:
        file.seek(10)
        byte = file.read(1)[0]
        file.seek(10)
        file.write(bytes([byte ^ 0xff]))


def idle(cluster, generation, what):
    """First only cached queries, then none, then one that is not cached."""
    end = time.monotonic() + IDLE_SECONDS / 2
    while time.monotonic() < end:
        cluster.expect_whole(generation, f"{what}, cached")
        time.sleep(0.05)
    time.sleep(IDLE_SECONDS / 2)
    cluster.expect_whole(generation, f"{what}, after nobody asked for a while", cache="off")


def start_without(cluster, number):
    """Brokers that start while a shard is away: out of service for a while, then ready and degraded, and whole when it is back."""
    harness.end(cluster.leaves[number], "a leaf")
    for threads in (1, 2):
        harness.end(cluster.broker, "the broker")
        cluster.broker_flags = ("--ready-without-all-after", 4, "--threads", threads)
        began = time.monotonic()
        cluster.start_broker()
        readiness = lambda: harness.fetch(cluster.http, "/readyz", timeout=5)
        harness.eventually(lambda: readiness()[0] == 503 and b"every partition: 2 of 4 partitions have no leaf" in readiness()[1], "it says what it waits for")
        harness.expect(time.monotonic() < began + 4, "the machine is too busy to see it wait")
        harness.eventually(lambda: readiness()[0] == 200, "it is ready without the shard", 20)
        harness.expect(time.monotonic() >= began + 4, "it did not wait")
        harness.expect(readiness()[1] == b"ready, degraded: 2 of 4 partitions have no leaf\n", f"/readyz: {readiness()}")
        harness.expect(harness.metric(cluster.http, "frond_broker_partition_replicas_least") == 0, "the metric says that all have leaves")
        answer = cluster.search("every", k=10)
        harness.expect([one["reason"] for one in answer.degraded] == ["unavailable"] * 2 and answer.total[0] == DOCUMENTS / 2, f"{answer.degraded}, {answer.total}")
    cluster.start_leaf(number)
    harness.eventually(lambda: readiness() == (200, b"ready\n"), "it is whole again")
    harness.expect(cluster.search("every", k=10, cache="off").whole, "answers are not whole again")


def test(setting):
    repository = setting.path("repository")
    folder, late = os.path.join(repository, "c"), os.path.join(repository + "-late", "c")
    setting.build(repository, "c", [write(setting, "a")], PARTITIONS)
    copy_of(folder, late)
    cluster = Shards(setting, repository, "c", 2, leaf_flags=("--grace-seconds", GRACE_SECONDS, "--poll-ms", 200))
    cluster.expect_whole(1, "at first")

    setting.build(repository, "c", [write(setting, "b")], PARTITIONS)
    harness.eventually(lambda: cluster.generation_of(0) == 2, "the fast shard takes generation 2")
    idle(cluster, 1, "while a shard is late")
    harness.expect(cluster.generation_of(1) == 1, "the late shard was not late")

    copy_of(folder, late)
    harness.eventually(lambda: cluster.search("every", cache="off").generation == 2, "the late shard came: generation 2 is served")
    cluster.expect_whole(2, "when the late shard came")
    harness.eventually(lambda: harness.metric(cluster.leaf_http[0], "frond_leaf_generations_served") == 1, "the old generation goes when the broker has left it")
    cluster.expect_whole(2, "when the old one went", cache="off")

    setting.build(repository, "c", [write(setting, "c")], PARTITIONS)
    copy_of(folder, late + ".next")
    corrupt_late_shard(late + ".next", 3)
    copy_of(late + ".next", late)
    harness.eventually(lambda: cluster.generation_of(0) == 3, "the fast shard takes generation 3")
    harness.eventually(lambda: b"refused" in harness.fetch(cluster.leaf_http[1], "/readyz")[1], "the other shard refuses it")
    idle(cluster, 2, "while a shard never comes")
    harness.end(cluster.broker, "the broker")
    time.sleep(IDLE_SECONDS / 2)
    cluster.start_broker()
    cluster.await_ready()
    idle(cluster, 2, "with another broker")
    harness.end(cluster.leaves[0], "the fast leaf")  # what an operator would try first
    cluster.start_leaf(0)
    harness.eventually(lambda: cluster.search("every", cache="off").whole, "whole answers when the fast leaf is back")
    idle(cluster, 2, "when the fast leaf was restarted")
    start_without(cluster, 1)
    cluster.stop()
    print("every answer was whole while a shard was late, and while one never came")


harness.run(test, harness.arguments(__doc__).parse_args())
