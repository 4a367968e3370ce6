#!/usr/bin/env python3
"""What a browser and a client of the API see of a whole cluster on loopback.

--suite openapi: openapi.mjs, with all, some and none of the index served. --suite page: page.mjs, in headless Chromium.
Skipped (77) where Node.js, its packages (npm ci in this folder) or Chromium are not there.
"""
import datetime
import hashlib
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402

WORDS = """archive binary block buffer cache channel checksum command compress copy create cursor daemon default delete device
directory driver entry error event field file filter format group handler hard header index interface journal kernel key length
library limit link links list lock log map memory message metadata mode module mount name network node object offset option order
owner packet page partition path permission pipe pointer policy port process protocol queue range reader record region register
request resource ring route schedule scheduler segment sequence server session shared signal size socket source stack stream string
symbolic sync system table target task thread timer token trace transfer tree update user value vector version volume write""".split()


def documents(rng, count):
    """Prose of a kind, with links; then documents as hostile as text can be."""
    for number in range(count):
        words = rng.choices(WORDS, [1 / (rank + 8) for rank in range(len(WORDS))], k=rng.randint(30, 160))
        sentences = [" ".join(words[i:i + 11]).capitalize() + "." for i in range(0, len(words), 11)]
        yield {"id": f"page-{number}", "title": " ".join(words[:4]).title(), "url": f"https://example.org/manual/{words[0]}/{number}",
               "body": " ".join(sentences)}
    hostile = "<img src=x onerror=alert(1)> <script>alert(1)</script> hostileword & \"quoted\" 'text' </mark> &lt;b&gt;"
    yield {"id": "hostile-1", "title": hostile, "url": "javascript:alert(1)", "body": hostile * 3}
    yield {"id": "hostile-2", "title": "", "url": "", "body": "hostileword " + "unbreakable" * 40}
    yield {"id": "'\"><b>" + "i" * 490, "title": "W" * 1000, "url": "https://example.org/" + "u" * 1900, "body": "hostileword " + "w" * 10000}
    yield {"id": "hostile-4", "title": "\u202eשלום עולם <b>", "url": "", "body": "hostileword \u202e" + "שלום " * 200 + "👩‍👩‍👧‍👦e\u0301\0\ud83d" * 20}


SCHEMA = {"fields": {"title": {"type": "text", "positions": True, "field_search": True}, "body": {"type": "text", "positions": True},
                     "tag": {"type": "keyword", "many": True}, "year": {"type": "integer"}, "price": {"type": "float"},
                     "published": {"type": "date"}, "open": {"type": "boolean"}, "code": {"type": "keyword"}}}
TAGS = ["green", "Blue Sky", "x/y", "café", "日本", "a=b..&c", "<img src=x onerror=alert(1)>", 'say "hi" \\ there', "w" * 1024, "\u202eשלום עולם", "👩‍👩‍👧‍👦" * 40]


def books(rng, count):
    """Documents of that schema, with values as hostile as they can be."""
    for number in range(count):
        book = {"id": f"book-{number}", "title": " ".join(rng.choices(WORDS, k=3)).title(), "code": f"c{number}",
                "body": "kernel " + " ".join(rng.choices(WORDS, k=30))}
        if rng.random() < 0.9:
            book["tag"] = rng.sample(TAGS, rng.randint(1, 3)) + ["red"] * (rng.random() < 0.4)  # the most frequent
        if rng.random() < 0.9:
            book["year"] = rng.randint(1985, 2030)
        if rng.random() < 0.7:
            book["price"] = round(rng.uniform(-10, 1000), 2)
        if rng.random() < 0.7:
            days = rng.randint(0, 1150)
            book["published"] = (datetime.date(2020, 1, 1) + datetime.timedelta(days)).isoformat() + f"T{rng.randint(0, 23):02}:30:00Z"
        if rng.random() < 0.6:
            book["open"] = rng.random() < 0.5
        yield book


def write_lines(path, documents_of):
    with open(path, "w", encoding="utf-8") as file:
        for document in documents_of:
            file.write(json.dumps(document) + "\n")


def missing(suite):
    if not shutil.which("node"):
        return "no node"
    if not os.path.isdir(os.path.join(HERE, "node_modules", "ajv")):
        return "no node_modules: npm ci in tests/web"
    if suite == "page" and not os.path.exists(os.environ.get("CHROMIUM", "/usr/bin/chromium")):
        return "no chromium"
    return None


