#!/usr/bin/env python3
"""Leaves and brokers that poll once a minute know of a new generation at once: of `frond-indexer serve` over HTTP, and of a repository in
a folder. A service that starts again is heard again. What waits at the service is counted, ends with its client, and is answered when the
service ends; a client that does not ask to wait, or asks for a file that is not CURRENT, is answered at once.
"""
import http.client
import os
import socket
import time

import harness
import writing

RARELY = ("--poll-ms", "60000")
SOON = 5  # seconds; a poll would take 12 times as long


def waiting(service):
    return harness.metric(service.port, "frond_indexer_waiting_for_generations")


def get(port, path, timeout=30, **headers):
    """(status, headers) of a GET."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        reply = connection.getresponse()
        reply.read()
        return reply.status, dict(reply.getheaders())
    finally:
        connection.close()


def check_visible(service, clusters, word):
    begin = time.monotonic()
    service.expect(200, "POST", "/v1/collections/c/documents", writing.line(word, [word]), key="write")
    for kind, cluster in clusters.items():
        harness.eventually(lambda cluster=cluster: len(cluster.search(word, cache="off").ranking) == 1, f"{word} is found: {kind}", SOON)
        print(f"{word}: found after {time.monotonic() - begin:.2f} s: {kind}", flush=True)


def check_waiting(service):
    path = "/repository/c/CURRENT"
    status, headers = get(service.port, path, Prefer="wait=60")
    harness.expect(status == 200 and headers.get("Preference-Applied") == "wait", f"{status} {headers}")
    tag, before = headers["ETag"], waiting(service)
    begin = time.monotonic()
    harness.expect(get(service.port, path, If_None_Match=tag)[0] == 304, "it has changed")
    harness.expect(get(service.port, "/repository/c/generations/1.json", Prefer="wait=60")[0] in (200, 404), "a manifest waits")
    harness.expect(get(service.port, "/repository/nothing/CURRENT", Prefer="wait=60", If_None_Match=tag)[0] == 404, "of no collection")
    harness.expect(time.monotonic() - begin < SOON, "an answer was held back that nobody asked to hold back")
    status, headers = get(service.port, path, Prefer="wait=1", If_None_Match=tag)
    took = time.monotonic() - begin
    harness.expect(status == 304 and headers.get("Preference-Applied") == "wait" and took >= 1, f"{status} {headers} {took}")
    with socket.create_connection(("127.0.0.1", service.port)) as gone:
        gone.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nPrefer: wait=60\r\nIf-None-Match: {tag}\r\n\r\n".encode())
        harness.eventually(lambda: waiting(service) == before + 1, "it waits")
    harness.eventually(lambda: waiting(service) == before, "it went with its client")


def test(setting):
    keys, key_file = writing.make_keys(setting)
    repository = setting.path("repository")
    os.mkdir(repository)
    service = writing.Service(setting, repository, keys, "--api-keys", key_file, "--refresh-ms", "50")
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    service.expect(200, "POST", "/v1/collections/c/documents", writing.line("first", ["first"]), key="write")
    service.refresh()
    url = f"http://127.0.0.1:{service.port}/repository"
    clusters = {"in a folder": harness.Cluster(setting, repository, "c", 2, name="folder", leaf_flags=RARELY, broker_flags=RARELY),
                "over HTTP": harness.Cluster(setting, url, "c", 2, name="http", leaf_flags=RARELY, broker_flags=RARELY)}
    harness.eventually(lambda: waiting(service) == 2, "both leaves wait at the service", SOON)
    for word in ("one", "two", "three"):
        check_visible(service, clusters, word)
    for cluster in clusters.values():
        harness.expect(harness.metric(cluster.leaf_http[0], "frond_leaf_announcements_total") >= 3, "announcements are not counted")
    check_waiting(service)
    begin = time.monotonic()
    harness.end(service.process, "the service")
    harness.expect(time.monotonic() - begin < SOON, "what waits delays the service's end")
    service.start()
    harness.eventually(lambda: waiting(service) == 2, "the leaves wait again", 15)
    check_visible(service, clusters, "later")
    for cluster in clusters.values():
        begin = time.monotonic()
        cluster.stop()
        harness.expect(time.monotonic() - begin < SOON, "what is waited for delays a leaf's end")
    harness.end(service.process, "the service")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
