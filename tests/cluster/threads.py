#!/usr/bin/env python3
"""A broker with three threads is one broker: it answers as one with a single thread does, to the byte; what one thread has stored or is
evaluating serves the others; metrics and limits are those of the process; all threads follow the leaves; at SIGTERM every open search is
answered, on whichever thread it waits. A thread that stalls is told of by /livez.

The system deals connections to the threads, so most of what is asked here comes over many connections.
"""
import concurrent.futures
import http.client
import re
import signal
import time
import urllib.parse

import harness
import random_text
from stopped_thread import Stopped

THREADS = 3
CONNECTIONS = 40  # that none of three threads gets one of these is as likely as 3 × (2/3)^40
MANY = 48         # searches open at a time


def spawn_broker(cluster, name, *flags):
    """(process, port, admin port) of another broker over the cluster's leaves."""
    port, admin = harness.free_ports(2)
    leaves = [flag for leaf in cluster.leaf_ports for flag in ("--leaf", f"tcp://127.0.0.1:{leaf}")]
    process = cluster.setting.spawn(name, "frond-broker", "--http", f"127.0.0.1:{port}", "--admin-http", f"127.0.0.1:{admin}",
                                    "--collection", cluster.collection, *leaves, *flags)
    harness.eventually(lambda: harness.fetch(admin, "/readyz")[0] == 200, f"{name} is ready", 60)
    return process, port, admin


def target(query, **parameters):
    return "/v1/search?" + urllib.parse.urlencode({"q": query, **parameters})


def same(answers):
    """Answers without what differs from one to the next; how many hits there are at least also depends on which partition was searched first."""
    return re.sub(rb'"(took_ms":[0-9.]+|cache":"[a-z]+"|total":{[^}]*})', b"", answers)


def body(port, query, **parameters):
    status, answer = harness.fetch(port, target(query, timeout_ms=20000, **parameters))
    harness.expect(status == 200, f"{query!r}: status {status}: {answer[:200]}")
    return same(answer)


class Open:
    """A search that was sent and not answered yet."""

    def __init__(self, port, path):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.connection.request("GET", path)

    def status(self):
        with self.connection.getresponse() as reply:
            reply.read()
            return reply.status


def check_same_answers(one, three, words, rng):
    asked = 0
    for _ in range(CONNECTIONS):
        query = " ".join(rng.sample(words, rng.randint(1, 4)))
        parameters = {"k": rng.choice((1, 10, 100)), "mode": rng.choice(("and", "or", "auto"))}
        wanted = body(one, query, **parameters)
        for cache in ("off", "on", "on"):
            got = body(three, query, cache=cache, **parameters)
            harness.expect(got == wanted, f"{query!r} {parameters} cache {cache}: {got} instead of {wanted}")
            asked += 1
    lines = "".join(f'{{"q": "{word}", "timeout_ms": 20000}}\n' for word in words[:50]).encode()
    single, several = (harness.fetch(port, "/v1/msearch", method="POST", body=lines)[1] for port in (one, three))
    harness.expect(same(single) == same(several), "msearch differs")
    return asked


def check_cache_and_sums(port, admin, word):
    """What one thread stores serves all, and what all count is summed."""
    count = lambda name, **labels: harness.metric(admin, name, **labels)
    names = ("frond_broker_cache_hits_total", "frond_broker_cache_misses_total", "frond_broker_cache_stored_total",
             "frond_broker_searches_total", "frond_http_requests_total", "frond_broker_leaf_requests_total")
    before = [count(name) for name in names]
    for _ in range(CONNECTIONS):
        body(port, word, k=7)
    hits, misses, stored, searches, requests, to_leaves = (count(name) - was for name, was in zip(names, before))
    harness.expect((hits, misses, stored) == (CONNECTIONS - 1, 1, 1), f"{hits} hits, {misses} misses, {stored} stored")
    harness.expect(searches == CONNECTIONS, f"{searches} searches counted")
    harness.expect(CONNECTIONS <= requests <= CONNECTIONS + len(names) * 2, f"{requests} requests counted")
    harness.expect(2 <= to_leaves <= 4, f"{to_leaves} requests to two leaves")
    harness.expect(count("frond_broker_leaves", state="up") == 2, "leaves are counted once")
    for _ in range(CONNECTIONS):  # whichever thread is asked
        harness.expect(harness.metric(port, "frond_broker_cache_stored_total") >= before[2] + 1, "a thread's metrics are behind")
        harness.expect(harness.metric(port, "frond_broker_searches_total") >= before[3] + CONNECTIONS, "a thread's metrics are behind")


def check_sharing(cluster, port, admin, word):
    """Equal searches on all threads are evaluated a few times while a leaf stalls, and all get its partial answer."""
    requests = lambda: harness.metric(admin, "frond_broker_leaf_requests_total", kind="search")
    harness.pause(cluster.leaves[1])
    try:
        before = requests()
        searches = [Open(port, target(word, timeout_ms=1500)) for _ in range(MANY)]
        statuses = [search.status() for search in searches]
        sent = requests() - before
    finally:
        cluster.leaves[1].send_signal(signal.SIGCONT)
    harness.expect(statuses == [200] * MANY, f"shared answers: {statuses}")
    harness.expect(sent <= MANY / 2, f"{MANY} equal searches made {sent} requests to leaves")
    return sent


