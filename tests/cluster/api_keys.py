#!/usr/bin/env python3
"""API keys at the broker: who is let in where, a key file that changes, limits by key and by address, keys in no log."""
import http.client
import json
import os
import subprocess
import threading

import harness

COLLECTION = "c"
OPEN = ("/", "/status", "/assets/api.js", "/openapi.json", "/livez", "/readyz")
SEARCHES = ("/v1/search?q=word", "/v1/count?q=word")
ADMIN = ("/v1/cluster", "/metrics", "/v1/slow-searches")


class Keys:
    """Keys from `frond keygen --api-key`, and the key file."""

    def __init__(self, setting):
        self.setting, self.file = setting, setting.path("api-keys")
        self.texts = {}

    def make(self, name, scopes, *flags):
        prefix = self.setting.path(name)
        done = subprocess.run([self.setting.program("frond"), "keygen", "--api-key", name, "--scopes", scopes, "--output", prefix, *flags],
                              capture_output=True, text=True, timeout=60)
        harness.expect(done.returncode == 0, f"keygen exited {done.returncode}: {done.stderr}")
        with open(prefix + ".key", encoding="ascii") as file:
            self.texts[name] = file.read().strip()
        harness.expect(os.stat(prefix + ".key").st_mode & 0o777 == 0o600, "the key's file is not private")
        harness.expect(self.texts[name] not in done.stdout + done.stderr, "keygen printed the key")

    def let_in(self, *names):
        lines = []
        for name in names:
            with open(self.setting.path(name + ".entry"), encoding="ascii") as file:
                lines.append(file.read())
        self.put("# keys of this test\n" + "".join(lines))

    def put(self, text):
        """In place by a rename, as Kubernetes does with its links."""
        with open(self.file + ".new", "w", encoding="ascii") as file:
            file.write(text)
        os.rename(self.file + ".new", self.file)


