#!/usr/bin/env python3
"""A broker under HTTPS: the same answers, certificates that change, clients that reject untrusted servers, slow clients."""
import functools
import http.client
import http.server
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

import harness
import random_text

OPENSSL = shutil.which("openssl")


def openssl(*args, **more):
    done = subprocess.run([OPENSSL, *map(str, args)], capture_output=True, text=True, timeout=60, **more)
    harness.expect(done.returncode == 0, f"openssl {args[0]}: {done.stderr}")
    return done.stdout


class Authority:
    """Signs servers' certificates; all made here, good for a day or two."""

    def __init__(self, setting, name):
        self.ca, self.key, self.name = setting.path(name + ".pem"), setting.path(name + ".key"), name
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2, "-subj",
                f"/CN={name}", "-keyout", self.key, "-out", self.ca)

    def issue(self, folder, names, days=1):
        """server.pem and server.key in a folder, put in place as kubelet does: a link is moved to a new folder."""
        fresh = f"{folder}-{time.monotonic_ns()}"
        os.makedirs(fresh)
        request, certificate, key = (os.path.join(fresh, n) for n in ("request", "server.pem", "server.key"))
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=broker",
                "-keyout", key, "-out", request)
        extensions = os.path.join(fresh, "extensions")
        with open(extensions, "w", encoding="ascii") as file:
            file.write(f"subjectAltName={names}\n")
        openssl("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self.key, "-CAcreateserial", "-days", days,
                "-extfile", extensions, "-out", certificate)
        switch(folder, fresh)


def switch(folder, to):
    os.symlink(to, folder + ".new")
    os.replace(folder + ".new", folder)


def trust(ca):
    return ssl.create_default_context(cafile=ca)


def fetch(port, path, ca, method="GET", body=None):
    """(status, headers, body) of one request over HTTPS."""
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=trust(ca))
    try:
        connection.request(method, path, body=body)
        reply = connection.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read()
    finally:
        connection.close()


class SecureCluster(harness.Cluster):
    """The same cluster with a broker that speaks TLS."""

    def __init__(self, *args, authority, **more):
        self.authority = authority
        super().__init__(*args, **more)

    def await_ready(self, seconds=60):
        harness.eventually(lambda: fetch(self.http, "/readyz", self.authority.ca)[0] == 200, "the broker is ready", seconds)

    def metric(self, name):
        text = fetch(self.http, "/metrics", self.authority.ca)[2].decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))


def check_answers(plain, secure, queries, ca):
    """Pages and answers are the plain broker's, byte for byte, but for times."""
    for path in ("/", "/status", "/openapi.json"):
        status, body = harness.fetch(plain.http, path)
        again = fetch(secure.http, path, ca)
        harness.expect((status, body) == (again[0], again[2]), f"{path} differs under TLS")
    headers = fetch(secure.http, "/", ca)[1]
    harness.expect(headers.get("Strict-Transport-Security") == "max-age=60", f"headers of the page: {headers}")
    harness.expect("default-src 'none'" in headers["Content-Security-Policy"], f"headers of the page: {headers}")
    for query in queries:
        path = f"/v1/search?q={query.replace(' ', '+')}&cache=off&timeout_ms=20000"
        a = harness.Answer(*harness.fetch(plain.http, path))
        status, _, body = fetch(secure.http, path, ca)
        harness.expect(a.hits == harness.Answer(status, body).hits, f"{query!r} is answered differently under TLS")
    batch = "".join(json.dumps({"q": query, "cache": "off", "timeout_ms": 20000}) + "\n" for query in queries).encode()
    answers = [harness.fetch(plain.http, "/v1/msearch", method="POST", body=batch)[1],
               fetch(secure.http, "/v1/msearch", ca, "POST", batch)[2]]
    hits = [[json.loads(line)["hits"] for line in body.splitlines()] for body in answers]
    harness.expect(hits[0] == hits[1] and len(hits[0]) == len(queries), "msearch is answered differently under TLS")
    print(f"{len(queries)} searches, an msearch and 3 pages: the same over HTTPS", flush=True)


def frond(setting, *args, environment=None):
    return subprocess.run([setting.program("frond"), *map(str, args)], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **(environment or {})})


