#!/usr/bin/env python3
"""Two services and one collection in an object store. The writer is stopped (SIGSTOP) beyond its lease: the other one takes over, and what
the first one publishes when it goes on is refused. What a log still has then is set aside, and no log is given up unless that is told.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402
import writing  # noqa: E402
from store import PLACE, faulty  # noqa: E402

DOCUMENTS = "/v1/collections/c/documents"


def post(service, name, *words, status=200):
    return service.expect(status, "POST", DOCUMENTS, writing.line(name, words), key="write")


def current(service):
    """(generation, epoch)"""
    return tuple(int(part) for part in service.expect(200, "GET", "/repository/c/CURRENT").split())


def readiness(service):
    return json.loads(service.expect(200, "GET", "/readyz"))


def await_writing(service):
    begin = time.monotonic()
    harness.eventually(lambda: service.state()["state"] == "writing", f"{service.name} takes over", 30)
    print(f"{service.name} writes after {time.monotonic() - begin:.1f} s", flush=True)


def ids(cluster, word):
    return sorted(name for name, _ in cluster.search(word, cache="off", k=1000).ranking)


def logged(setting, name, message):
    return [json.loads(line) for line in setting.log(name).splitlines() if line.startswith("{") and f'"{message}' in line]


def check_stopped(setting, first, second, cluster):
    """The first one is stopped with changes that it has accepted and not published."""
    post(first, "published", "word", "old")
    first.refresh()
    post(first, "published", "word", "changed")
    post(first, "waits", "word")
    first.expect(200, "DELETE", DOCUMENTS + "/gone", key="write")
    harness.expect(readiness(second)["standby"].keys() == {"c"} and readiness(first)["writing"] == 1, "not one writer")
    post(second, "refused", "word", status=503)
    time.sleep(1.5)  # its next renewal says that three wait
    first.process.send_signal(signal.SIGSTOP)
    await_writing(second)
    harness.expect(current(second)[1] == 2, f"{current(second)}")
    taken = logged(setting, "second", "a collection is taken over without the log")
    harness.expect(len(taken) == 1 and taken[0]["waiting_when_last_heard_of"] == "3", f"{taken}")
    post(second, "published", "word", "new")
    post(second, "theirs", "word")
    generation = second.refresh()["generation"]
    first.process.send_signal(signal.SIGCONT)
    harness.expect(first.ask("POST", DOCUMENTS, writing.line("late", ["word"]), key="write")[0] == 503, "an overtaken service accepts")
    harness.expect(first.ask("POST", "/v1/collections/c/refresh", key="write")[0] in (200, 503), "a refresh hangs")
    harness.eventually(lambda: readiness(first)["standby"].keys() == {"c"}, "the first service stands by")
    harness.expect(first.ask("POST", "/v1/collections/c/rollback", key="admin")[0] == 503, "an overtaken service rolls back")
    harness.expect(current(second) == (generation, 2), f"{current(second)} after {generation}")
    harness.expect(len(logged(setting, "first", "the lease of a collection is lost")) == 1, "nothing tells of the lost lease")
    harness.eventually(lambda: ids(cluster, "word") == ["published", "theirs"], "what the second published is searched")
    harness.expect(ids(cluster, "new") == ["published"] and ids(cluster, "changed") == [], "an older change came after a newer one")


def check_set_aside(setting, first, second, cluster):
    """The second one ends, and publishes what it had accepted: the first may follow. What that had accepted is in a file."""
    post(second, "last", "word")
    harness.end(second.process, "the second service")
    await_writing(first)
    folder = setting.path("first", "bucket", "deep", "prefix", "c")
    files = [name for name in os.listdir(folder) if name.startswith("overtaken-")]
    harness.expect(len(files) == 1, f"{files}")
    with open(os.path.join(folder, files[0]), encoding="utf-8") as file:
        aside = [json.loads(line) for line in file]
    harness.expect([one.get("id", one.get("removed")) for one in aside] == ["published", "waits", "gone"], f"{aside}")
    harness.expect(harness.metric(first.port, "frond_indexer_set_aside_changes_total") == 3, "they are not counted")
    post(first, "ours", "word")
    first.refresh()
    harness.eventually(lambda: ids(cluster, "word") == ["last", "ours", "published", "theirs"], "the first service's are searched")
    harness.expect(ids(cluster, "new") == ["published"], "what was set aside is published")


def check_kept(setting, first, third, cluster):
    """A service that dies with accepted changes is not followed by one without its log, unless that is told; it goes on itself."""
    post(first, "kept", "word")
    time.sleep(1.5)
    harness.kill9(first.process)
    harness.eventually(lambda: "--take-over" in readiness(third)["standby"]["c"], "the third service says why it does not follow", 30)
    post(third, "refused", "word", status=503)
    first.start()
    await_writing(first)
    first.refresh()
    harness.eventually(lambda: ids(cluster, "word") == ["kept", "last", "ours", "published", "theirs"], "the change is there")


def check_stopped_anywhere(setting, keys, flags, store):
    """Stopped at a random instant while it publishes again and again. Whoever follows has what was published; nothing comes after it."""
    names = ("left", "right")
    services = [writing.Service(setting, PLACE, keys, "--state", setting.path(name), *flags, "--take-over", "any-log", "--refresh-ms", "20", name=name)
                for name in names]
    services[0].expect(201, "PUT", "/v1/collections/d", key="admin")
    harness.eventually(lambda: "d" in readiness(services[1])["standby"], "the other service has seen it")
    for number in range(2):
        writer, other = services[number % 2], services[1 - number % 2]
        harness.eventually(lambda w=writer: w.state("d")["state"] == "writing", f"{writer.name} writes", 30)
        over = threading.Event()

        def write(service=writer, stop=over):
            count = 0
            while not stop.is_set():
                try:
                    service.ask("POST", "/v1/collections/d/documents", writing.line(f"n{count}", ["word"]), key="write")
                except OSError:
                    return
                count += 1
        thread = threading.Thread(target=write, daemon=True)
        thread.start()
        time.sleep(setting.rng.uniform(0.5, 1.5))
        writer.process.send_signal(signal.SIGSTOP)
        over.set()
        harness.eventually(lambda o=other: o.state("d")["state"] == "writing", f"{other.name} takes over", 30)
        writer.process.send_signal(signal.SIGCONT)
        thread.join(60)
        other.expect(200, "POST", "/v1/collections/d/documents", writing.line(f"after {number}", ["word"]), key="write")
        generation = other.refresh("d")["generation"]
        harness.eventually(lambda w=writer: "d" in readiness(w)["standby"], f"{writer.name} stands by", 30)
        line = other.expect(200, "GET", "/repository/d/CURRENT").split()
        harness.expect(int(line[0]) >= generation, f"generation {line[0]} after {generation}")
        checked = subprocess.run([setting.program("frond-indexer"), "check", "--repository", PLACE, "--collection", "d", "--scratch", setting.path("check"),
                                  *store.arguments()], capture_output=True, text=True, timeout=300)
        harness.expect(checked.returncode == 0, f"check: {checked.stdout[-1000:]}{checked.stderr[-1000:]}")
        print(f"stopped while it published: generation {generation} of epoch {int(line[1])} is whole", flush=True)
    for service in services:
        harness.end(service.process, service.name)


def test(setting):
    keys, key_file = writing.make_keys(setting)
    store = faulty(setting, PARSED.server, conditions=PARSED.conditions)
    flags = (*store.arguments(), "--s3-lease-seconds", "3", "--lease-seconds", "2", "--api-keys", key_file, "--memory-limit", "128MiB")
    slow = (*flags, "--refresh-ms", "3600000")
    first = writing.Service(setting, PLACE, keys, "--state", setting.path("first"), *slow, name="first")
    first.expect(201, "PUT", "/v1/collections/c", key="admin")
    post(first, "gone", "word")
    first.expect(200, "DELETE", DOCUMENTS + "/gone", key="write")
    second = writing.Service(setting, PLACE, keys, "--state", setting.path("second"), *slow, "--take-over", "any-log", name="second")
    post(first, "published", "word")
    clusters = []

    def cluster():
        if not clusters:
            clusters.append(harness.Cluster(setting, PLACE, "c", 1, leaf_flags=("--poll-ms", "100", *store.arguments())))
        return clusters[0]

    check_stopped(setting, first, second, Lazy(cluster))
    check_set_aside(setting, first, second, cluster())
    third = writing.Service(setting, PLACE, keys, "--state", setting.path("third"), *slow, name="third")
    check_kept(setting, first, third, cluster())
    cluster().stop()
    for service in (first, third):
        harness.end(service.process, service.name)
    check_stopped_anywhere(setting, keys, flags, store)


class Lazy:
    """A cluster that starts when it is asked for the first time: there must be a generation."""

    def __init__(self, start):
        self.start = start

    def search(self, *args, **more):
        return self.start().search(*args, **more)


if __name__ == "__main__":
    parser = harness.arguments(__doc__)
    parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
    parser.add_argument("--conditions", choices=("on", "off"), default="on", help="whether the store obeys conditional writes")
    PARSED = parser.parse_args()
    harness.run(test, PARSED)
