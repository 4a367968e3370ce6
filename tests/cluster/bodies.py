#!/usr/bin/env python3
"""Compressed bodies on every route that takes a body, of a broker, its Elasticsearch API and the indexer's service: gzip, deflate and
zstd are answered as the plain body is; other codings are 415, half ones 400, and ones that grow beyond their route's bound 413, in
bounded memory. Answers are compressed for clients that accept it.
"""
import gzip
import http.client
import json
import os
import shutil
import socket
import subprocess
import zlib

import harness

LINES, JSON = "application/x-ndjson", "application/json"
BOMB, MAX_GROWTH = 512 << 20, 150 << 20
# Of the broker's description and the service's, and of the tables in broker/elasticsearch: method, path, type, body.
OURS = [("POST", "/v1/search", JSON, b'{"q":"word"}'), ("POST", "/v1/count", JSON, b'{"q":"word"}'), ("POST", "/v1/msearch", LINES, b'{"q":"word"}\n'),
        ("POST", "/v1/collections/docs/search", JSON, b'{"q":"word"}'), ("POST", "/v1/collections/docs/count", JSON, b'{"q":"word"}'),
        ("POST", "/v1/collections/docs/msearch", LINES, b'{"q":"word"}\n'), ("POST", "/v1/fuse", JSON, b'{"search":{"q":"word"},"ranking":["n1"]}'),
        ("POST", "/v1/collections/docs/fuse", JSON, b'{"search":{"q":"word"},"ranking":["n1"]}')]
CHANGES = [("PUT", "/v1/collections/other", JSON, b'{"stemmer":"english"}'), ("POST", "/v1/collections/docs/documents", LINES, b'{"id":"1","body":"word"}\n'),
           ("POST", "/v1/collections/docs/switch", JSON, b'{"generation":999}')]
SERVICE = [*CHANGES, ("POST", "/v1/collections/docs/changes", LINES, b'{"index":{"id":"2"}}\n{"id":"2","body":"word"}\n'),
           ("POST", "/v1/collections/docs/latest", JSON, b'{"ids":["1"]}'), ("PUT", "/v1/collections/docs/metadata", JSON, b'{"metadata":{}}'),
           ("PUT", "/v1/metadata", JSON, b"{}")]
ELASTICSEARCH = [("PUT", "/books", JSON, b'{"mappings":{"properties":{"t":{"type":"text"}}}}'), ("PUT", "/books/_mapping", JSON, b'{"properties":{"n":{"type":"long"}}}'),
                 ("PUT", "/books/_settings", JSON, b'{"index":{"number_of_replicas":0}}'), ("PUT", "/books/_alias/a", JSON, b"{}"),
                 ("POST", "/_aliases", JSON, b'{"actions":[{"add":{"index":"books","alias":"b"}}]}'),
                 ("POST", "/_bulk", LINES, b'{"index":{"_index":"books","_id":"1"}}\n{"t":"word"}\n'), ("POST", "/books/_bulk", LINES, b'{"index":{"_id":"1"}}\n{"t":"word"}\n'),
                 ("PUT", "/books/_doc/1", JSON, b'{"t":"word"}'), ("PUT", "/books/_create/1", JSON, b'{"t":"word"}'), ("POST", "/books/_update/1", JSON, b'{"doc":{"t":"word"}}'),
                 ("POST", "/_mget", JSON, b'{"docs":[{"_index":"books","_id":"1"}]}'), ("POST", "/books/_mget", JSON, b'{"ids":["1"]}'),
                 ("POST", "/_search", JSON, b'{"size":1}'), ("POST", "/books/_search", JSON, b'{"size":1}'), ("POST", "/books/_count", JSON, b"{}"),
                 ("POST", "/_msearch", LINES, b'{"index":"books"}\n{"size":1}\n'), ("POST", "/books/_validate/query", JSON, b'{"query":{"match_all":{}}}'),
                 ("POST", "/books/_explain/1", JSON, b'{"query":{"match_all":{}}}'), ("POST", "/_analyze", JSON, b'{"text":"a word"}'),
                 ("POST", "/books/_update_by_query?conflicts=proceed", JSON, b"{}"), ("POST", "/_reindex", JSON, b'{"source":{"index":"books"},"dest":{"index":"copy"}}'),
                 ("PUT", "/_index_template/t", JSON, b'{"index_patterns":["t-*"]}'), ("POST", "/_search/scroll", JSON, b'{"scroll_id":"x"}')]


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def zstd(body):
    return subprocess.run(["zstd", "-q", "-c"], input=body, capture_output=True, check=True).stdout


def bomb():
    """A gzip stream of BOMB zeros."""
    packer, piece = zlib.compressobj(9, zlib.DEFLATED, 31), bytes(1 << 20)
    return b"".join(packer.compress(piece) for _ in range(BOMB >> 20)) + packer.flush()


def codings():
    made = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstd}
    if shutil.which("zstd") is None:
        print("zstd is not installed: left out")
        del made["zstd"]
    return made