def check_clients(setting, cluster, other, query):
    """frond believes whom it should, and says why where it does not."""
    port, ca = cluster.http, cluster.authority.ca
    good = frond(setting, "search", "--broker", f"https://127.0.0.1:{port}", "--tls-ca", ca, query)
    harness.expect(good.returncode == 0 and " ms\n" in good.stdout and " documents" in good.stdout, f"frond search: {good.stderr}{good.stdout}")
    by_environment = frond(setting, "search", "--broker", f"https://127.0.0.1:{port}", query, environment={"FROND_TLS_CA": ca})
    harness.expect(by_environment.returncode == 0, f"frond search with FROND_TLS_CA: {by_environment.stderr}")
    probe = frond(setting, "probe", f"https://127.0.0.1:{port}/readyz", "--tls-ca", ca)
    harness.expect(probe.returncode == 0, f"frond probe: {probe.stderr}")
    with open(setting.path("queries.txt"), "w", encoding="utf-8") as file:
        file.write(query + "\n")
    load = frond(setting, "load", "--broker", f"https://127.0.0.1:{port}", "--tls-ca", ca, "--queries",
                 setting.path("queries.txt"), "--concurrency", 3, "--seconds", 0.5, "--json")
    report = json.loads(load.stdout)
    harness.expect(load.returncode == 0 and report["answers"] > 0 and report["connection_errors"] == 0, f"frond load: {report}")
    for broker, more, status, word in (
            (f"https://127.0.0.1:{port}", ["--tls-ca", other.ca], 1, "is not trusted"),
            (f"https://127.0.0.1:{port}", [], 1, "is not trusted"),
            (f"https://localhost:{port}", ["--tls-ca", ca], 1, "not for this host name"),
            (f"http://127.0.0.1:{port}", [], 1, "HTTPS only"),
            (f"https://127.0.0.1:{port}", ["--tls-ca", "/nowhere.pem"], 2, "/nowhere.pem: No such file"),
            (f"https://127.0.0.1:{port}", ["--tls-ca", cluster.authority.key], 2, "no PEM certificate")):
        for command in (["search", query], ["load", "--queries", setting.path("queries.txt"), "--concurrency", 1, "--seconds", 0.2]):
            if command[0] == "load" and broker.startswith("http:"):
                continue  # counts a 400 as an answer of the broker's
            done = frond(setting, command[0], "--broker", broker, *more, *command[1:])
            harness.expect(done.returncode == status and word in done.stderr and done.stderr.count("\n") == 1,
                           f"frond {command[0]} at {broker} {more}: exit {done.returncode}: {done.stderr}")
    print("frond: trusts its authority, refuses another, another name, and plain HTTP is told so", flush=True)


def check_bad_files(setting, good):
    """One line, exit 2."""
    common = ["--http", "127.0.0.1:0", "--collection", "c", "--leaf", "tcp://127.0.0.1:1"]
    pem, key = os.path.join(good, "server.pem"), os.path.join(good, "server.key")
    for flags, word in ((["--tls-certificate", "/nowhere.pem", "--tls-key", key], "/nowhere.pem: No such file"),
                        (["--tls-certificate", key, "--tls-key", key], "no PEM certificate"),
                        (["--tls-certificate", pem, "--tls-key", setting.path("ca.key")], "not the key of the certificate"),
                        (["--tls-certificate", pem], "--tls-key"),
                        (["--tls-hsts-seconds", "5"], "--tls-certificate")):
        done = subprocess.run([setting.program("frond-broker"), *common, *flags], capture_output=True, text=True, timeout=30)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("{")]
        harness.expect(done.returncode == 2 and len(lines) == 1 and word in lines[0], f"{flags}: exit {done.returncode}: {done.stderr}")


def shown(port):
    """The certificate that a new connection is shown."""
    return ssl.get_server_certificate(("127.0.0.1", port), timeout=10)


def check_rotation(cluster, folder):
    """New connections get the new certificate, an open one lives on, a bad pair changes nothing."""
    before, expiry = shown(cluster.http), cluster.metric("frond_broker_tls_certificate_expiry_timestamp_seconds")
    open_one = http.client.HTTPSConnection("127.0.0.1", cluster.http, timeout=30, context=trust(cluster.authority.ca))
    open_one.request("GET", "/livez")
    harness.expect(open_one.getresponse().read() == b"alive\n", "no answer before the change")
    cluster.authority.issue(folder, "IP:127.0.0.1", days=2)
    harness.eventually(lambda: shown(cluster.http) != before, "the new certificate is shown")
    harness.expect(cluster.metric("frond_broker_tls_certificate_expiry_timestamp_seconds") > expiry, "the expiry's metric stayed")
    good = shown(cluster.http)
    os.makedirs(folder + "-bad")
    for name in ("server.pem", "server.key"):
        shutil.copy(os.path.join(folder, name), folder + "-bad")
    with open(os.path.join(folder + "-bad", "server.pem"), "w", encoding="ascii") as file:
        file.write("no certificate\n")
    switch(folder, folder + "-bad")
    harness.eventually(lambda: cluster.metric('frond_broker_tls_certificate_reloads_total{outcome="failed"}') == 1, "the bad pair is counted")
    harness.expect(shown(cluster.http) == good, "a bad pair took the good one's place")
    open_one.request("GET", "/livez")
    harness.expect(open_one.getresponse().read() == b"alive\n", "an open connection was lost")
    open_one.close()
    log = cluster.setting.log(cluster.name + "-broker")
    harness.expect("new TLS certificate refused" in log and "no PEM certificate" in log, "the bad pair is not in the log")
    print("rotation: new connections see the new certificate, a bad pair is refused, open connections live on", flush=True)


