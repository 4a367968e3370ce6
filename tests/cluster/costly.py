#!/usr/bin/env python3
"""The most expensive searches that are allowed do not hold up other clients: 64 connections send them (as many of the most frequent
terms as fit, a thousand hits at the largest depth, a minute each), and other clients' cheap searches take a small multiple of their
usual time, and another client's costly search gets its turn. So it is with bodies as large as may be, and with facets of a column of which each
document has a value of its own. Searches that a broker does not allow are refused.
"""
import http.client
import json
import statistics
import subprocess
import threading
import time
import urllib.parse

import harness

DOCUMENTS, WIDE, ATTACKERS, SECONDS = 300000, 90000, 64, 4
# Of the usual median, and an allowance for a machine that is busy with other things.
MULTIPLE, ALLOWANCE_MS = 8, 40


def terms_by_frequency(repository, queries):
    """The terms of the made-up collection are numbered from the most frequent on."""
    with open(queries, encoding="ascii") as file:
        return sorted({term for line in file for term in line.split(":", 1)[1].split()})


class Client:
    """One connection, kept."""

    def __init__(self, port, address="127.0.0.1"):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120, source_address=(address, 0))

    def search(self, **parameters):
        self.connection.request("GET", "/v1/search?" + urllib.parse.urlencode({"cache": "off", **parameters}))
        return self.reply()

    def post(self, body):
        self.connection.request("POST", "/v1/search", body)
        return self.reply()

    def reply(self):
        reply = self.connection.getresponse()
        return reply.status, reply.read()


class Attack:
    """Connections that ask for the worst again and again, and make no pause when they are refused."""

    def __init__(self, port, worst):
        self.port, self.worst, self.statuses = port, worst, {}
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._threads = [threading.Thread(target=self._ask, args=(i,), daemon=True) for i in range(ATTACKERS)]
        for thread in self._threads:
            thread.start()

    def _ask(self, number):
        client = Client(self.port)
        while not self._stop.is_set():
            try:
                worst = self.worst[number % len(self.worst)]
                status = (client.post(worst) if isinstance(worst, str) else client.search(**worst))[0]
            except (OSError, http.client.HTTPException):
                client, status = Client(self.port), 0
            with self._lock:
                self.statuses[status] = self.statuses.get(status, 0) + 1
            if status == 429:
                time.sleep(0.05)  # this machine's cores are the cluster's, too

    def stop(self):
        self._stop.set()


