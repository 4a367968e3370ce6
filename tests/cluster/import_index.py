#!/usr/bin/env python3
"""frond import from a scripted node of Elasticsearch or OpenSearch to `frond up`: 100,000 documents, killed and resumed, none lost and
none twice; a node that is busy, that loses the place, that knows no points in time; what has nothing like it here is refused by name.
"""
import base64
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import harness

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python"))
import frond  # noqa: E402

MANY, FEW = 100_000, 3_000
MAPPING = {"properties": {"title": {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}}, "text": {"type": "text"},
                          "author": {"properties": {"name": {"type": "keyword"}}}, "year": {"type": "integer"}, "price": {"type": "scaled_float"},
                          "made": {"type": "date"}, "open": {"type": "boolean"}}}


def document(number):
    return {"title": f"Title {number}", "text": ["common words", f"word{number % 100}"], "author": {"name": f"author {number % 7}"},
            "year": str(1900 + number % 100) if number % 2 else 1900 + number % 100, "price": number / 4, "made": "2024-02-03T04:05:06Z", "open": number % 3 == 0}


class Node(http.server.BaseHTTPRequestHandler):
    """An index of so many documents. `server.way`: which kinds of places it knows; `server.places` are those it has."""
    protocol_version = "HTTP/1.1"

    def answer(self):
        node, body = self.server, self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.partition("?")[0]
        node.asked += 1
        if self.headers.get("Authorization") not in node.allowed:
            return self.send(401, {"error": {"reason": "who are you?"}})
        if node.asked % 13 == 0:
            return self.send(429, {"error": {"reason": "busy"}}, {"Retry-After": "0"})
        if self.command == "GET" and path == "/books":
            return self.send(200, {"books": {"mappings": node.mapping, "settings": {"index": {}}}})
        if path == "/books/_pit" and node.way == "shards" or path == "/books/_search/point_in_time" and node.way == "ids":
            name = f"place{node.asked}"
            node.places[name] = 0
            return self.send(200, {"id": name} if node.way == "shards" else {"pit_id": name})
        if self.command == "DELETE":
            node.places.clear()
            return self.send(200, {})
        if path == "/_search":
            return self.search(json.loads(body))
        if path == "/books/_search" and node.way == "scroll":
            node.places[name := f"scroll{node.asked}"], node.size = 0, json.loads(body)["size"]
            return self.scroll(name)
        if path == "/_search/scroll" and node.way == "scroll":
            return self.scroll(json.loads(body)["scroll_id"])
        return self.send(400, {"error": {"reason": f"no handler for {path}"}})

    def search(self, asked):
        node, order = self.server, next(iter(asked["sort"][0]))
        if asked["pit"]["id"] not in node.places:
            return self.send(404, {"error": {"reason": "No search context found"}})
        if (order == "_shard_doc") != (node.way == "shards"):
            return self.send(400, {"error": {"reason": f"No mapping found for [{order}] in order to sort on"}})
        after = asked.get("search_after", [None])[0]
        first = 0 if after is None else int(after) + 1  # ids have leading zeros
        return self.page(first, asked["size"], {"pit_id": asked["pit"]["id"]}, order, asked.get("_source", True))

    def scroll(self, name):
        node = self.server
        if name not in node.places:
            return self.send(404, {"error": {"reason": "No search context found"}})
        first = node.places[name]
        node.places[name] += node.size
        if node.breaks_after and first > node.breaks_after:  # the answer is lost, and the scroll is behind it
            node.breaks_after = 0
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        return self.page(first, node.size, {"_scroll_id": name}, "_doc")

    def page(self, first, size, more, order, sources=True):
        node = self.server
        hits = [{"_index": "books", "_id": f"{number:08}", "_source": document(number), "sort": [number if order != "_id" else f"{number:08}"]}
                for number in range(first, min(first + size, node.documents))]
        for hit in hits:
            number = int(hit["_id"])
            if number in node.odd:
                hit["_source"] = {"title": "half a pair \ud800" if number in node.odd[:1] else "x" * (65 << 20)}
            if not sources or number in node.odd[1:2]:
                del hit["_source"]
        if node.loses_after and first > node.loses_after:
            node.loses_after = 0
            node.places.clear()
        self.send(200, {**more, "took": 1, "_shards": {"total": 1, "failed": 0}, "hits": {"total": {"value": node.documents + node.more, "relation": "eq"}, "hits": hits}})

    def send(self, status, json_body, fields=()):
        data = json.dumps(json_body, indent=1).encode()
        self.send_response(status)
        for name, value in dict(fields).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


def node_of(documents, way="shards", allowed=(None,), mapping=None, loses_after=0, breaks_after=0, odd=()):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Node)
    server.documents, server.way, server.allowed, server.mapping, server.loses_after = documents, way, allowed, mapping or MAPPING, loses_after
    server.more, server.breaks_after, server.odd = 0, breaks_after, odd
    server.places, server.asked, server.size, server.daemon_threads = {}, 0, 0, True
    server.handle_error = lambda *_: None  # an import is killed
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


