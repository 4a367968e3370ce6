#!/usr/bin/env python3
"""A Prometheus with deploy/'s configuration, but shorter intervals, watches a cluster, a build and a service that writes: every
dashboard panel returns numbers, every recording rule has a series, every metric of an alert exists, and no alert fires. Then a leaf is
killed: its alerts fire, and end when it is back. Expressions about GPUs are checked if a leaf has one; otherwise check.py uses a
replayed leaf. Skipped (77) without prometheus.
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse

import expressions

sys.path.insert(0, os.path.join(expressions.ROOT, "tests", "cluster"))
import harness  # noqa: E402
import random_text  # noqa: E402
import writing  # noqa: E402

PATIENCE = 120  # seconds, for a slow machine
KILLED_FIRES = {"FrondLeafDown", "FrondPartitionsUncovered"}
OF_ERRORS = {"FrondErrorsFast", "FrondErrorsSlow", "FrondShedding"}


class Prometheus:
    """A Prometheus with a copy of deploy/prometheus whose intervals are seconds. Scrapes `targets`: [(job, port)], and `secure` over
    HTTPS, whose authority is in the file `ca`."""

    def __init__(self, setting, port, targets, secure, ca):
        folder = setting.path("prometheus")
        shutil.copytree(os.path.join(expressions.ROOT, "deploy/prometheus"), folder)
        self.port = port
        for name in ("prometheus.yml", "rules/alerts.yml", "rules/recording.yml"):
            path = os.path.join(folder, name)
            text = expressions.read(path)
            text = re.sub(r"^(\s*(?:scrape_interval|scrape_timeout|evaluation_interval|refresh_interval): ).*$", r"\g<1>1s", text, flags=re.M)
            text = text.replace("job_name: frond\n", f"job_name: frond\n    tls_config: {{ca_file: {ca}}}\n")
            text = re.sub(r"^(\s*for: ).*$", r"\g<1>2s", text, flags=re.M).replace("localhost:9090", f"127.0.0.1:{self.port}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(folder, "targets/cluster.yml"), "w", encoding="utf-8") as file:
            for scheme, (job, at) in [("http", one) for one in targets] + [("https", one) for one in secure]:
                file.write(f"- {{labels: {{job: {job}, __scheme__: {scheme}}}, targets: ['127.0.0.1:{at}']}}\n")
        self.process = setting.spawn("prometheus", shutil.which("prometheus"), f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                                     f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn")

    def ask(self, path, **parameters):
        status, body = harness.fetch(self.port, f"/api/v1/{path}?" + urllib.parse.urlencode(parameters))
        answer = json.loads(body)
        harness.expect(answer["status"] == "success", f"{path} {parameters}: {status} {body[:500]!r}")
        return answer["data"]

    def numbers(self, expression):
        """The finite values of an instant query."""
        values = [float(series["value"][1]) for series in self.ask("query", query=expression)["result"]]
        return [v for v in values if math.isfinite(v)]

    def firing(self):
        return {(a["labels"]["alertname"], a["labels"].get("instance", "")) for a in self.ask("alerts")["alerts"] if a["state"] == "firing"}


class Load:
    """Searches of every kind, a few at a time, until stopped: panels show rates."""

    def __init__(self, cluster, queries):
        self.cluster, self.queries = cluster, queries
        self.whole, self.bad = 0, 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()

    def _ask(self):
        while not self._stop.wait(0.05):
            for query, mode, _ in self.queries:
                for extra in ({}, {"cache": "off"}, {"processor": "exhaustive", "cache": "off"}):
                    parameters = urllib.parse.urlencode({"q": query, "mode": mode, "timeout_ms": 20000, **extra})
                    try:
                        whole = harness.Answer(*harness.fetch(self.cluster.http, "/v1/search?" + parameters)).whole
                    except (OSError, harness.Failure):
                        whole = False
                    self.whole, self.bad = self.whole + whole, self.bad + (not whole)
                if self._stop.wait(0.05):
                    return

    def stop(self):
        self._stop.set()
        self._thread.join(60)


class Writer:
    """A service of its own repository that gets documents, and replacements of them, several times a second until stopped."""

    def __init__(self, setting, words):
        keys, key_file = writing.make_keys(setting)
        os.mkdir(setting.path("written"))
        self.service = writing.Service(setting, setting.path("written"), keys, "--api-keys", key_file, "--refresh-ms", "200")
        self.service.expect(201, "PUT", "/v1/collections/w", key="admin")
        self.words, self.rng, self.failure = words, setting.rng, None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def _write(self):
        number = 0
        while not self._stop.wait(0.2) and not self.failure:
            names = [f"d{(number + i) % 500}" for i in range(20)]
            number += len(names)
            body = "\n".join(writing.line(name, self.rng.choices(self.words, k=10)) for name in names)
            try:
                self.service.expect(200, "POST", "/v1/collections/w/documents", body, key="write")
            except (OSError, harness.Failure) as error:
                self.failure = error

    def stop(self):
        self._stop.set()
        self._thread.join(60)
        harness.expect(not self.failure, f"writing: {self.failure}")
        harness.end(self.service.process, "the service")


def check_expressions(prometheus):
    """Each has numbers within PATIENCE: a rate needs two scrapes of a series that moved."""
    records, alerts = expressions.rules()
    wanted = [(f"{dashboard}: {panel}", expression) for dashboard, panel, expression in expressions.panels()]
    wanted += [(f"rule {name}", name) for name in records]
    wanted += [(f"alert {alert}: {name}", name) for alert, expression in alerts.items() for name in sorted(expressions.metrics(expression))]
    if not prometheus.numbers('frond_leaf_gpu_state{state="ready"} == 1'):
        excused = [w for w in wanted if "frond_leaf_gpu_" in w[1] and "frond_leaf_gpu_state" not in w[1]]
        wanted = [w for w in wanted if w not in excused]
        print(f"no leaf has a GPU: {len(excused)} expressions about it are not asked", flush=True)
    left = wanted

    def all_there():
        nonlocal left
        left = [(where, expression) for where, expression in left if not prometheus.numbers(expression)]
        return not left

    try:
        harness.eventually(all_there, "every panel, rule and alert has data", PATIENCE)
    except harness.Failure as late:
        raise harness.Failure(f"{late}; no data: " + "; ".join(f"{where}: {expression}" for where, expression in left)) from None
    for name, expression in alerts.items():
        prometheus.ask("query", query=expression)
    print(f"{len(wanted)} expressions of {len(records)} rules, {len(alerts)} alerts and the panels have data", flush=True)


def check_quiet(prometheus, load):
    """A machine too busy to answer in time is no fault of the cluster: what it spoiled may fire, and is remembered for hours."""
    harness.expect(load.whole > 10 * load.bad, f"{load.whole} whole answers and {load.bad} others in a healthy cluster")
    excused = {"FrondSlow"} | (OF_ERRORS if load.bad else set())
    harness.eventually(lambda: not {name for name, _ in prometheus.firing()} - excused, f"nothing but {excused} fires in a healthy cluster", PATIENCE)


def check_killed_leaf(prometheus, cluster):
    harness.kill9(cluster.leaves[1])
    harness.eventually(lambda: KILLED_FIRES <= {name for name, _ in prometheus.firing()}, f"{KILLED_FIRES} fire", PATIENCE)
    down = {instance for name, instance in prometheus.firing() if name == "FrondLeafDown"}
    harness.expect(down == {f"127.0.0.1:{cluster.leaf_http[1]}"}, f"FrondLeafDown names {down}")
    cluster.start_leaf(1)
    harness.eventually(lambda: not KILLED_FIRES & {name for name, _ in prometheus.firing()}, "the alerts go", PATIENCE)
    print(f"a killed leaf fired {sorted(KILLED_FIRES)}; back, they went", flush=True)


def start_secure_broker(setting, port, cluster):
    """A second broker of the cluster, with HTTPS: what is said about certificates has data too. The certificate's file."""
    certificate, key = setting.path("server.pem"), setting.path("server.key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "60", "-subj", "/CN=broker",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    leaves = [flag for leaf in cluster.leaf_ports for flag in ("--leaf", f"tcp://127.0.0.1:{leaf}")]
    setting.spawn("secure-broker", "frond-broker", "--http", f"127.0.0.1:{port}", "--collection", "c", *leaves,
                  "--tls-certificate", certificate, "--tls-key", key)
    return certificate


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 300)
    source = random_text.Collection(rng, 3000, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 4)
    cluster = harness.Cluster(setting, repository, "c", 2, broker_flags=("--default-timeout", "20000"))
    indexer, own, secure = harness.free_ports(3)
    ca = start_secure_broker(setting, secure, cluster)
    writer = Writer(setting, words)
    prometheus = Prometheus(setting, own, [("frond-build", indexer), ("frond-indexer", writer.service.port), ("frond-broker", cluster.http), *(("frond-leaf", p) for p in cluster.leaf_http)],
                            [("frond-broker", secure)], ca)
    queries = [(q, rng.choice(("and", "or", "auto")), 10) for q in random_text.queries(rng, words, 12)]
    load = Load(cluster, queries)
    harness.eventually(lambda: len(prometheus.numbers("up == 1")) >= 6, "cluster, service and Prometheus are scraped", PATIENCE)
    # A second build, which Prometheus sees from before its end until long after.
    command = setting.build_command(setting.path("elsewhere"), "c", [source], 4, http=f"127.0.0.1:{indexer}", http_linger_seconds=600)
    build = setting.spawn("build", *command)
    check_expressions(prometheus)
    check_quiet(prometheus, load)
    check_killed_leaf(prometheus, cluster)
    load.stop()
    writer.stop()
    build.terminate()
    harness.expect(build.wait(30) == 0, f"the lingering build exited {build.returncode} at SIGTERM")
    cluster.stop()


if not shutil.which("prometheus"):
    print("skipped: no prometheus")
    sys.exit(harness.SKIPPED)
harness.run(test, harness.arguments(__doc__).parse_args())
