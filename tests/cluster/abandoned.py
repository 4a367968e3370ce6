#!/usr/bin/env python3
"""The work of clients that leave is cancelled. 8 clients send 3,000 distinct searches each and close: single searches are answered
all the while, soon nothing is in flight, another msearch is served, and the leaf has no work left. The same for single searches. A
client that only ends its side of the connection gets 499. An msearch that runs out of time answers all its lines.
"""
import json
import socket
import time
import urllib.parse

import harness
import random_text

CLIENTS, LINES, SINGLES = 8, 3000, 50
# A machine may be busy with other things; what is measured against is minutes.
SOON = 2.0


def send(port, head, body=b""):
    """A connection on which one request was sent whole."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(head.encode() + body)
    return connection


def send_many(port, lines):
    body = "\n".join(json.dumps(line) for line in lines).encode()
    head = f"POST /v1/msearch HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    return send(port, head, body)


def distinct(rng, words, count):
    """Searches that no cache knows and no other shares."""
    return [{"q": " ".join(rng.sample(words[:200], 12)), "mode": "or", "k": 20, "cache": "off", "timeout_ms": 20000} for _ in range(count)]


def quiet(cluster):
    return harness.metric(cluster.http, "frond_broker_searches_in_flight") == 0


def await_quiet(cluster, what):
    started = time.monotonic()
    harness.eventually(lambda: quiet(cluster), f"nothing in flight after {what}", 20)
    took = time.monotonic() - started
    print(f"{what}: nothing in flight after {took:.2f} s", flush=True)
    harness.expect(took < SOON, f"{what}: in flight for {took:.1f} s after the clients had left")


def check_many(cluster, rng, words):
    clients = [send_many(cluster.http, distinct(rng, words, LINES)) for _ in range(CLIENTS)]
    harness.eventually(lambda: harness.metric(cluster.http, "frond_broker_searches_in_flight") > 8, "the lines are at work")
    for query in rng.sample(words, 5):  # while all are at work
        cluster.search(query, cache="off")
    for client in clients:
        client.close()
    statuses = [harness.fetch(cluster.http, "/v1/search?" + urllib.parse.urlencode({"q": rng.choice(words), "cache": "off", "timeout_ms": 10000}))[0]
                for _ in range(SINGLES)]
    harness.expect(statuses == [200] * SINGLES, f"single searches after {CLIENTS} clients left: {statuses}")
    await_quiet(cluster, f"{CLIENTS} msearches")
    body = "\n".join(json.dumps(line) for line in distinct(rng, words, 3))
    status, reply = harness.fetch(cluster.http, "/v1/msearch", method="POST", body=body)
    harness.expect(status == 200 and all("hits" in json.loads(line) for line in reply.splitlines()), f"the ninth msearch: {status} {reply[:300]!r}")
    for port in cluster.leaf_http:
        harness.eventually(lambda port=port: harness.metric(port, "frond_leaf_queue_tasks") == 0, "the leaf has nothing waiting", SOON)
    harness.expect(sum(harness.metric(p, "frond_leaf_requests_cancelled_total") for p in cluster.leaf_http) > 0, "no leaf was told to stop")


def check_singles(cluster, rng, words):
    """Single searches of a client that leaves end, in the broker and in the leaf."""
    before = harness.metric(cluster.http, "frond_broker_searches_total", outcome="abandoned")
    many = distinct(rng, words, 64)
    clients = [send(cluster.http, f"GET /v1/search?{urllib.parse.urlencode(one)} HTTP/1.1\r\nHost: x\r\n\r\n") for one in many]
    for client in clients:
        client.close()
    await_quiet(cluster, f"{len(many)} single searches")
    print(f"{harness.metric(cluster.http, 'frond_broker_searches_total', outcome='abandoned') - before:.0f} of them were abandoned")


def check_half_closed(cluster, rng, words):
    """The leaf does not answer, so the client's end comes first."""
    stopped = cluster.leaves[0]
    harness.pause(stopped)
    try:
        target = urllib.parse.urlencode({"q": " ".join(rng.sample(words, 3)), "cache": "off", "timeout_ms": 20000})
        client = send(cluster.http, f"GET /v1/search?{target} HTTP/1.1\r\nHost: x\r\n\r\n")
        time.sleep(0.2)
        client.shutdown(socket.SHUT_WR)
        client.settimeout(15)
        heard = client.recv(4096).decode()
        harness.expect(heard.startswith("HTTP/1.1 499 ") and "application/problem+json" in heard, f"a client that ended its side: {heard[:300]}")
    finally:
        stopped.send_signal(harness.signal.SIGCONT)
    await_quiet(cluster, "a half-closed connection")
    cluster.await_ready()


def check_deadline(setting, repository, rng, words):
    """Lines that are not begun in time get 504, one for each."""
    cluster = harness.Cluster(setting, repository, "c", 1, name="short", broker_flags=("--max-msearch-timeout", "300", "--max-msearch-in-flight", "2"))
    lines = distinct(rng, words, LINES)
    body = "\n".join(json.dumps(line) for line in lines)
    started = time.monotonic()
    status, reply = harness.fetch(cluster.http, "/v1/msearch", method="POST", body=body)
    took = time.monotonic() - started
    answers = [json.loads(line) for line in reply.splitlines()]
    late = sum("before this line was begun" in answer.get("detail", "") for answer in answers)
    print(f"{len(answers)} lines in {took:.1f} s, {late} of them late")
    harness.expect(status == 200 and len(answers) == LINES, f"{status}, {len(answers)} answers")
    harness.expect(late > 0 and answers[-1].get("status") == 504 and "hits" in answers[0], "the first are answered, the last are late")
    harness.expect(harness.metric(cluster.http, "frond_broker_msearch_lines_late_total") == late, "the metric counts them")
    cluster.stop()


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 400)
    source = random_text.Collection(rng, 20000, words, longest=120).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 2)
    cluster = harness.Cluster(setting, repository, "c", 1)
    check_many(cluster, rng, words)
    check_singles(cluster, rng, words)
    check_half_closed(cluster, rng, words)
    cluster.stop()
    check_deadline(setting, repository, rng, words)


harness.run(test, harness.arguments(__doc__).parse_args())