def begin_slowly(cluster):
    """Half of a handshake's beginning."""
    slow = socket.create_connection(("127.0.0.1", cluster.http), timeout=60)
    slow.sendall(b"\x16\x03")
    return slow


def check_slow_client(cluster, slow):
    """It held up nobody meanwhile, and is cut."""
    harness.expect(slow.recv(1) == b"", "a slow handshake got an answer")
    harness.eventually(lambda: cluster.metric('frond_broker_tls_handshake_failures_total{reason="timeout"}') == 1, "the cut is counted")
    slow.close()
    print("a slow handshake was cut", flush=True)


def check_repository(setting, near, repository, authority, queries):
    """A leaf reads its repository over HTTPS from a server that it trusts, and from no other."""
    folder = setting.path("files")
    authority.issue(folder, "DNS:localhost, IP:127.0.0.1")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_):
            pass  # who does not trust it says so, and leaves

    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=repository))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"https://127.0.0.1:{server.server_address[1]}"

    ports = harness.free_ports(2)
    suspicious = setting.spawn("suspicious-leaf", "frond-leaf", "--repository", url, "--collection", "c", "--data",
                               setting.path("suspicious"), "--listen", f"tcp://127.0.0.1:{ports[0]}", "--http", f"127.0.0.1:{ports[1]}")
    harness.eventually(lambda: "is not trusted" in setting.log("suspicious-leaf"), "a leaf without the authority says so")
    suspicious.terminate()
    bad = subprocess.run([setting.program("frond-leaf"), "--repository", url, "--tls-ca", "/nowhere.pem", "--collection", "c", "--data",
                          setting.path("bad"), "--listen", "tcp://127.0.0.1:0", "--http", "127.0.0.1:0"],
                         capture_output=True, text=True, timeout=30)
    harness.expect(bad.returncode == 2 and "/nowhere.pem: No such file" in bad.stderr, f"a bad --tls-ca: {bad.returncode}: {bad.stderr}")
    os.environ["FROND_TLS_CA"] = authority.ca
    far = harness.Cluster(setting, url, "c", 1, name="far")
    del os.environ["FROND_TLS_CA"]
    for query in queries:
        harness.expect(near.search(query, cache="off").hits == far.search(query, cache="off").hits, f"{query!r} is answered differently")
    far.stop()
    server.shutdown()
    print("a repository over HTTPS: the same answers; not read from a server that is not trusted", flush=True)


def check_drain(cluster):
    """SIGTERM: open connections are ended in order, under TLS's own word, and the process exits 0."""
    idle = trust(cluster.authority.ca).wrap_socket(socket.create_connection(("127.0.0.1", cluster.http), timeout=30),
                                                   server_hostname="127.0.0.1", suppress_ragged_eofs=False)
    idle.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    heard = b""
    while not heard.endswith(b"alive\n"):
        heard += idle.recv(4096)
    cluster.broker.send_signal(signal.SIGTERM)
    harness.expect(idle.recv(4096) == b"", "an idle connection got something at the end")
    harness.expect(cluster.broker.wait(30) == 0, "the broker did not exit 0")
    harness.end(cluster.leaves[0], "the leaf")


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    source = random_text.Collection(rng, 3000, words).write(setting.path("documents.jsonl"))
    queries = random_text.queries(rng, words, 20)
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 2)
    ca, other = Authority(setting, "ca"), Authority(setting, "other")
    folder = setting.path("tls")
    ca.issue(folder, "IP:127.0.0.1")
    check_bad_files(setting, folder)

    plain = harness.Cluster(setting, repository, "c", 1, name="plain")
    secure = SecureCluster(setting, repository, "c", 1, name="secure", authority=ca, broker_flags=(
        "--tls-certificate", os.path.join(folder, "server.pem"), "--tls-key", os.path.join(folder, "server.key"),
        "--tls-hsts-seconds", "60"))
    slow = begin_slowly(secure)
    check_answers(plain, secure, queries, ca.ca)
    check_clients(setting, secure, other, queries[0])
    check_rotation(secure, folder)
    check_repository(setting, plain, repository, ca, queries[:5])
    check_slow_client(secure, slow)
    check_drain(secure)
    plain.stop()


if not OPENSSL:
    print("no openssl here: skipped")
    sys.exit(harness.SKIPPED)
harness.run(test, harness.arguments(__doc__).parse_args())