class Door:
    def __init__(self, name, connect, key, process):
        self.name, self.connect, self.key, self.process = name, connect, key, process

    def ask(self, method, path, kind=JSON, body=None, coding=None, accept=None):
        """(status, fields, body); what is sent is not read whole where it is refused."""
        connection = self.connect()
        try:
            fields = {"Authorization": "Bearer " + self.key, "Content-Type": kind, **({"Content-Encoding": coding} if coding else {})}
            connection.request(method, path, body=body, headers={**fields, "Accept-Encoding": accept or "identity"})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()

    def resident(self):
        with open(f"/proc/{self.process}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def check_route(door, method, path, kind, body, large):
    where = f"{door.name}: {method} {path}"
    # What is made is there from now on, and searched soon.
    harness.eventually(lambda: door.ask(method, path, kind, body)[0] != 503, f"{where}: a plain body is answered", 30)
    plain = door.ask(method, path, kind, body)[0]
    harness.expect(plain not in (404, 405, 413, 415) and plain < 500, f"{where}: a plain body is answered {plain}")
    for coding, coded in codings().items():
        packed = coded(body)
        harness.expect((status := door.ask(method, path, kind, packed, coding)[0]) == plain, f"{where}: {coding} is answered {status}, a plain body {plain}")
        half = door.ask(method, path, kind, packed[:len(packed) // 2], coding)[0]
        harness.expect(half == 400, f"{where}: half of {coding} is answered {half}")
    status, fields, told = door.ask(method, path, kind, body, "br")
    harness.expect(status == 415 and b"br" in told and fields["Accept-Encoding"] == "gzip, deflate, zstd", f"{where}: br is answered {status} {told}")
    before = door.resident()
    status = door.ask(method, path, kind, large, "gzip")[0]
    harness.expect(status == 413, f"{where}: a body that grows to {BOMB} bytes is answered {status}")
    harness.expect(door.resident() - before < MAX_GROWTH, f"{where}: {door.resident() - before} bytes more after a body that grows")


def check_described(door, routes, extra=()):
    """No route that is described to take a body is missing in the tables."""
    described = json.loads(door.ask("GET", "/openapi.json")[2])["paths"]
    takes = {(method.upper(), path) for path, methods in described.items() for method, one in methods.items() if method != "parameters" and "requestBody" in one}
    listed = {(method, path.replace("/collections/docs", "/collections/{collection}").replace("/collections/other", "/collections/{collection}"))
              for method, path, _, _ in routes}
    harness.expect(takes <= listed and listed - takes <= set(extra), f"{door.name}: {takes ^ listed}: a new route?")


def check_answers(door, path):
    plain = door.ask("GET", path)
    harness.expect("Content-Encoding" not in plain[1] and plain[1]["Vary"] == "Accept-Encoding", f"{door.name}: {plain[1]}")
    status, fields, packed = door.ask("GET", path, accept="gzip, deflate, br")
    harness.expect(status == 200 and fields["Content-Encoding"] == "gzip" and len(packed) < len(plain[2]), f"{door.name}: {fields}")
    harness.expect(gzip.decompress(packed)[-500:] == plain[2][-500:], f"{door.name}: another answer")
    if shutil.which("zstd"):
        status, fields, packed = door.ask("GET", path, accept="gzip, zstd")
        harness.expect(fields["Content-Encoding"] == "zstd", f"{door.name}: {fields}")
        subprocess.run(["zstd", "-q", "-t"], input=packed, check=True)
    print(f"{door.name}: {path} has {len(plain[2])} bytes, {len(packed)} compressed", flush=True)


def children(process):
    """The programs of `frond up`, by name."""
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        found = {}
        for child in file.read().split():
            with open(f"/proc/{child}/cmdline", "rb") as line:
                found[os.path.basename(line.read().split(b"\0")[0].decode())] = int(child)
        return found


def test(setting):
    port, api = harness.free_ports(2)
    up = setting.spawn("up", "frond", "up", "--data", setting.path("state"), "--http", f"127.0.0.1:{port}", "--elasticsearch-api", f"127.0.0.1:{api}")
    harness.eventually(lambda: "search page" in setting.log("up"), "frond up is up", 60)
    with open(setting.path("state", "api.key"), encoding="ascii") as file:
        key = file.read().strip()
    programs, large = children(up), bomb()
    broker = Door("broker", lambda: http.client.HTTPConnection("127.0.0.1", port, timeout=60), key, programs["frond-broker"])
    elasticsearch = Door("elasticsearch", lambda: http.client.HTTPConnection("127.0.0.1", api, timeout=60), key, programs["frond-broker"])
    service = Door("service", lambda: Unix(setting.path("state", "run", "indexer.sock")), key, programs["frond-indexer"])
    check_described(broker, OURS)
    check_described(service, SERVICE)
    lines = b"".join(json.dumps({"id": f"n{n}", "title": f"title {n}", "body": "word " * 20}).encode() + b"\n" for n in range(200))
    harness.expect(service.ask("POST", "/v1/collections/docs/documents", LINES, zlib.compress(lines), "deflate")[0] == 200, "200 documents")
    service.ask("POST", "/v1/collections/docs/refresh")
    harness.eventually(lambda: b'"n1' in broker.ask("GET", "/v1/search?q=word&k=200&cache=off")[2], "the documents are found", 60)
    for door, routes in ((broker, OURS + CHANGES), (service, SERVICE), (elasticsearch, ELASTICSEARCH)):
        for route in routes:
            check_route(door, *route, large)
        print(f"{door.name}: {len(routes)} routes", flush=True)
    check_answers(broker, "/v1/search?q=word&k=200&cache=off")
    check_answers(broker, "/openapi.json")
    check_answers(service, "/openapi.json")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