def node(script, *args):
    done = subprocess.run(["node", os.path.join(HERE, script), *map(str, args)], timeout=500, capture_output=True, text=True)
    print(done.stdout + done.stderr, end="", flush=True)
    harness.expect(done.returncode == 0, f"{script} {' '.join(map(str, args))} exited {done.returncode}")


def with_keys(cluster):
    """A second broker of the same leaves, with --api-keys: its URL, and two keys, one for searching and one for everything."""
    keys = ["frond_" + letter * 43 for letter in "sa"]
    lines = [f"{name} {scopes} sha256:{hashlib.sha256(key.encode()).hexdigest()}\n"
             for name, scopes, key in zip(("reader", "all"), ("search", "search,write,admin"), keys)]
    with open(cluster.setting.path("api-keys"), "w", encoding="ascii") as file:
        file.writelines(lines)
    (port,) = harness.free_ports(1)
    leaves = [flag for leaf in cluster.leaf_ports for flag in ("--leaf", f"tcp://127.0.0.1:{leaf}")]
    cluster.setting.spawn("keys-broker", "frond-broker", "--http", f"127.0.0.1:{port}", "--collection", cluster.collection, *leaves,
                          "--api-keys", cluster.setting.path("api-keys"), "--default-timeout", "20000")
    harness.eventually(lambda: harness.fetch(port, "/readyz")[0] == 200, "a broker with keys is ready")
    return f"http://127.0.0.1:{port}", *keys


def kill(cluster, number):
    harness.kill9(cluster.leaves[number])
    address = f"tcp://127.0.0.1:{cluster.leaf_ports[number]}"

    def noticed():
        leaves = json.loads(harness.fetch(cluster.http, "/v1/cluster")[1])["leaves"]
        return any(leaf["address"] == address and not leaf["healthy"] for leaf in leaves)

    harness.eventually(noticed, f"the broker misses leaf {number}", 60)


def columns(setting, screenshots):
    """The pages of a collection with a schema."""
    source, schema, repository = setting.path("books.jsonl"), setting.path("schema.json"), setting.path("books")
    write_lines(source, books(setting.rng, 1500))
    write_lines(schema, [SCHEMA])
    setting.build(repository, "books", [source], 3, schema=schema)
    cluster = harness.Cluster(setting, repository, "books", 1, broker_flags=("--default-timeout", "20000"), name="books")
    node("page.mjs", f"http://127.0.0.1:{cluster.http}", "columns", screenshots)


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--suite", choices=("openapi", "page"), required=True)
    parser.add_argument("--screenshots", default="", help="a folder for pictures of the pages")
    parser.add_argument("--pages", default="", help="a folder whose pages are shown in place of those in the broker: broker/web/static")
    parser.add_argument("--budgets", action="store_true", help="hold the times against their budgets too, on a quiet machine")
    parsed = parser.parse_args()
    if parsed.pages:
        os.environ["FROND_PAGES"] = parsed.pages
    lacking = missing(parsed.suite)
    if lacking:
        print(f"skipped: {lacking}")
        sys.exit(harness.SKIPPED)

    def test(setting):
        source = setting.path("documents.jsonl")
        write_lines(source, documents(setting.rng, 1500))
        repository = setting.path("repository")
        setting.build(repository, "manuals", [source], 4)
        cluster = harness.Cluster(setting, repository, "manuals", 2, broker_flags=("--max-timeout", "3600000", "--default-timeout", "20000"))
        url = f"http://127.0.0.1:{cluster.http}"
        if parsed.suite == "openapi":
            node("openapi.mjs", url, "whole")
            keyed, *keys = with_keys(cluster)
            node("openapi.mjs", keyed, "keys", *keys)
            kill(cluster, 0)
            node("openapi.mjs", url, "partial")
            kill(cluster, 1)
            node("openapi.mjs", url, "none")
        else:
            keyed, *keys = with_keys(cluster)
            node("page.mjs", keyed, "keys", parsed.screenshots, "", *keys)
            columns(setting, parsed.screenshots)
            node("page.mjs", url, "whole", parsed.screenshots, "budgets" if parsed.budgets else "")
            kill(cluster, 1)
            node("page.mjs", url, "partial", parsed.screenshots)
            kill(cluster, 0)
            node("page.mjs", url, "none", parsed.screenshots)

    harness.run(test, parsed)


main()
