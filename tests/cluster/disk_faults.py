#!/usr/bin/env python3
"""Faults of a leaf's disk: another leaf still holds the folder, the disk is full, a file is truncated before the leaf starts or while
it serves. The leaf lives, reports what is wrong, never answers wrongly, and fetches what it lost. And a log of the service that can't be
written for a while.
"""
import fcntl
import glob
import json
import os
import re
import resource
import subprocess
import time

import harness
import random_text
import writing


class LoneLeaf:
    """A leaf without brokers."""

    def __init__(self, setting, name, repository, *flags):
        self.setting, self.name, self.repository, self.flags = setting, name, repository, flags
        self.data, self.ports = setting.path(name + "-data"), harness.free_ports(2)
        self.start()

    def start(self, *more):
        self.process = self.setting.spawn(
            self.name, "frond-leaf", "--repository", self.repository, "--collection", "c", "--data", self.data,
            "--listen", f"tcp://127.0.0.1:{self.ports[0]}", "--http", f"127.0.0.1:{self.ports[1]}", *self.flags, *more)

    def probe(self, path):
        status, body = harness.fetch(self.ports[1], path)
        return status, body.decode()

    def ready(self):
        return self.probe("/readyz")[0] == 200

    def stop(self):
        harness.end(self.process, self.name)


