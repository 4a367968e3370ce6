#!/usr/bin/env python3
"""Collections are made, written, read and removed over HTTP at `frond-indexer serve`, which is killed in between: what was acknowledged
is there once, and a living cluster answers, byte for byte, as a fresh build of what remains does. A second service takes over.
"""
import http.client
import json
import os
import statistics
import subprocess
import threading
import time
import urllib.parse

import harness
import random_text

ROUNDS = 6
SETTINGS = {"analyzer": "standard3", "stemmer": "english", "stop_words": "off", "k1": 1.2, "b": 0.6, "stored_compression": "fast"}
FLAGS = {"analyzer": "standard3", "stemmer": "english", "stop_words": "off", "k1": 1.2, "b": 0.6}


def make_keys(setting):
    """{scopes: key}, and the key file."""
    keys, path = {}, setting.path("api-keys")
    with open(path, "w", encoding="ascii") as entries:
        for scopes in ("search", "write", "admin"):
            prefix = setting.path("key-" + scopes)
            subprocess.run([setting.program("frond"), "keygen", "--api-key", scopes, "--scopes", scopes, "--output", prefix], check=True,
                           capture_output=True, timeout=60)
            with open(prefix + ".key", encoding="ascii") as file:
                keys[scopes] = file.read().strip()
            with open(prefix + ".entry", encoding="ascii") as file:
                entries.write(file.read())
    return keys, path


