#!/usr/bin/env python3
"""`frond-indexer serve` gets SIGTERM with changes that it has accepted and not published: it refuses more, publishes these, and ends. If that
is not possible in time, or a second signal comes, it ends all the same, and they are published when it is started again.
"""
import fcntl
import http.client
import json
import os
import signal
import time

import harness
import writing

DOCUMENTS = "/v1/collections/c/documents"


class HeldCollection:
    """Holds the collection's LOCK, as a command does that publishes."""

    def __init__(self, repository):
        self.path = os.path.join(repository, "c", "LOCK")

    def __enter__(self):
        self.file = open(self.path, "ab")  # pylint: disable=consider-using-with
        harness.eventually(self.locked, "the collection's LOCK is free")
        return self

    def locked(self):
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False

    def __exit__(self, *_):
        self.file.close()


def found(setting, repository, word):
    """The ids that have the word, by a cluster without the service."""
    cluster = harness.Cluster(setting, repository, "c", 1, name=f"find-{word}")
    names = sorted(name for name, _ in cluster.search(word, k=100).ranking)
    cluster.stop()
    return names


def post(service, name, word):
    service.expect(200, "POST", DOCUMENTS, writing.line(name, [word]), key="write")


def publish_first(service):
    """A service's first publication comes at once, the next ones after --refresh-ms."""
    post(service, "any", "any")
    service.refresh()


def check_published(setting, service):
    publish_first(service)
    for number in range(3):
        post(service, f"n{number}", "first")
    service.expect(200, "DELETE", DOCUMENTS + "/n1", key="write")
    begin = time.monotonic()
    harness.end(service.process, "the service")
    print(f"published and ended in {time.monotonic() - begin:.1f} s", flush=True)
    harness.expect(found(setting, service.repository, "first") == ["n0", "n2"], "what was accepted is not published")


def ask_for_header(service, method, path, body, key):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    try:
        connection.request(method, path, body=body, headers={"Authorization": "Bearer " + service.keys[key]})
        reply = connection.getresponse()
        return reply.status, reply.getheader("Retry-After"), reply.read()
    finally:
        connection.close()


def check_refusals(setting, service):
    """While it publishes it takes no changes, is not ready, and serves files."""
    service.start()
    publish_first(service)
    post(service, "n4", "second")
    with HeldCollection(service.repository):
        service.process.terminate()
        harness.eventually(lambda: service.ask("GET", "/readyz")[0] == 503, "it is not ready", 10)
        for method, path, body, key in (("POST", DOCUMENTS, writing.line("late", ["second"]), "write"), ("DELETE", DOCUMENTS + "/n4", None, "write"),
                                        ("PUT", "/v1/collections/d", None, "admin"), ("DELETE", "/v1/collections/c", None, "admin"),
                                        ("POST", "/v1/collections/c/rollback", None, "admin")):
            status, pause, answer = ask_for_header(service, method, path, body, key)
            harness.expect(status == 503 and pause and b"the service ends" in answer, f"{method} {path}: {status}, Retry-After {pause}: {answer[:300]}")
        service.expect(200, "GET", "/repository/c/CURRENT")
        service.expect(200, "GET", "/livez")
        service.expect(200, "GET", "/metrics")
        harness.expect(service.process.poll() is None, "it has ended with a change in its log")
    harness.expect(service.process.wait(30) == 0, "the service did not exit 0")
    harness.expect(found(setting, service.repository, "second") == ["n4"], "what was accepted is not published")


def check_deadline(setting, service):
    """A publication that does not come about ends with --drain-publish-ms, and with a second signal."""
    service.flags = (*service.flags, "--drain-publish-ms", "500")
    service.start()
    publish_first(service)
    post(service, "n5", "third")
    with HeldCollection(service.repository):
        before, begin = harness.current(service.repository, "c"), time.monotonic()
        service.process.terminate()
        harness.expect(service.process.wait(30) == 0, "the service did not exit 0")
        took = time.monotonic() - begin
        harness.expect(0.5 <= took < 10, f"it ended after {took:.1f} s")
        service.flags = service.flags[:-2]
        service.start()
        service.process.terminate()
        harness.eventually(lambda: service.ask("GET", "/readyz")[0] == 503, "it is not ready", 10)
        begin = time.monotonic()
        service.process.terminate()
        harness.expect(service.process.wait(30) == 128 + signal.SIGTERM and time.monotonic() - begin < 5, "a second signal does not end it")
        harness.expect(harness.current(service.repository, "c") == before, "something was published")
    left = [json.loads(one) for one in setting.log(service.name).splitlines() if "accepted changes stay in the log" in one]
    harness.expect(len(left) == 1 and left[0]["pending"] == "1", f"{left}")
    service.start()
    service.refresh()
    harness.end(service.process, "the service")
    harness.expect(found(setting, service.repository, "third") == ["n5"], "the log has not kept it")
    print(f"ended after {took:.1f} s without a publication", flush=True)


def test(setting):
    keys, key_file = writing.make_keys(setting)
    repository = setting.path("repository")
    os.mkdir(repository)
    service = writing.Service(setting, repository, keys, "--api-keys", key_file, "--refresh-ms", "3600000", "--memory-limit", "128MiB")
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    check_published(setting, service)
    check_refusals(setting, service)
    check_deadline(setting, service)


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
