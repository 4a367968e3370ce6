#!/usr/bin/env python3
"""`frond-indexer serve`: leaves that read a repository from it serve what a leaf that reads the folder serves, and follow it, over HTTP
and HTTPS, also when the service is killed and started again in the middle. It serves published files only, to clients that stall too.
"""
import http.client
import json
import os
import shutil
import socket
import subprocess
import time

import harness
import random_text


class Service:
    def __init__(self, setting, repository, *flags, name="serve"):
        self.setting, self.repository, self.flags, self.name = setting, repository, flags, name
        self.port, self.process = harness.free_ports(1)[0], None
        self.start()

    def start(self):
        self.process = self.setting.spawn(self.name, "frond-indexer", "serve", "--repository", self.repository, "--listen",
                                          f"127.0.0.1:{self.port}", *self.flags)

    def await_ready(self):
        harness.eventually(lambda: self.get("/readyz")[0] == 200, "the service is ready")

    def get(self, path):
        return harness.fetch(self.port, path)

    def head(self, path, **fields):
        """(status, headers) of a GET with more fields, and its body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in fields.items()})
            reply = connection.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read()
        finally:
            connection.close()


def check_same_answers(setting, service, words, sources):
    queries = random_text.queries(setting.rng, words, 30)
    near = harness.Cluster(setting, service.repository, "c", 1, name="directory")
    far = harness.Cluster(setting, f"http://127.0.0.1:{service.port}/repository", "c", 2, name="served")
    for source in (None, sources[1]):
        if source:
            setting.build(service.repository, "c", [source], 2)
        generation = harness.current(service.repository, "c")
        for cluster in (near, far):
            harness.eventually(lambda c=cluster: c.search(words[0], cache="off").generation == generation, f"generation {generation} is served", 60)
        for query in queries:
            a, b = near.search(query, cache="off"), far.search(query, cache="off")
            harness.expect(a.hits == b.hits, f"{query!r}: {b.hits} by the service, {a.hits} from the folder")
        print(f"generation {generation}: {len(queries)} answers, all the same", flush=True)
    near.stop()
    far.stop()


def published(repository):
    for folder, _, names in os.walk(repository):
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), repository)


def check_files(setting, service):
    """Published files come whole and in ranges; nothing else comes."""
    served = 0
    for path in published(service.repository):
        parts = path.split("/")
        status, _, body = service.head("/repository/" + path)
        if parts[1] in ("generations", "partitions", "CURRENT"):
            with open(os.path.join(service.repository, path), "rb") as file:
                whole = file.read()
            harness.expect(status == 200 and body == whole, f"{path}: status {status}, {len(body)} bytes of {len(whole)}")
            at = setting.rng.randrange(len(whole))
            status, headers, rest = service.head("/repository/" + path, Range=f"bytes={at}-")
            harness.expect(status == 206 and rest == whole[at:] and headers["Content-Range"] == f"bytes {at}-{len(whole) - 1}/{len(whole)}", f"{path} from {at}: {status}")
            harness.expect(service.head("/repository/" + path, If_None_Match=headers["ETag"])[0] == 304, f"{path}: it has not changed")
            served += 1
        else:
            harness.expect(status == 404, f"{path} is served")
    harness.expect(served > 10, f"{served} files")
    secret = setting.path("secret")
    with open(secret, "w", encoding="ascii") as file:
        file.write("secret")
    os.makedirs(os.path.join(service.repository, "c", "building"), exist_ok=True)
    shutil.copy(secret, os.path.join(service.repository, "c", "building", "x"))
    shutil.copy(secret, os.path.join(service.repository, "c", "partitions", ".hidden"))
    for path in ("/repository/", "/repository/c", "/repository/c/", "/repository/c/building/x", "/repository/c/partitions/.hidden", "/repository/c/LOCK",
                 "/repository/c/partitions", "/repository/../secret", "/repository/c/../../secret", "/repository/c/partitions/../../../secret",
                 "/repository/%2e%2e/secret", "/repository//secret", "/repository/c/CURRENT/", "/repository/c/generations/none.json", "/", "/v1", "/v1/collections/", "/v1/collections/..",
                 "/v1/collectionsc", "/v1/collections/none"):
        status, body = service.get(path)
        harness.expect(status == 404 and b"secret" not in body, f"{path}: status {status}")
    harness.expect(harness.fetch(service.port, "/repository/c/CURRENT", method="PUT", body=b"1")[0] in (405, 413), "a file can be put")
    collections = json.loads(service.get("/v1/collections")[1])
    generation = harness.current(service.repository, "c")
    harness.expect(collections == {"collections": [{"collection": "c", "generation": generation}]}, collections)
    described = json.loads(service.get("/v1/collections/c")[1])
    harness.expect(described["generation"] == generation and described["documents"] > 0 and described["partitions"] == 2, described)
    print(f"{served} files, whole and in ranges; nothing that is not published", flush=True)


def check_stalling_clients(service):
    """Clients that ask for files and take nothing: others are served, and memory is bounded."""
    large = max((path for path in published(service.repository)), key=lambda path: os.path.getsize(os.path.join(service.repository, path)))
    stalled = []
    for _ in range(60):
        client = socket.create_connection(("127.0.0.1", service.port))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(f"GET /repository/{large} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 3)
        stalled.append(client)
    status, body = service.get("/repository/" + large)
    harness.expect(status == 200 and len(body) == os.path.getsize(os.path.join(service.repository, large)), f"beside stalled clients: {status}")
    harness.expect(harness.metric(service.port, "frond_http_connections") >= 60, "the stalled clients are connected")
    harness.expect(harness.metric(service.port, "frond_http_unsent_bytes") <= 60 * (512 << 10), "what is held for them")
    for client in stalled:
        client.close()
    harness.eventually(lambda: harness.metric(service.port, "frond_http_unsent_bytes") == 0, "what was held for them is given back")


def check_killed_service(setting, sources):
    """The service dies and comes again while a leaf copies from it."""
    repository = setting.path("killed")
    setting.build(repository, "c", sources, 2)
    service = Service(setting, repository, "--min-client-rate", 0, name="killed")
    service.await_ready()
    ports = harness.free_ports(2)
    leaf = setting.spawn("killed-leaf", "frond-leaf", "--repository", f"http://127.0.0.1:{service.port}/repository", "--collection", "c",
                         "--data", setting.path("killed-data"), "--listen", f"tcp://127.0.0.1:{ports[0]}", "--http", f"127.0.0.1:{ports[1]}")
    for _ in range(5):
        time.sleep(setting.rng.random() * 0.1)
        harness.kill9(service.process)
        service.start()
    harness.eventually(lambda: harness.fetch(ports[1], "/readyz")[0] == 200, "the leaf is ready", 60)
    harness.end(leaf, "the leaf")
    harness.end(service.process, "the service")


def check_https(setting, repository):
    """A leaf reads over HTTPS; a client that speaks plain HTTP is told."""
    if not shutil.which("openssl"):
        return print("no openssl: HTTPS is not tested", flush=True)
    key, certificate = setting.path("server.key"), setting.path("server.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=indexer",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    service = Service(setting, repository, "--tls-certificate", certificate, "--tls-key", key, name="https")
    ports = harness.free_ports(2)
    leaf = setting.spawn("https-leaf", "frond-leaf", "--repository", f"https://127.0.0.1:{service.port}/repository", "--tls-ca", certificate,
                         "--collection", "c", "--data", setting.path("https-data"), "--listen", f"tcp://127.0.0.1:{ports[0]}", "--http", f"127.0.0.1:{ports[1]}")
    harness.eventually(lambda: harness.fetch(ports[1], "/readyz")[0] == 200, "the leaf is ready over HTTPS", 60)
    harness.expect(service.get("/readyz")[0] == 400, "plain HTTP at a port of HTTPS")
    harness.end(leaf, "the leaf")
    harness.end(service.process, "the service")


def check_bad_flags(setting):
    for flags in (["--listen", "nowhere"], ["--listen", "127.0.0.1:0", "--tls-certificate", "none.pem", "--tls-key", "none.key"],
                  ["--listen", "127.0.0.1:0", "--tls-certificate", "none.pem"], ["--listen", "256.0.0.1:80"]):
        done = subprocess.run([setting.program("frond-indexer"), "serve", "--repository", setting.folder, *flags], capture_output=True, text=True, timeout=30)
        harness.expect(done.returncode == 2 and done.stderr.count("frond-indexer") >= 1, f"{flags}: exit {done.returncode}, {done.stderr!r}")


def test(setting):
    words = random_text.vocabulary(setting.rng, 200)
    sources = [random_text.Collection(setting.rng, 3000, words, name=name).write(setting.path(name + ".jsonl")) for name in "ab"]
    late = setting.path("late")
    service = Service(setting, late)
    harness.eventually(lambda: service.get("/readyz")[0] == 503, "not ready without a repository")
    setting.build(late, "c", [sources[0]], 2)
    service.await_ready()
    check_same_answers(setting, service, words, sources)
    check_files(setting, service)
    check_stalling_clients(service)
    check_killed_service(setting, sources)
    check_https(setting, late)
    harness.end(service.process, "the service")
    check_bad_flags(setting)


harness.run(test, harness.arguments(__doc__).parse_args())