class Service:
    def __init__(self, setting, repository, keys, *flags, name="writer"):
        self.setting, self.repository, self.keys, self.flags, self.name = setting, repository, keys, flags, name
        self.port = harness.free_ports(1)[0]
        self.start()

    def start(self):
        self.process = self.setting.spawn(self.name, "frond-indexer", "serve", "--repository", self.repository, "--listen",
                                          f"127.0.0.1:{self.port}", *self.flags)
        harness.eventually(lambda: self.ask("GET", "/readyz")[0] == 200, "the service is ready")

    def kill_and_start(self):
        harness.kill9(self.process)
        self.start()

    def ask(self, method, path, body=None, key=None, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = {name.replace("_", "-"): value for name, value in fields.items()}
            if key:
                headers["Authorization"] = "Bearer " + self.keys[key]
            connection.request(method, path, body=body.encode() if body else None, headers=headers)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def expect(self, status, method, path, body=None, key=None, **fields):
        got, answer = self.ask(method, path, body, key, **fields)
        harness.expect(got == status, f"{method} {path}: {got} instead of {status}: {answer[:300]!r}")
        return answer

    def state(self, collection="c"):
        return json.loads(self.expect(200, "GET", f"/v1/collections/{collection}"))["writing"]

    def refresh(self, collection="c"):
        return json.loads(self.expect(200, "POST", f"/v1/collections/{collection}/refresh", key="write"))


def line(name, words):
    return json.dumps({"id": name, "title": "", "body": " ".join(words)})


def check_doors(service, closed):
    """Who may write what, and what wrong requests get."""
    documents = "/v1/collections/c/documents"
    service.expect(401, "POST", documents, line("a", ["b"]))
    service.expect(403, "POST", documents, line("a", ["b"]), key="search")
    service.expect(403, "PUT", "/v1/collections/c", key="write")
    service.expect(404, "POST", documents, line("a", ["b"]), key="write")
    for wrong, member in (({"k1": 99}, b"k1"), ({"stemmer": "klingon"}, b"stemmer"), ({"colour": 1}, b"colour"),
                          ({"stop_words": "/etc/passwd"}, b"stop_words"), ({"stored_compression": "zip"}, b"stored_compression"), ([], b"object")):
        harness.expect(member in service.expect(400, "PUT", "/v1/collections/c", json.dumps(wrong), key="admin"), f"{wrong}: no {member}")
    service.expect(400, "PUT", "/v1/collections/.hidden", key="admin")
    described = json.loads(service.expect(201, "PUT", "/v1/collections/c", json.dumps(SETTINGS), key="admin"))
    harness.expect(described["generation"] is None and described["writing"]["state"] == "writing", f"{described}")
    budgets = {one["flag"]: one["bytes"] for one in described["writing"]["budgets"]}
    harness.expect(budgets["--max-pending-bytes"] == 256 << 20 and "core" in described["writing"]["machine"], f"{described}")
    service.expect(409, "PUT", "/v1/collections/c", key="admin")
    harness.expect(service.refresh() == {"generation": None, "sequence": 0}, "a refresh of nothing")
    # Of a collection that never had a document.
    service.expect(200, "DELETE", "/v1/collections/c/documents/nobody", key="write")
    service.refresh()
    bad = "\n".join([line("x1", ["one"]), "", "{", json.dumps({"title": "no id"}), json.dumps({"id": "e" * 600, "body": "long"}), line("x2", ["two"])])
    lines = [json.loads(one) for one in service.expect(200, "POST", documents, bad, key="write").splitlines()]
    harness.expect([(one["line"], one["status"]) for one in lines] == [(1, 200), (3, 400), (4, 400), (5, 400), (6, 200)], f"{lines}")
    for condition in ({"if_change": 1}, {"version": 1, "counted": "greater"}):
        for change in ({"index": {"id": "x1", **condition}}, {"remove": {"id": "x1", **condition}}):
            body = json.dumps(change) + "\n" + (line("x1", ["one"]) + "\n" if "index" in change else "")
            harness.expect(b"keeps no sources" in service.expect(200, "POST", "/v1/collections/c/changes", body, key="write"), f"{change}")
    too_high = json.dumps({"index": {"id": "x1", "version": 1 << 63, "counted": "greater"}}) + "\n" + line("x1", ["one"]) + "\n"
    service.expect(400, "POST", "/v1/collections/c/changes", too_high, key="write")
    service.expect(400, "POST", documents, line("a", ["b"]), key="write", Idempotency_Key="k" * 129)
    service.expect(200, "POST", documents, line("once", ["b"]), key="write", Idempotency_Key="one")
    before = service.state()["accepted_sequence"]
    service.expect(200, "POST", documents, line("once", ["b"]), key="write", Idempotency_Key="one")
    harness.expect(service.state()["accepted_sequence"] == before, "a repeated request was accepted again")
    service.expect(422, "POST", documents, line("once", ["c"]), key="write", Idempotency_Key="one")
    first = service.expect(200, "DELETE", documents + "/once", key="write", Idempotency_Key="gone")
    service.expect(200, "POST", documents, line("once", ["newer"]), key="write")
    again = service.expect(200, "DELETE", documents + "/once", key="write", Idempotency_Key="gone")
    harness.expect(first == again, f"a removal that comes again removes nothing: {first} {again}")
    service.expect(422, "DELETE", documents + "/other", key="write", Idempotency_Key="gone")
    service.expect(422, "POST", documents, line("once", ["c"]), key="write", Idempotency_Key="gone")
    service.expect(400, "DELETE", documents + "/once", key="write", Idempotency_Key="")
    service.expect(400, "DELETE", "/v1/collections/c", key="admin", Idempotency_Key="all")
    service.expect(200, "DELETE", documents + "/once", key="write")
    service.expect(200, "POST", documents, "\ufeff" + line("once", ["b"]), key="write")
    service.expect(200, "POST", "/v1/collections/%63/documents", line("once", ["b"]), key="write")
    service.expect(200, "GET", "/v1/collections/%63")
    service.expect(404, "POST", "/v1/collections/%6/documents", line("once", ["b"]), key="write")
    service.expect(400, "PUT", "/v1/collections/%2e%2e%2fx", key="admin")
    service.expect(413, "POST", documents, "x" * (2 << 20), key="write")
    for wrong in ("", "{", "[]", "{}", '{"ids":1}', '{"ids":["a"],"more":1}', '{"ids":["a"]}{"ids":["b"]}', '{"ids":["a",[' + "[" * 5000, '{"ids":["a"],"ids":["b"]}', '{"ids":["' + '","' * 10_000 + '"]}'):
        service.expect(400, "POST", "/v1/collections/c/latest", wrong, key="search")
    service.expect(200, "POST", documents, line("large", ["x" * (1 << 19)]), key="write")
    harness.expect(b"ask for fewer" in service.expect(413, "POST", "/v1/collections/c/latest", json.dumps({"ids": ["large"] * 33}), key="search"), "no hint")
    harness.expect(len(service.expect(200, "POST", "/v1/collections/c/latest", json.dumps({"ids": ["large"] * 2}), key="search")) > 1 << 20, "two documents")
    service.expect(200, "DELETE", documents + "/large", key="write")
    kinds = [(415, '[{"id":"kind"}]', {"Content_Type": "application/json"}), (415, "id=kind", {"Content_Type": "application/x-www-form-urlencoded"}),
             (400, line("kind", ["b"]), {"Content_Encoding": "gzip"}), (415, line("kind", ["b"]), {"Content_Encoding": "br"}), (400, "[" + line("kind", ["b"]) + "]", {})]
    for status, body, fields in kinds:
        harness.expect(b"kind" not in service.expect(status, "POST", documents, body, key="write", **fields), f"{fields}")
    for kind in ("application/x-ndjson", "application/x-www-form-urlencoded", "text/plain;charset=UTF-8"):
        service.expect(200, "POST", documents, line("once", ["b"]), key="write", Content_Type=kind)
    harness.expect(b"--api-keys" in closed.expect(403, "DELETE", "/v1/collections/c", key="admin"), "no hint")
    closed.expect(403, "POST", documents, line("a", ["b"]), key="write")
    for name in ("x1", "x2", "once"):
        service.expect(200, "DELETE", f"/v1/collections/c/documents/{name}", key="write")
    service.refresh()


def check_common_metadata(service):
    """What clients keep for all collections changes only for whoever has seen it."""
    path, text = "/v1/metadata", '{"a":1}'
    service.expect(404, "GET", path, key="search")
    service.expect(428, "PUT", path, text, key="admin")
    service.expect(412, "PUT", path, text, key="admin", If_Match='"other"')
    service.expect(200, "PUT", path, text, key="admin", If_None_Match="*")
    service.expect(412, "PUT", path, '{"a":2}', key="admin", If_None_Match="*")
    harness.expect(service.expect(200, "GET", path, key="search").decode() == text, "what was kept")
    version = json.loads(service.expect(200, "GET", "/v1/collections"))["metadata"]
    service.expect(200, "PUT", path, '{"a":2}', key="admin", If_Match=f'"{version}"')
    service.expect(412, "PUT", path, '{"a":3}', key="admin", If_Match=f'"{version}"')
    service.expect(403, "PUT", path, text, key="write")
    last = f'"{json.loads(service.expect(200, "GET", "/v1/collections"))["metadata"]}"'
    for wrong in ("text", "[]", '{"elasticsearch":{"templates":{"x":' + "[" * 260_000 + "]" * 260_000 + "}}}"):
        service.expect(400, "PUT", path, wrong, key="admin", If_Match=last)


def check_description(service):
    """openapi.json has the methods that are answered, and no others."""
    described = json.loads(service.expect(200, "GET", "/openapi.json"))["paths"]
    values = {"{collection}": "nothing", "{id}": "x", "{path}": "CURRENT"}
    for path, methods in described.items():
        asked = path
        for name, value in values.items():
            asked = asked.replace(name, value)
        answered = {method for method in ("get", "post", "put", "delete") if service.ask(method.upper(), asked)[0] != 405}
        harness.expect(answered == set(methods) - {"parameters"}, f"{path}: {sorted(answered)} are answered")
    harness.expect(len(described) == 19, f"{len(described)} paths: is a new one tested?")


def write_round(service, rng, words, remaining, number):
    """Random requests, the service killed at a random one; a request whose answer did not come is sent again with its key."""
    requests = 12
    killed = rng.randrange(requests)
    for request in range(requests):
        if request == killed:
            service.kill_and_start()
        if rng.random() < 0.25 and remaining:
            name = rng.choice(list(remaining) + ["unknown/ä"])
            service.expect(200, "DELETE", "/v1/collections/c/documents/" + urllib.parse.quote(name, safe=""), key="write")
            remaining.pop(name, None)
            continue
        body = []
        for _ in range(rng.randrange(1, 40)):
            name = f"d{rng.randrange(300)}"
            text = [rng.choice(words) for _ in range(rng.randrange(1, 30))]
            body.append(line(name, text))
            remaining.pop(name, None)  # a replaced document comes last
            remaining[name] = text
        key = f"round {number} request {request}"
        again = rng.random() < 0.3
        service.expect(200, "POST", "/v1/collections/c/documents", "\n".join(body), key="write", Idempotency_Key=key)
        if again:
            if rng.random() < 0.5:
                service.kill_and_start()
            service.expect(200, "POST", "/v1/collections/c/documents", "\n".join(body), key="write", Idempotency_Key=key)
        if rng.random() < 0.2:
            service.refresh()


def answers(cluster, queries):
    return {(words, mode, k): (lambda a: (a.hits, a.total))(cluster.search(words, mode=mode, k=k, cache="off"))
            for words, mode, k in queries}


def check_equal(setting, service, live, words, remaining, number):
    generation = service.refresh()["generation"]
    described = json.loads(service.expect(200, "GET", "/v1/collections/c"))
    harness.expect(described["stored_compression"] == "fast", f"{described}")
    path = setting.path(f"fresh{number}.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for name, text in remaining.items():
            file.write(line(name, text) + "\n")
    fresh_repository = setting.path(f"fresh{number}")
    setting.build(fresh_repository, "c", [path], 1, **FLAGS)
    fresh = harness.Cluster(setting, fresh_repository, "c", 1, name=f"fresh{number}")
    harness.eventually(lambda: live.search(words[0], cache="off").generation >= generation, f"generation {generation} is served")
    queries = [(query, rng_mode, k) for query in random_text.queries(setting.rng, words, 25) for rng_mode in ("and", "or") for k in (3, 60)]
    got, wanted = answers(live, queries), answers(fresh, queries)
    for query, (hits, total) in wanted.items():
        harness.expect(got[query][0] == hits, f"round {number}: {query}: {got[query][0]} instead of {hits}")
        harness.expect("gte" in (total[1], got[query][1][1]) or got[query][1] == total, f"{query}: {got[query][1]}, not {total}")
    fresh.stop()
    print(f"round {number}: {len(remaining)} documents, generation {generation}, {len(queries)} answers, all the same", flush=True)


def check_takeover(setting, service, flags):
    second = Service(setting, service.repository, service.keys, *flags, name="second")
    harness.expect(second.state()["state"] == "standby", f"{second.state()}")
    harness.expect(b"another service" in second.expect(503, "POST", "/v1/collections/c/documents", line("a", ["b"]), key="write"), "no reason")
    service.expect(200, "POST", "/v1/collections/c/documents", line("last", ["words"]), key="write")
    harness.kill9(service.process)
    begin = time.monotonic()
    harness.eventually(lambda: second.state()["state"] == "writing", "the second service takes over", 10)
    print(f"taken over after {time.monotonic() - begin:.1f} s", flush=True)
    second.refresh()
    return second


def check_visible(service, live):
    """How long until a document that is posted is found."""
    times = []
    for i in range(20):
        begin = time.monotonic()
        service.expect(200, "POST", "/v1/collections/c/documents", line("seen", [f"unheardof{i}"]), key="write")
        harness.eventually(lambda i=i: len(live.search(f"unheardof{i}", cache="off").ranking) == 1, "the document is found", 20)
        times.append(time.monotonic() - begin)
    print(f"from posting to being found: median {statistics.median(times):.2f} s, most {max(times):.2f} s", flush=True)


def check_jobs(service, words):
    """A publication is seen while it runs. It may be over before it is looked at, so several are."""
    seen = []
    for number in range(20):
        service.expect(200, "POST", "/v1/collections/c/documents", "\n".join(line(f"j{i}", words[:100]) for i in range(150)), key="write")
        asked = threading.Thread(target=service.refresh)
        asked.start()
        while asked.is_alive():
            seen += json.loads(service.expect(200, "GET", "/v1/collections/c/jobs"))["jobs"]
        asked.join()
        if any(job["job"] == "publish" for job in seen):
            break
    found = [job for job in seen if job["job"] == "publish"]
    harness.expect(found and found[0]["operations"] == 150, f"no publication was seen in {number + 1}: {seen[:3]}")


def check_pressure(setting, keys, key_file, words):
    """What waits to be published is bounded."""
    small = Service(setting, setting.path("small"), keys, "--api-keys", key_file, "--max-pending-bytes", "200000", "--refresh-ms", "3600000", name="small")
    small.expect(201, "PUT", "/v1/collections/c", key="admin")
    small.expect(200, "POST", "/v1/collections/c/documents", line("first", words[:5]), key="write")
    small.refresh()
    body = "\n".join(line(f"n{i}", words[:100]) for i in range(50))
    codes = [small.ask("POST", "/v1/collections/c/documents", body, key="write")[0] for _ in range(20)]
    harness.expect(codes[0] == 200 and codes[-1] == 429 and set(codes) == {200, 429}, f"{codes}")
    harness.expect(small.state()["pending_bytes"] <= 200000, f"{small.state()}")
    waits = [harness.metric(small.port, "frond_indexer_pending_seconds"), time.sleep(0.5), harness.metric(small.port, "frond_indexer_pending_seconds")]
    harness.expect(waits[2] >= waits[0] + 0.4, f"what waits does not get older: {waits}")
    small.refresh()
    small.expect(200, "POST", "/v1/collections/c/documents", body, key="write")
    small.refresh()
    harness.expect(harness.metric(small.port, "frond_indexer_pending_changes") == 0, "something waits")
    harness.expect(harness.metric(small.port, "frond_indexer_pending_seconds") == 0, "something has waited")
    harness.expect(harness.metric(small.port, "frond_indexer_publications_total", outcome="ok") >= 3, "publications are not counted")
    generations = json.loads(small.expect(200, "GET", "/v1/collections/c/generations"))["generations"]
    harness.expect(generations[-1]["current"], f"{generations}")
    back = json.loads(small.expect(200, "POST", "/v1/collections/c/rollback", key="admin"))
    harness.expect(back["generation"] < generations[-1]["generation"], f"{back}")
    last = generations[-1]["generation"]
    small.expect(403, "POST", "/v1/collections/c/switch", json.dumps({"generation": last}), key="write")
    for wrong in ("", "{}", '{"generation":0}', '{"generation":"1"}', '{"generation":1,"x":1}'):
        small.expect(400, "POST", "/v1/collections/c/switch", wrong, key="admin")
    small.expect(409, "POST", "/v1/collections/c/switch", json.dumps({"generation": last + 1}), key="admin")
    forward = json.loads(small.expect(200, "POST", "/v1/collections/c/switch", json.dumps({"generation": last}), key="admin"))
    harness.expect(forward["generation"] == last == harness.current(setting.path("small"), "c"), f"{forward}")
    check_jobs(small, words)
    small.expect(202, "POST", "/v1/collections/c/compact", key="admin")
    small.expect(200, "DELETE", "/v1/collections/c", key="admin")
    small.expect(404, "GET", "/v1/collections/c")
    harness.expect(os.listdir(setting.path("small")) == [], f"left: {os.listdir(setting.path('small'))}")
    harness.end(small.process, "the service")


def check_limits(setting, keys, key_file, words):
    """A key writes as often as it may; what is looked at with another one, and probes, do not wait for it."""
    limited = Service(setting, setting.path("small"), keys, "--api-keys", key_file, "--max-rate-per-key", "2", name="limited")
    limited.expect(201, "PUT", "/v1/collections/l", key="admin")
    codes = [limited.ask("POST", "/v1/collections/l/documents", line(f"n{i}", words[:5]), key="write")[0] for i in range(8)]
    harness.expect(codes[:2] == [200, 200] and 429 in codes and set(codes) == {200, 429}, f"two requests a second: {codes}")
    harness.expect(harness.metric(limited.port, "frond_http_denied_total", reason="key_rate") == codes.count(429), "refusals are not counted")
    limited.expect(200, "GET", "/readyz")
    limited.expect(200, "DELETE", "/v1/collections/l", key="admin")
    harness.end(limited.process, "the limited service")


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    keys, key_file = make_keys(setting)
    repository = setting.path("repository")
    os.mkdir(repository)
    os.mkdir(setting.path("small"))
    flags = ("--api-keys", key_file, "--refresh-ms", "200", "--max-request-bytes", "1000000", "--memory-limit", "128MiB")
    service = Service(setting, repository, keys, *flags)
    closed = Service(setting, repository, keys, name="closed")
    check_doors(service, closed)
    check_common_metadata(service)
    check_description(service)
    harness.end(closed.process, "the closed service")
    remaining = {"d-first": words[:10]}
    service.expect(200, "POST", "/v1/collections/c/documents", line("d-first", words[:10]), key="write")
    service.refresh()
    live = harness.Cluster(setting, repository, "c", 2, leaf_flags=("--poll-ms", "100"))
    for number in range(ROUNDS):
        write_round(service, rng, words, remaining, number)
        check_equal(setting, service, live, words, remaining, number)
    service = check_takeover(setting, service, flags)
    remaining["last"] = ["words"]
    check_equal(setting, service, live, words, remaining, ROUNDS)
    check_visible(service, live)
    check_pressure(setting, keys, key_file, words)
    check_limits(setting, keys, key_file, words)
    live.stop()
    harness.end(service.process, "the service")
    checked = subprocess.run([setting.program("frond-indexer"), "check", "--repository", repository, "--collection", "c"],
                             capture_output=True, text=True, timeout=300)
    harness.expect(checked.returncode == 0, f"check: {checked.stdout[-1000:]}{checked.stderr[-1000:]}")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