def ask(port, path, key=None, method="GET", body=None, field="Authorization", value="Bearer {}"):
    """(status, headers, body) of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body=body, headers={field: value.format(key)} if key else {})
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read()
    finally:
        connection.close()


def expect_status(wanted, got, what):
    harness.expect(got[0] == wanted, f"{what}: status {got[0]} instead of {wanted}: {got[2][:300]!r}")


def scopes(cluster, keys):
    port, text = cluster.http, keys.texts
    for path in OPEN:
        expect_status(200, ask(port, path), path)
    for path in (*SEARCHES, *ADMIN):
        status, headers, body = ask(port, path)
        harness.expect(status == 401 and headers["WWW-Authenticate"].startswith("Bearer"), f"{path} without a key: {status}")
        harness.expect(headers["Content-Type"] == "application/problem+json" and json.loads(body)["status"] == 401, f"{path}: {body!r}")
        expect_status(401, ask(port, path, "frond_" + "0" * 43), f"{path} with an unknown key")
        expect_status(401, ask(port, path, "user:password", value="Basic {}"), f"{path} with Basic")
        expect_status(200, ask(port, path, text["boss"]), f"{path} with all scopes")
    for path in SEARCHES:
        expect_status(200, ask(port, path, text["reader"]), path)
        expect_status(200, ask(port, path, text["reader"], field="X-API-Key", value="{}"), path)
        expect_status(200, ask(port, path, text["reader"], value="ApiKey {}"), path)
        expect_status(403, ask(port, path, text["operator"]), path)
    for path in ADMIN:
        expect_status(403, ask(port, path, text["reader"]), path)
        expect_status(200, ask(port, path, text["operator"]), path)
    for path, body in (("/v1/search", '{"q":"word"}'), ("/v1/count", '{"q":"word"}'), ("/v1/msearch", '{"q":"word"}\n' * 3)):
        expect_status(401, ask(port, path, method="POST", body=body), path)
        expect_status(200, ask(port, path, text["reader"], method="POST", body=body), path)
    expect_status(404, ask(port, "/v2"), "no such path")
    print("scopes, and three ways to send a key")


def tool(setting, port, *args, **environment):
    return subprocess.run([setting.program("frond"), *map(str, args), "--broker", f"http://127.0.0.1:{port}"], capture_output=True,
                          text=True, timeout=120, env={**os.environ, **environment})


def tools(setting, cluster, keys):
    queries = setting.path("queries")
    with open(queries, "w", encoding="ascii") as file:
        file.write("word\nnumber 3\n")
    key = setting.path("reader.key")
    done = tool(setting, cluster.http, "search", "word")
    harness.expect(done.returncode == 1 and "401" in done.stderr, f"search without a key: {done.returncode} {done.stderr}")
    for command in (("search", "word"), ("run", "--topics", queries), ("load", "--queries", queries, "--concurrency", 2, "--seconds", 0.3, "--json"),
                    ("load", "--queries", queries, "--concurrency", 2, "--seconds", 0.3, "--msearch", 4, "--json")):
        for flags, environment in ((("--key-file", key), {}), ((), {"FROND_API_KEY": keys.texts["reader"]}), ((), {"FROND_KEY_FILE": key})):
            done = tool(setting, cluster.http, *command, *flags, **environment)
            harness.expect(done.returncode == 0, f"{command} {flags} {list(environment)}: {done.stderr}")
            if command[0] == "load":
                harness.expect(list(json.loads(done.stdout)["statuses"]) == ["200"], done.stdout)
    wrong = setting.path("wrong.key")
    with open(wrong, "w", encoding="ascii") as file:
        file.write("a secret that is no key\n")
    done = tool(setting, cluster.http, "search", "word", "--key-file", wrong)
    harness.expect(done.returncode == 1 and wrong in done.stderr and "secret that" not in done.stderr, f"a bad key file: {done.stderr}")
    print("the tools bring keys")


def changes(cluster, keys):
    port, text = cluster.http, keys.texts
    operator = lambda: ask(port, "/metrics", text["boss"])[2].decode()
    series = lambda name: [line for line in operator().splitlines() if line.startswith(name)]
    harness.expect(series("frond_http_keys ") == ["frond_http_keys 3"], f"{series('frond_http_keys')}")
    keys.let_in("boss", "second")
    harness.eventually(lambda: ask(port, SEARCHES[0], text["second"])[0] == 200, "a new key is let in")
    expect_status(401, ask(port, SEARCHES[0], text["reader"]), "a key that was taken off the file")
    failed = 'frond_http_key_file_reads_total{outcome="failed"} '
    for number, bad in enumerate(("", "boss search\n", f"boss search {text['boss']}\n"), 1):
        keys.put(bad)
        harness.eventually(lambda: series(failed) == [f"{failed}{number}"], f"bad file {number} is counted")
        expect_status(200, ask(port, SEARCHES[0], text["second"]), "the keys of before stay")
    os.remove(keys.file)
    harness.eventually(lambda: series(failed) == [f"{failed}4"], "a missing file is counted")
    keys.let_in("boss", "reader", "operator", "slow", "few")
    harness.eventually(lambda: ask(port, SEARCHES[0], text["reader"])[0] == 200, "a good file again")
    print("a key file that changes; bad ones leave the keys of before")


def limits(cluster, keys):
    port, text = cluster.http, keys.texts
    got = [ask(port, SEARCHES[0], text["slow"]) for _ in range(4)]
    harness.expect([status for status, _, _ in got] == [200, 200, 429, 429], f"a key of two requests a second: {[g[0] for g in got]}")
    harness.expect(got[-1][1]["Retry-After"] == "1", "no Retry-After")
    harness.eventually(lambda: ask(port, SEARCHES[0], text["slow"])[0] == 200, "the rate is there again")
    harness.eventually(lambda: ask(port, "/v1/msearch", text["slow"], method="POST", body='{"q":"word"}\n' * 40)[0] == 200, "an msearch")
    status, headers, _ = ask(port, SEARCHES[0], text["slow"])
    harness.expect(status == 429 and int(headers["Retry-After"]) > 15, f"lines of an msearch count: {status}, {headers['Retry-After']}")
    expect_status(200, ask(port, SEARCHES[0], text["reader"]), "another key")
    # A body that does not come keeps its request's place.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest("POST", "/v1/search")
    connection.putheader("Authorization", "Bearer " + text["few"])
    connection.putheader("Content-Length", "12")
    connection.endheaders()
    harness.eventually(lambda: ask(port, SEARCHES[0], text["few"])[0] == 429, "one request at a time")
    connection.close()
    harness.eventually(lambda: ask(port, SEARCHES[0], text["few"])[0] == 200, "the place is free again")
    denied = ask(port, "/metrics", text["boss"])[2].decode()
    for reason in ("no_key", "unknown_key", "scope", "key_rate", "key_in_flight"):
        harness.expect(f'frond_http_denied_total{{reason="{reason}"}} 0' not in denied, f"{reason} is not counted")
    print("limits by key")


def addresses(setting, repository):
    cluster = harness.Cluster(setting, repository, COLLECTION, 1, name="limited", broker_flags=("--max-rate-per-address", 5, "--threads", 2))
    statuses = []

    def many():
        statuses.extend(ask(cluster.http, SEARCHES[0])[0] for _ in range(10))

    threads = [threading.Thread(target=many) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    harness.expect(5 <= statuses.count(200) <= 12 and set(statuses) == {200, 429}, f"5 requests a second: {statuses}")
    expect_status(200, ask(cluster.http, "/readyz"), "a probe")
    cluster.stop()
    print("limits by address, without keys, on two threads")


def test(setting):
    keys = Keys(setting)
    for name, scope, *flags in (("reader", "search"), ("operator", "admin"), ("boss", "search,write,admin"), ("second", "search"),
                                ("slow", "search", "--rate", "2"), ("few", "search", "--in-flight", "1")):
        keys.make(name, scope, *flags)
    keys.let_in("reader", "operator", "boss")
    repository = setting.path("repository")
    setting.build(repository, COLLECTION, [setting.write_numbered("d", 200, lambda n: f"word number {n}")], 2)
    cluster = harness.Cluster(setting, repository, COLLECTION, 1, broker_flags=("--api-keys", keys.file))
    scopes(cluster, keys)
    tools(setting, cluster, keys)
    changes(cluster, keys)
    limits(cluster, keys)
    cluster.stop()
    log = setting.log("c-broker")
    harness.expect("API keys travel unencrypted" in log and "the old keys stay" in log, "the log does not tell of keys")
    harness.expect(not any(text in log or text[10:30] in log for text in keys.texts.values()), "a key is in the log")
    bad = subprocess.run([setting.program("frond-broker"), "--http", "127.0.0.1:0", "--collection", "c", "--leaf", "tcp://127.0.0.1:1",
                          "--api-keys", setting.path("none")], capture_output=True, text=True, timeout=60)
    harness.expect(bad.returncode == 2 and "--api-keys" in bad.stderr and setting.path("none") in bad.stderr, f"no key file: {bad.stderr}")
    addresses(setting, repository)


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