def check_held_lock(setting, repository):
    """The folder is still held by the leaf before: the next one waits, says so, and takes over."""
    leaf = LoneLeaf(setting, "heir", repository)
    harness.eventually(leaf.ready, "the leaf is ready")
    leaf.stop()
    with open(os.path.join(leaf.data, "LOCK"), "r+", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        leaf.start()
        harness.eventually(lambda: leaf.probe("/readyz")[0] == 503 and leaf.probe("/livez")[0] == 200, "it lives and is not ready")
        harness.eventually(lambda: leaf.data in leaf.probe("/readyz")[1], "/readyz says what it waits for")
        harness.eventually(lambda: "another leaf has the data folder: waiting" in setting.log("heir"), "the log says what it waits for")
        time.sleep(1.5)
        harness.expect(leaf.process.poll() is None, "it did not wait")
        fcntl.flock(lock, fcntl.LOCK_UN)
        harness.eventually(leaf.ready, "it serves when the folder is free")
        leaf.stop()

        fcntl.flock(lock, fcntl.LOCK_EX)
        leaf.start()
        harness.eventually(lambda: leaf.probe("/livez")[0] == 200, "it waits")
        leaf.stop()  # SIGTERM ends the wait
        leaf.start("--lock-wait", "1")
        harness.expect(leaf.process.wait(30) == 2, f"exit {leaf.process.returncode} when nobody lets go of the folder")
        harness.expect("another leaf is using it" in setting.log("heir"), "it does not say why it ends")
    print("held lock: waits, takes over, obeys SIGTERM, gives up", flush=True)


def tables(cluster, partition):
    """The files of a partition on the leaf, the largest first."""
    found = glob.glob(os.path.join(cluster.setting.path(f"{cluster.name}-leaf0"), "partitions", partition, "*.sst"))
    harness.expect(found, f"partition {partition} is not on the leaf's disk")
    return sorted(found, key=os.path.getsize, reverse=True)


def partitions(cluster):
    return sorted(os.listdir(os.path.join(cluster.setting.path(f"{cluster.name}-leaf0"), "partitions")))


def cut(path, share):
    os.truncate(path, int(os.path.getsize(path) * share))


def ask_all(cluster, queries):
    """(whole answers, the reasons of the others by partition, all of them as the reference has them)"""
    whole, reasons = 0, {}
    for query in queries:
        answer = cluster.search(query, mode="or", k=10, cache="off", allow_partial="true")
        whole += answer.whole
        for lack in answer.degraded:
            reasons.setdefault(int(lack["partition"]), set()).add(lack["reason"])
    return whole, reasons


def check_cut_files(setting, cluster, repository, queries, reference):
    """Files of a serving leaf are cut short, one kind of damage after the other."""
    leaf = cluster.leaves[0]
    damages = [("every file to a tenth", lambda files: [cut(f, 0.1) for f in files]),
               ("the largest to half", lambda files: cut(files[0], 0.5)),
               ("the second to nothing", lambda files: cut(files[1], 0)),
               ("the last by a byte", lambda files: os.truncate(files[-1], os.path.getsize(files[-1]) - 1))]
    for number, (what, damage) in enumerate(damages):
        watch = harness.Watch(cluster, [(query, "or", 10) for query in queries], 2, setting.rng.randrange(1 << 30))
        victim = partitions(cluster)[number % 3]
        mended = harness.metric(cluster.leaf_http[0], "frond_leaf_generation_mended_total")
        os.rename(repository, repository + "-away")  # so that it stays as it is for a while
        damage(tables(cluster, victim))
        harness.eventually(lambda: "is damaged on this disk" in harness.fetch(cluster.leaf_http[0], "/readyz")[1].decode(), f"{what}: the leaf says so", 30)
        whole, reasons = ask_all(cluster, queries)
        harness.expect(leaf.poll() is None, f"{what}: the leaf ended: {leaf.returncode}")
        harness.expect(whole == 0 and len(reasons) == 1, f"{what}: {whole} whole answers, reasons {reasons}")
        harness.expect(set().union(*reasons.values()) == {"corrupt"}, f"{what}: reasons {reasons}")
        harness.eventually(lambda: harness.metric(cluster.leaf_http[0], "frond_leaf_partitions_damaged") == 1, f"{what}: the metric tells of the damage", 30)
        os.rename(repository + "-away", repository)
        harness.eventually(lambda: ask_all(cluster, queries)[0] == len(queries), f"{what}: answers are whole again", 90)
        harness.expect(harness.metric(cluster.leaf_http[0], "frond_leaf_generation_mended_total") == mended + 1, f"{what}: the metric tells of no repair")
        harness.eventually(lambda: harness.metric(cluster.leaf_http[0], "frond_leaf_partitions_damaged") == 0, f"{what}: the metric forgets it")
        watch.stop()
        right = watch.judge(lambda generation, query, mode, k: reference[query])
        harness.expect(watch.degraded > 0, f"{what}: nobody saw it")
        harness.expect(leaf.poll() is None, f"{what}: the leaf ended")
        print(f"{what}: {watch.asked} answers, {watch.degraded} without the partition, {right} different ones right", flush=True)
    log = setting.log(f"{cluster.name}-leaf0")
    harness.expect("a partition can't be read" in log, "the log names no term")
    harness.expect(re.search(r"a partition can't be read.*was cut short", log), "the log does not say what happened")


def check_cut_terms(setting, cluster, repository, words):
    """The file of the generation's document frequencies, of which those looked up lately are in memory."""
    (file,) = glob.glob(os.path.join(setting.path(f"{cluster.name}-leaf0"), "generations", "*.terms.sst"))
    os.rename(repository, repository + "-away")
    os.truncate(file, 100)
    harness.eventually(lambda: "is damaged on this disk" in harness.fetch(cluster.leaf_http[0], "/readyz")[1].decode(), "terms: the leaf says so")
    harness.expect(cluster.leaves[0].poll() is None, "terms: the leaf ended")
    os.rename(repository + "-away", repository)
    harness.eventually(lambda: all(cluster.search(word, cache="off").whole for word in words[:20]), "terms: answers are whole again", 90)
    print("term statistics: fetched anew", flush=True)


def check_cut_while_stopped(setting, cluster, queries, reference):
    for number, share in enumerate((0, 0.5, 0.999)):
        harness.end(cluster.leaves[0], "the leaf")
        cut(tables(cluster, partitions(cluster)[number])[number], share)
        cluster.start_leaf(0)
        harness.eventually(lambda: ask_all(cluster, queries)[0] == len(queries), f"cut to {share} while stopped: answers are whole", 90)
        harness.expect(all(cluster.search(q, mode="or", k=10, cache="off").hits == reference[q] for q in queries), "they are other answers")
    print("cut while the leaf was stopped: fetched anew", flush=True)


def check_full_disk(setting, repository, source):
    """A leaf on a small disk of its own: the second generation does not fit, the first is served on, and it says why."""
    data = setting.path("small-disk")
    os.makedirs(data)
    script = 'mount -t tmpfs -o size=$1 none "$2" && shift 2 && exec "$@"'
    allowed = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", "1m", data, "true"], capture_output=True, check=False)
    if allowed.returncode != 0:
        print(f"full disk: left out, no disk of our own can be had here: {allowed.stderr.decode()[-200:]}")
        return
    size = sum(os.path.getsize(f) for f in glob.glob(os.path.join(repository, "c", "partitions", "*", "*.sst")))
    (port, http) = harness.free_ports(2)
    with open(setting.path("small.log"), "ab") as log:
        leaf = subprocess.Popen(["unshare", "-rm", "sh", "-c", script, "sh", str(int(size * 1.5)), data, setting.program("frond-leaf"),
                                 "--repository", repository, "--collection", "c", "--data", data, "--listen", f"tcp://127.0.0.1:{port}",
                                 "--http", f"127.0.0.1:{http}", "--disk-reserve", "0"], stdout=log, stderr=log)
    setting.processes.append(leaf)
    harness.eventually(lambda: harness.fetch(http, "/readyz")[0] == 200, "the first generation fits")
    setting.build(repository, "c", [source], 3)
    second = harness.current(repository, "c")
    harness.eventually(lambda: f"fetching generation {second} needs" in harness.fetch(http, "/readyz")[1].decode(), "the leaf says what it lacks")
    status, body = harness.fetch(http, "/readyz")
    harness.expect(status == 200 and f'"generation":{second - 1}' in body.decode(), f"the old generation is not served on: {status} {body}")
    harness.end(leaf, "the leaf")
    print("full disk: stays with what it serves", flush=True)


def check_full_disk_of_a_build(setting, source):
    repository = setting.path("full-repository")
    command = setting.build_command(repository, "c", [source], 1, disk_reserve="1000TiB")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    harness.expect(done.returncode == 1 and "are to stay free; free are" in done.stderr, f"exit {done.returncode}: {done.stderr}")
    harness.expect(harness.current(repository, "c") is None, "something was published")


def check_log_that_may_not_grow(setting):
    """The service's log can't be written, for RocksDB for good: changes are refused until it can, and no longer."""
    os.makedirs(setting.path("written"))
    keys, key_file = writing.make_keys(setting)
    setting.before["frond-indexer"] = ("sh", "-c", 'trap "" XFSZ; exec "$@"', "sh")
    service = writing.Service(setting, setting.path("written"), keys, "--api-keys", key_file, "--refresh-ms", "3600000", name="full-log")
    add = lambda number: service.ask("POST", "/v1/collections/c/documents", writing.line(f"d{number}", ["word"]), key="write")
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    harness.expect(add(0)[0] == 200, "the first change was not taken")
    usual = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)
    for number in (1, 2):
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (1, usual[1]))
        for _ in range(2):
            harness.expect(add(9)[0] == 503, "a change was taken that can't be logged")
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, usual)
        harness.eventually(lambda number=number: add(number)[0] == 200, "changes are taken again")
    service.refresh()
    harness.expect(service.process.poll() is None, "the service ended")
    held = json.loads(service.expect(200, "GET", "/v1/collections/c"))
    harness.expect(held["documents"] == 3, f"not what was acknowledged: {held}")
    harness.end(service.process, "the service")
    print("a log that may not grow: goes on by itself", flush=True)


def test(setting):
    check_log_that_may_not_grow(setting)
    words = random_text.vocabulary(setting.rng, 60)
    source = random_text.Collection(setting.rng, 20000, words).write(setting.path("documents.jsonl"))
    queries = random_text.queries(setting.rng, words, 12)
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 3)
    check_held_lock(setting, repository)
    cluster = harness.Cluster(setting, repository, "c", 1, leaf_flags=("--poll-ms", "300"))
    reference = {query: cluster.search(query, mode="or", k=10, cache="off").hits for query in queries}
    check_cut_files(setting, cluster, repository, queries, reference)
    check_cut_terms(setting, cluster, repository, words)
    check_cut_while_stopped(setting, cluster, queries, reference)
    cluster.stop()
    check_full_disk_of_a_build(setting, source)
    check_full_disk(setting, repository, source)


harness.run(test, harness.arguments(__doc__).parse_args())