def check_limit(cluster):
    """As many connections as --max-connections are served, on all threads together."""
    limit = 12
    process, port, _ = spawn_broker(cluster, "limited", "--threads", THREADS, "--max-connections", limit,
                                    "--max-connections-per-address", 1000, "--max-in-flight", 4)
    connections, statuses = [], []
    for _ in range(limit + 10):
        connections.append(Open(port, "/v1/search?q=word"))
        with connections[-1].connection.getresponse() as reply:
            reply.read()
            statuses.append(reply.status)
    harness.expect(statuses == [200] * limit + [503] * 10, f"with {limit} connections: {statuses}")
    for one in connections:
        one.connection.close()
    harness.eventually(lambda: harness.fetch(port, "/v1/search?q=word")[0] == 200, "there is room again")
    harness.pause(cluster.leaves[1])  # --max-in-flight
    try:
        searches = [Open(port, target(f"word{i}", cache="off", timeout_ms=2500)) for i in range(10)]
        refused = sorted(search.status() for search in searches).count(429)
    finally:
        cluster.leaves[1].send_signal(signal.SIGCONT)
    harness.expect(refused == 6, f"{refused} of 10 searches were refused with 4 places")
    harness.end(process, "the limited broker")


def check_leaves(cluster, port, admin, words):
    """All threads lose a killed leaf and find it again."""
    ask = lambda: [harness.Answer(*harness.fetch(port, target(words[0], cache="off", timeout_ms=5000))) for _ in range(CONNECTIONS)]
    harness.kill9(cluster.leaves[1])
    harness.eventually(lambda: all(len(one.degraded) == 2 and not one.timed_out for one in ask()), "all threads know that the leaf is gone")
    harness.expect(harness.metric(admin, "frond_broker_leaves", state="down") == 1, "one leaf is down")
    cluster.start_leaf(1)
    harness.eventually(lambda: all(one.whole for one in ask()), "all threads found the leaf", 60)
    harness.eventually(lambda: harness.metric(cluster.leaf_http[1], "frond_leaf_brokers") == THREADS + 1, "the leaf knows all threads")


def check_stall(process, admin):
    livez = lambda: harness.fetch(admin, "/livez", timeout=5)
    harness.expect(livez()[0] == 200, "not alive before a thread is stopped")
    with Stopped(process, "search-2"):
        harness.eventually(lambda: livez()[0] == 503 and b"'search-2'" in livez()[1], "/livez names the thread that stalls", 30)
        harness.expect(harness.metric(admin, "frond_broker_loop_age_seconds", loop="search-2") > 2, "its age")
        harness.expect(harness.fetch(admin, "/v1/cluster")[0] == 200, "the others still describe the cluster")
    harness.eventually(lambda: livez()[0] == 200, "alive again")


def check_drain(cluster, words, *flags):
    """Every search that is open at SIGTERM is answered: different ones, equal ones, and msearch lines that wait for a place."""
    process, port, _ = spawn_broker(cluster, "drained" + "-".join(flags), "--threads", THREADS, "--max-msearch-in-flight", 2, *flags)
    harness.pause(cluster.leaves[1])
    try:
        different = [Open(port, target(words[i], timeout_ms=3000)) for i in range(MANY)]
        equal = [Open(port, target(words[-1], timeout_ms=3000)) for _ in range(MANY)]
        lines = "".join(f'{{"q": "{word}", "timeout_ms": 500, "cache": "off"}}\n' for word in words[:4]).encode()
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            batches = [threads.submit(harness.fetch, port, "/v1/msearch", 60, "POST", lines) for _ in range(4)]
            time.sleep(0.5)
            process.terminate()
            statuses = [search.status() for search in different + equal]
            results = [batch.result() for batch in batches]
    finally:
        cluster.leaves[1].send_signal(signal.SIGCONT)
    harness.expect(process.wait(30) == 0, f"the broker ended with {process.returncode}")
    harness.expect(all(status in ((503, 200) if flags else (200,)) for status in statuses), f"open searches at SIGTERM: {statuses}")
    lines = [line for status, answer in results for line in answer.splitlines()]
    wrong = [line for line in lines if not (b'"hits":' in line or flags and b'"status":503' in line)]
    harness.expect(len(lines) == 16 and not wrong, f"open batches: {results}")


def test(setting):
    words = random_text.vocabulary(setting.rng, 200)
    source = random_text.Collection(setting.rng, 3000, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 4)
    cluster = harness.Cluster(setting, repository, "c", 2, broker_flags=("--threads", 1))
    process, port, admin = spawn_broker(cluster, "three", "--threads", THREADS, "--stall-seconds", 3)
    asked = check_same_answers(cluster.http, port, words, setting.rng)
    check_cache_and_sums(port, admin, words[3])
    sent = check_sharing(cluster, port, admin, words[4] + " " + words[5])
    check_limit(cluster)
    check_leaves(cluster, port, admin, words)
    check_stall(process, admin)
    harness.end(process, "the broker with three threads")
    check_drain(cluster, words)
    check_drain(cluster, words, "--drain-ms", "300")
    cluster.stop()
    print(f"{asked} answers were the same; {MANY} equal searches made {sent} requests to leaves")


harness.run(test, harness.arguments(__doc__).parse_args())