def cheap_times(port, terms, rng, seconds):
    """Milliseconds of cheap searches, one after the other."""
    client, times, end = Client(port), [], time.monotonic() + seconds
    while time.monotonic() < end:
        started = time.monotonic()
        status, body = client.search(q=rng.choice(terms[len(terms) // 2:]), timeout_ms=20000)
        harness.expect(status == 200 and not json.loads(body)["coverage"]["degraded"], f"a cheap search: {status} {body[:200]!r}")
        times.append((time.monotonic() - started) * 1000)
    return times


def told(times):
    return f"median {statistics.median(times):.1f} ms, of ten one over {sorted(times)[len(times) * 9 // 10]:.1f} ms ({len(times)})"


def check_worst(cluster, terms, rng, name, worst, allowance_ms=ALLOWANCE_MS):
    usual = cheap_times(cluster.http, terms, rng, 2)
    attack = Attack(cluster.http, worst)
    time.sleep(1)
    try:
        attacked = cheap_times(cluster.http, terms, rng, SECONDS)
        other = Client(cluster.http, "127.0.0.2")
        statuses = [other.search(q=" ".join(rng.sample(terms[:500], 3)), k=200, timeout_ms=20000)[0] for _ in range(5)]
        harness.expect(statuses == [200] * 5, f"{name}: another client's searches for 200 hits: {statuses}")
    finally:
        attack.stop()
    print(f"{name}: cheap searches {told(usual)}; under attack {told(attacked)}; the attackers got {attack.statuses}", flush=True)
    limit = MULTIPLE * statistics.median(usual) + allowance_ms
    harness.expect(statistics.median(attacked) < limit, f"{name}: {statistics.median(attacked):.0f} ms, over {limit:.0f} ms")


def check_refusals(setting, repository, terms):
    cluster = harness.Cluster(setting, repository, "c", 1, name="strict", broker_flags=("--max-terms", "2", "--max-depth", "100", "--max-timeout", "5000", "--allow-exhaustive", "off"))
    client = Client(cluster.http)
    for parameter, query in (("processor", {"processor": "exhaustive"}), ("offset", {"offset": 91}), ("timeout_ms", {"timeout_ms": 5001}),
                             ("q", {"q": " ".join(terms[:3])})):
        status, body = client.search(**{"q": terms[0], **query})
        harness.expect(status == 400 and json.loads(body)["parameter"] == parameter, f"{query}: {status} {body[:200]!r}")
    status, _ = client.search(q=" ".join(terms[:2]), offset=90)
    harness.expect(status == 200, f"what is allowed: {status}")
    status, body = harness.fetch(cluster.http, "/v1/search", method="POST", body='{"q": "a", "k": 1, "q": "b"}')
    harness.expect(status == 400 and json.loads(body)["parameter"] == "q", f"q twice: {status} {body[:200]!r}")
    cluster.stop()


def large_bodies():
    """As large as a search may be, and each takes long to read."""
    zeros = ",".join(["0"] * 500000)
    members = ",".join(f'"{i:x}": 1' for i in range(80000))
    return [f'{{"q": [{zeros}]}}', f"{{{members}}}", '{"q": "a", "facets": "' + "a," * 500000 + '"}']


def check_wide_facets(setting):
    """A column in which each document has a value of its own: a leaf's reply to a search for its facet has megabytes."""
    terms = [f"t{i}" for i in range(1000)]
    with open(setting.path("wide.jsonl"), "w", encoding="ascii") as file:
        for i in range(WIDE):
            file.write(json.dumps({"id": str(i), "title": " ".join(setting.rng.sample(terms, 8)), "own": f"{i:08}" + "x" * (i % 50)}) + "\n")
    with open(setting.path("wide.json"), "w", encoding="ascii") as file:
        json.dump({"fields": {"title": {"type": "text"}, "own": {"type": "keyword"}}, "source": "none"}, file)
    built = subprocess.run([setting.program("frond-indexer"), "build", "--repository", setting.path("wide"), "--collection", "c", "--partitions", "2",
                            "--schema", setting.path("wide.json"), "--input", setting.path("wide.jsonl")], capture_output=True, text=True, timeout=300)
    harness.expect(built.returncode == 0, f"build: {built.stderr}")
    cluster = harness.Cluster(setting, setting.path("wide"), "c", 1, name="wide")
    # All of the time that the loop has between replies of megabytes.
    check_worst(cluster, terms, setting.rng, "wide facets", ['{"query": {"all": {}}, "cache": "off", "facets": {"f": {"distinct": {"field": "own"}}}}'], 400)
    cluster.stop()


def test(setting):
    repository, queries = setting.path("repository"), setting.path("queries")
    made = subprocess.run([setting.program("frond"), "synth", "--profile", "gov2", "--documents", str(DOCUMENTS), "--partitions", "2", "--order", "random",
                           "--repository", repository, "--collection", "c", "--queries", queries, "--seed", str(setting.rng.randrange(1000))],
                          capture_output=True, text=True, timeout=300)
    harness.expect(made.returncode == 0, f"synth: {made.stderr}")
    terms = terms_by_frequency(repository, queries)
    many = " ".join(terms[:400])
    cluster = harness.Cluster(setting, repository, "c", 1)
    deep = {"k": 1000, "offset": 9000, "timeout_ms": 60000, "mode": "or"}
    check_worst(cluster, terms, setting.rng, "large bodies", large_bodies())
    check_worst(cluster, terms, setting.rng, "many terms, deep", [{"q": many[:-10 * i or None], **deep} for i in range(64)])
    check_worst(cluster, terms, setting.rng, "exhaustive", [{"q": " ".join(terms[i:i + 60]), "processor": "exhaustive", **deep} for i in range(64)])
    check_worst(cluster, terms, setting.rng, "frequent terms, many hits", [{"q": " ".join(terms[i:i + 8]), "k": 1000, "timeout_ms": 60000, "mode": "or"} for i in range(20)])
    check_worst(cluster, terms, setting.rng, "frequent terms, ten hits", [{"q": " ".join(terms[i:i + 60]), "k": 10, "timeout_ms": 60000, "mode": "or"} for i in range(20)])
    cluster.stop()
    check_refusals(setting, repository, terms)
    check_wide_facets(setting)


harness.run(test, harness.arguments(__doc__).parse_args())
