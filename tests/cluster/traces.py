#!/usr/bin/env python3
"""A request can be followed by its id and its trace: answer, broker's log, leaf's log; slow searches are told."""
import http.client
import http.server
import json
import os
import re
import signal
import subprocess
import threading
import time

import harness
import random_text
from stopped_thread import Stopped

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def lines(setting, name, message):
    """The log's lines with that message, or one that begins so."""
    found = []
    for line in setting.log(name).splitlines():
        if line.startswith("{"):
            said = json.loads(line)
            if said["message"].startswith(message):
                found.append(said)
    return found


def ask(port, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read()), dict(reply.getheaders())
    finally:
        connection.close()


def check_slow(setting, cluster, slow_part, leaf_too):
    """While `slow_part`, a thread or a process, stands still, a search takes long."""
    before = len(lines(setting, "c-leaf0", "slow search"))
    with slow_part:
        connection = http.client.HTTPConnection("127.0.0.1", cluster.http, timeout=30)
        connection.request("GET", f"/v1/search?q=alpha{before}{leaf_too}+beta&timeout_ms=20000&mode=or",
                           headers={"X-Request-Id": "slow-one", "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
        time.sleep(0.5)
    reply = connection.getresponse()
    body, headers = json.loads(reply.read()), dict(reply.getheaders())
    connection.close()
    harness.expect(reply.status == 200, f"{reply.status}: {body}")
    harness.expect(headers["X-Request-Id"] == "slow-one", f"{headers}")
    harness.expect("profile" not in body, f"a profile that nobody asked for: {body}")
    newest = ask(cluster.http, "/v1/slow-searches")[1]["slow_searches"][0]
    harness.expect((newest["request_id"], newest["trace_id"], newest["outcome"]) == ("slow-one", TRACE, "whole"), f"{newest}")
    harness.expect(newest["took_us"] >= 300_000 and newest["query"].endswith("beta"), f"{newest}")
    leaf = newest["profile"]["leaves"][0]
    harness.expect(leaf["round_trip_us"] >= 300_000, f"{leaf}")
    harness.eventually(lambda: any(one["trace_id"] == TRACE and "beta" in one["query"] for one in lines(setting, "c-broker", "slow search")),
                       "the broker's line about a slow search")
    if leaf_too:
        harness.eventually(lambda: any(one["trace_id"] == TRACE for one in lines(setting, "c-leaf0", "slow search")[before:]),
                           "the leaf's line about a slow search")
        harness.expect("beta" not in str(lines(setting, "c-leaf0", "slow search")), "a query in a leaf's log")


def check_diagnosis(setting, cluster):
    """One file has what all processes say, and why one says nothing."""
    output, nobody = setting.path("diagnosis.json"), "http://127.0.0.1:1"
    brokers, leaves = f"http://127.0.0.1:{cluster.http}", f"http://127.0.0.1:{cluster.leaf_http[0]}"
    done = subprocess.run([setting.program("frond"), "diagnose", brokers, leaves, nobody, "--output", output], capture_output=True, text=True, timeout=60)
    harness.expect(done.returncode == 0, f"{done.returncode}: {done.stderr}")
    with open(output, encoding="utf-8") as file:
        broker, leaf, dead = json.load(file)["processes"]
    harness.expect(len(broker["answers"]["/v1/slow-searches"]["body"]["slow_searches"]) == 2 and os.stat(output).st_mode & 0o077 == 0, f"{broker}")
    harness.expect(broker["answers"]["/v1/cluster"]["body"]["ready"] is True, f"{broker}")
    harness.expect("frond_leaf_" in leaf["answers"]["/metrics"]["body"] and leaf["answers"]["/v1/cluster"]["status"] == 404, f"{leaf}")
    harness.expect("127.0.0.1:1" in dead["error"] and "answers" not in dead, f"{dead}")
    done = subprocess.run([setting.program("frond"), "diagnose", nobody, "--output", output], capture_output=True, text=True, timeout=60)
    harness.expect(done.returncode == 1 and "no process said anything" in done.stderr, f"{done.returncode}: {done.stderr}")


class Collector:
    """Where spans go: it keeps them, hangs, or refuses."""

    def __init__(self):
        collector = self
        self.bodies, self.how, self.asked, self.go_on = [], "well", 0, threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.asked += 1
                if collector.how == "hangs":
                    collector.go_on.wait(60)
                    return
                if collector.how == "well":
                    collector.bodies.append((self.path, json.loads(body)))
                self.send_response(200 if collector.how == "well" else 503)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def spans(self, trace):
        return [span for _, body in self.bodies for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"] if span["traceId"] == trace]


def traced(trace, flags="01"):
    return {"traceparent": f"00-{trace}-00f067aa0ba902b7-{flags}"}


def check_spans(cluster, collector):
    """A trace that its client keeps becomes spans, as OTLP wants them."""
    kept = "1" * 32
    ask(cluster.http, "/v1/search?q=alpha+beta&mode=or&cache=off", **traced(kept))
    ask(cluster.http, "/v1/search?q=alpha+beta&mode=or&cache=off", **traced("2" * 32, "00"))
    ask(cluster.http, "/v1/search?q=alpha+beta&mode=or&cache=off")
    harness.eventually(lambda: len(collector.spans(kept)) >= 6, "spans at the collector")
    path, body = collector.bodies[0]
    attributes = {one["key"]: one["value"]["stringValue"] for one in body["resourceSpans"][0]["resource"]["attributes"]}
    harness.expect(path == "/v1/traces" and attributes["service.name"] == "frond-broker", f"{path}: {attributes}")
    spans = {span["name"]: span for span in collector.spans(kept)}
    harness.expect({"GET /v1/search", "search", "evaluation", "leaf", "leaf queue", "leaf evaluation"} <= set(spans), f"{sorted(spans)}")
    for span in spans.values():
        harness.expect(re.fullmatch("[0-9a-f]{16}", span["spanId"]) and re.fullmatch("[0-9a-f]{16}", span["parentSpanId"]), f"{span}")
        begin, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        harness.expect(begin <= end and abs(begin / 1e9 - time.time()) < 60 and span["status"] == {}, f"{span}")
    request = spans["GET /v1/search"]
    harness.expect(request["parentSpanId"] == "00f067aa0ba902b7" and request["kind"] == 2, f"{request}")
    for name, parent in (("search", "GET /v1/search"), ("evaluation", "search"), ("leaf", "evaluation"), ("leaf queue", "leaf")):
        harness.expect(spans[name]["parentSpanId"] == spans[parent]["spanId"], f"{name} is not in {parent}")
        harness.expect(int(spans[name]["startTimeUnixNano"]) >= int(spans[parent]["startTimeUnixNano"]) - 1_000_000, f"{name} begins before {parent}")
    traces = {span["traceId"] for _, body in collector.bodies for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"]}
    harness.expect(traces == {kept, TRACE}, f"spans of traces that nobody keeps: {traces}")
    harness.expect(harness.metric(cluster.http, "frond_broker_spans_total", outcome="sent") >= 6, "the spans were not counted")


def check_no_search_waits(cluster, collector):
    """However the collector is, searches take what they take."""
    took = {}
    for how in ("well", "hangs", "refuses"):
        collector.how = how
        before, times = collector.asked, []
        for number in range(300):
            begin = time.monotonic()
            harness.expect(ask(cluster.http, f"/v1/search?q=alpha+beta&cache=off&k={1 + number % 10}", **traced(f"{number + 1:032x}"))[0] == 200, how)
            times.append(time.monotonic() - begin)
        harness.eventually(lambda: collector.asked > before, f"a request to a collector that {how}")
        collector.go_on.set()
        took[how] = sorted(times)[len(times) // 2]
    harness.expect(max(took.values()) < 0.05 + 3 * took["well"], f"the median search took {took}")
    harness.eventually(lambda: harness.metric(cluster.http, "frond_broker_spans_total", outcome="failed") > 0, "spans that failed")
    collector.how, collector.go_on = "hangs", threading.Event()
    ask(cluster.http, "/v1/search?q=alpha", **traced("3" * 32))


class StoppedProcess:
    def __init__(self, process):
        self.process = process

    def __enter__(self):
        self.process.send_signal(signal.SIGSTOP)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGCONT)


def test(setting):
    words = ["alpha", "beta", *random_text.vocabulary(setting.rng, 50)]
    source = random_text.Collection(setting.rng, 200, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 2)
    collector = Collector()
    cluster = harness.Cluster(setting, repository, "c", 1, broker_flags=("--slow-query-log", 300, "--access-log", 1, "--otlp", collector.url()),
                              leaf_flags=("--cpu-threads", 1, "--at-once-us", 0))
    _, _, first = ask(cluster.http, "/v1/search?q=beta")
    _, _, second = ask(cluster.http, "/v1/search?q=beta")
    harness.expect(len(first["X-Request-Id"]) == 32 and first["X-Request-Id"] != second["X-Request-Id"], f"{first}, {second}")
    harness.expect(ask(cluster.http, "/v1/slow-searches")[1]["slow_searches"] == [], "nothing was slow")
    check_slow(setting, cluster, StoppedProcess(cluster.leaves[0]), False)
    check_slow(setting, cluster, Stopped(cluster.leaves[0], "leaf-worker"), True)
    harness.expect(harness.metric(cluster.http, "frond_broker_slow_searches_total") == 2, "two searches were slow")
    harness.eventually(lambda: any(one["request_id"] == second["X-Request-Id"] and one["status"] == "200" and one["route"] == "/v1/search"
                                   for one in lines(setting, "c-broker", "request")), "a line for each request")
    harness.expect("beta" not in str(lines(setting, "c-broker", "request")), "a line for a request says what it asks for")
    check_diagnosis(setting, cluster)
    check_spans(cluster, collector)
    check_no_search_waits(cluster, collector)
    for process in (cluster.broker, cluster.leaves[0]):
        process.send_signal(signal.SIGUSR1)
        process.send_signal(signal.SIGUSR2)
    harness.expect(ask(cluster.http, "/v1/search?q=alpha")[0] == 200, "the signals ended nothing")
    cluster.stop()
    print("requests were followed through broker and leaf")


harness.run(test, harness.arguments(__doc__).parse_args())