class Imports:
    def __init__(self, setting, url, key_file):
        self.setting, self.url, self.key_file = setting, url, key_file

    def command(self, node, name, *more):
        return [self.setting.program("frond"), "import", "--from", f"http://127.0.0.1:{node.server_port}/books", "--to", self.url, "--collection", name,
                "--key-file", self.key_file, "--state", self.setting.path(name + ".state"), *more]

    def run(self, node, name, *more, exit_code=0):
        done = subprocess.run(self.command(node, name, *more), capture_output=True, text=True, timeout=300)
        harness.expect(done.returncode == exit_code, f"import exited {done.returncode}: {done.stderr[-2000:]}")
        return done.stderr

    def state(self, name):
        try:
            with open(self.setting.path(name + ".state"), encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {"documents": 0}

    def kill_at(self, node, name, documents):
        with open(self.setting.path("import.log"), "ab") as log:
            process = subprocess.Popen(self.command(node, name), stdout=log, stderr=log)
        while self.state(name)["documents"] < documents:
            harness.expect(process.poll() is None, f"the import ended: {self.setting.log('import')[-2000:]}")
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return self.state(name)["documents"]

    def check(self, name, documents, without=()):
        documents = set(range(documents)) - set(without)
        with frond.Client(self.url, collection=name, key_file=self.key_file) as client:
            def all_there():
                try:
                    return client.count(query={"all": {}}, cache="off")["count"] == len(documents)
                except frond.RequestRefused as error:
                    raise harness.Refused(str(error)) from error
            harness.eventually(all_there, f"{len(documents)} documents are in {name}", 60)
            seen = [hit["id"] for hit in client.matches(query={"all": {}}, fields="id")]
            harness.expect(len(seen) == len(documents) and set(seen) == {f"{number:08}" for number in documents}, f"{name}: {len(seen)} documents")


def check_killed(imports, rng):
    node, stops = node_of(MANY), sorted(rng.sample(range(2000, MANY - 5000), 2))
    reached = [imports.kill_at(node, "many", stop) for stop in stops]
    said = imports.run(node, "many")
    harness.expect(f"goes on behind {reached[1]} documents" in said, said)
    imports.check("many", MANY)
    with frond.Client(imports.url, collection="many", key_file=imports.key_file) as client:
        hits = client.search("title:7 year:1907", mode="and", k=1, sort="_order",
                             fields="id,title,title.keyword,author.name,year,price,made,open,source")["hits"]
    source = hits[0].pop("source")["_source"]
    harness.expect(source == document(7), f"{source}")
    harness.expect(hits[0] == {"id": "00000007", "title": "Title 7", "title.keyword": ["Title 7"], "author.name": ["author 0"], "year": [1907], "price": [1.75],
                               "made": ["2024-02-03T04:05:06Z"], "open": [False], "sort": hits[0]["sort"]}, f"{hits}")
    harness.expect("were imported" in imports.run(node, "many", exit_code=1), "a done import says so")
    harness.expect("another file" in imports.run(node_of(1), "many", exit_code=1), "a state of another index is told")
    print(f"{MANY} documents, killed at {reached}, are there once", flush=True)


def check_ways(imports):
    for way in ("shards", "ids", "scroll"):
        said = imports.run(node_of(FEW, way, loses_after=1500), f"lost-{way}", "--page", "500")
        harness.expect(("begins again" in said) == (way != "ids"), f"{way}: {said}")
        imports.check(f"lost-{way}", FEW)
        node = node_of(FEW, way)
        imports.kill_at(node, f"gone-{way}", 100)
        node.places.clear()
        imports.run(node, f"gone-{way}", "--page", "700")
        imports.check(f"gone-{way}", FEW)
    said = imports.run(node_of(FEW, "scroll", breaks_after=1500), "broken", "--page", "500")
    harness.expect("begins again" in said, said)
    imports.check("broken", FEW)
    print("places that are lost: all documents are there once", flush=True)


def check_odd(imports):
    for way, odd in (("shards", (700, 1100, 1900)), ("scroll", (700, 1100))):
        said = imports.run(node_of(FEW, way, odd=odd), f"odd-{way}", "--page", "500", exit_code=1)
        harness.expect(f"{len(odd)} of {FEW} documents were refused" in said and all(f"refused: {number:08}: " in said for number in odd), said)
        imports.check(f"odd-{way}", FEW, odd)
    short = node_of(FEW)
    short.more = 10
    harness.expect("begins again" in imports.run(short, "short", exit_code=1) and not imports.state("short")["done"], "an index of which some are not given")
    print("documents that can't be read are refused alone", flush=True)


def check_refusals(imports):
    other = {"properties": {"title": {"type": "text"}, "place": {"type": "geo_point"}, "v": {"type": "dense_vector"}, "t": {"type": "text", "analyzer": "french"},
                            "d": {"type": "date", "format": "basic_week_date"}}}
    said = imports.run(node_of(10, mapping=other), "other", exit_code=1)
    for name in ("place (type [geo_point]", "v (type [dense_vector]", "analyzer [french]", "d (format basic_week_date)", "--skip"):
        harness.expect(name in said, f"{name} is not named: {said}")
    imports.run(node_of(10, mapping=other), "other", "--skip")
    imports.check("other", 10)
    harness.expect("already" in imports.run(node_of(10), "docs", exit_code=1), "a collection that is there")
    key, password = imports.setting.path("es.key"), imports.setting.path("es.password")
    for path, text in ((key, "abc==\n"), (password, "sesame\n")):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    guarded = node_of(10, allowed=("ApiKey abc==", "Basic " + base64.b64encode(b"me:sesame").decode()))
    harness.expect("who are you?" in imports.run(guarded, "guarded", exit_code=1), "without a key")
    imports.run(guarded, "guarded", "--from-key-file", key)
    imports.run(guarded, "guarded2", "--from-user", "me", "--from-password-file", password)


def test(setting):
    http, api = harness.free_ports(2)
    setting.spawn("up", "frond", "up", "--data", setting.path("state"), "--http", f"127.0.0.1:{http}", "--elasticsearch-api", f"127.0.0.1:{api}")
    harness.eventually(lambda: "search page" in setting.log("up"), "frond up is up", 60)
    imports = Imports(setting, f"http://127.0.0.1:{http}", setting.path("state", "api.key"))
    check_refusals(imports)
    check_ways(imports)
    check_odd(imports)
    check_killed(imports, setting.rng)


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
