#!/usr/bin/env python3
"""What a newcomer does wrong: a wrong flag, folder, port, file, collection, query or key. Each mistake at the command line gets one line that says
what and where, and an exit code other than 0; each one over HTTP a problem document that names the parameter. Nothing succeeds silently."""
import gzip
import json
import os
import re
import socket
import subprocess
import urllib.parse

import harness
import writing

BAD = re.compile(r"terminate called|what\(\)|std::|Traceback|Segmentation|Aborted|core dumped|FROND_CHECK|\.cc:\d+")


def make_files(setting):
    """The files that the mistakes are made with, and a collection "c"."""
    setting.build(setting.path("repository"), "c", [setting.write_numbered("good", 20, lambda n: f"number {n} word")], 1)
    with open(setting.path("good.jsonl"), "rb") as file:
        good = file.read()
    for name, content in {"empty.jsonl": b"", "noise.jsonl": bytes(range(256)) * 8, "paper.jsonl": b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n",
                          "cut.jsonl.gz": gzip.compress(good)[:40], "noise.gz": b"\x1f\x8b\x08\0" + bytes(60), "words.conf": b"a few words\n",
                          "colour.conf": b"colour = red\n", "file": b"text\n", "ids": b"nobody\n", "run": b"1 Q0 d 1 2.5 frond\n",
                          "page.xml": b"<page><b>words</b></page>\n", "same": b"1\tword\n1\tnumber\n", "topics": b"1\tword\n2\tnumber word\n",
                          "topics.gz": gzip.compress(b"<TOP><num>7<title>word</TOP>")}.items():
        with open(setting.path(name), "wb") as file:
            file.write(content)
    os.mkdir(setting.path("empty"))


def command_lines(setting, taken):
    """(program and arguments, words of its line). A port `taken` is in use."""
    path, indexer = setting.path, ("frond-indexer",)
    build = (*indexer, "build", "--repository", path("new"), "--collection", "c", "--input")
    good = path("good.jsonl")
    leaf = ("frond-leaf", "--repository", path("repository"), "--collection", "c", "--gpu", "off", "--data", path("data"))
    ports = ("--listen", "tcp://127.0.0.1:0", "--http", "127.0.0.1:0")
    broker = ("frond-broker", "--leaf", "tcp://127.0.0.1:1", "--collection", "c", "--http")
    serve = (*indexer, "serve", "--repository", path("repository"), "--listen", "127.0.0.1:0")
    of = ("--repository", path("repository"), "--collection")
    asks = ("frond", "run", "--broker", "http://127.0.0.1:1", "--topics")
    return [
        # A wrong command or flag.
        (indexer, "a command is needed", "build"),
        ((*indexer, "bild"), "'bild' is no command", "build"),
        (("frond", "serach", "words"), "'serach' is no command", "search"),
        (("frond", "bench"), "a command is needed", "codec"),
        (("frond", "synth"), "--repository and --collection are needed", "--text"),
        ((*indexer, "build"), "--repository is required"),
        (build[:-1], "--input is required"),
        ((*build[:-1], "--inptu", good), "--inptu is no flag of build", "--help"),
        ((*build, good, "--colour=red"), "--colour is no flag of build"),
        ((*indexer, "--repository", "x", "build"), "--repository is no flag of frond-indexer", "flags of a command follow it"),
        ((*leaf, *ports, "extra"), "'extra' was not expected"),
        ((*leaf, "--listne", "tcp://127.0.0.1:0"), "--listne is no flag of frond-leaf"),
        ((*build, good, "--partitions", "0"), "--partitions", "1 to 256"),
        ((*build, good, "--partitions", "lots"), "--partitions", "lots"),
        ((*build, good, "--stemmer", "klingon"), "--stemmer", "klingon", "english"),
        ((*build, good, "--format", "xml"), "--format", "xml", "jsonl"),
        ((*build, good, "--codec", "zip"), "--codec", "zip"),
        ((*build, good, "--memory-limit", "12"), "--memory-limit", "128MiB"),
        ((*build, good, "--k1", "nan"), "--k1", "nan", "4"),
        ((*leaf, *ports, "--shard", "2/2"), "--shard", "2/2"),
        ((*leaf, *ports, "--host-cache", "plenty"), "--host-cache", "plenty", "64KiB"),
        ((*leaf[:5], *leaf[7:], *ports, "--gpu", "0,0"), "--gpu", "0,0", "each once"),
        ((*leaf, *ports, "--gpu-drill", "1"), "--gpu-drill", "1:20"),
        ((*broker, "127.0.0.1:0", "--config", path("nowhere.conf")), "--config", "nowhere.conf"),
        ((*broker, "127.0.0.1:0", "--config", path("words.conf")), "--config", "words.conf", "a few words"),
        ((*broker, "127.0.0.1:0", "--config", path("colour.conf")), "--config", "colour.conf", "colour"),
        # A wrong name.
        ((*indexer, "build", "--repository", path("new"), "--collection", "my books", "--input", good), "--collection", "my books"),
        (("frond-broker", "--leaf", "tcp://127.0.0.1:1", "--http", "127.0.0.1:0", "--collection", "my books"), "--collection", "A-Za-z0-9._-"),
        # A wrong folder or file.
        ((*build, path("nowhere.jsonl")), "--input", "nowhere.jsonl is not there"),
        ((*build, path("empty.jsonl")), "no document", "1 empty", "empty.jsonl"),
        ((*build, path("empty")), "no document"),
        ((*build, path("noise.jsonl")), "no document", "binary", "noise.jsonl"),
        ((*build, path("paper.jsonl")), "no document", "1 pdf", "paper.jsonl"),
        ((*build, path("cut.jsonl.gz")), "cut.jsonl.gz", "cut short"),
        ((*build, path("noise.gz")), "noise.gz"),
        ((*indexer, "build", "--repository", path("file"), "--collection", "c", "--input", good), path("file"), "Not a directory"),
        ((*indexer, "build", "--repository", "s3:/bucket/x", "--collection", "c", "--input", good), "--repository", "s3://bucket"),
        ((*indexer, "build", "--repository", "http://127.0.0.1/", "--collection", "c", "--input", good), "--repository", "s3://bucket"),
        ((*indexer, "check", "--repository", path("nowhere"), "--collection", "c"), "nothing is published of collection c", path("nowhere")),
        ((*indexer, "check", "--repository", path("empty"), "--collection", "c"), "nothing is published of collection c", path("empty")),
        ((*indexer, "check", *of, "d"), "nothing is published of collection d", path("repository")),
        ((*indexer, "add", *of, "d", "--input", good), "collection d has no generation", "frond-indexer build"),
        ((*indexer, "compact", *of, "d"), "collection d has no generation"),
        ((*indexer, "export-ciff", *of, "d", "--output", path("x.ciff")), "nothing is published of collection d"),
        ((*indexer, "import-ciff", *of, "e", "--input", good), "good.jsonl", "no CIFF file"),
        ((*indexer, "rollback", *of, "c"), "generation 1 has none before it"),
        ((*indexer, "switch", *of, "c", "--generation", "99"), "generation 99 is not kept", "99.json"),
        ((*indexer, "remove", *of, "c", "--ids", path("nowhere")), "--ids", "nowhere"),
        ((*indexer, "serve", "--repository", path("file"), "--listen", "127.0.0.1:0"), "--repository", path("file"), "no folder"),
        (("frond-leaf", "--repository", path("nowhere"), *leaf[3:], *ports), "--repository", path("nowhere"), "does not exist"),
        (("frond-leaf", "--repository", path("file"), *leaf[3:], *ports), "--repository", path("file"), "no folder"),
        ((*indexer, "rollback", "--repository", path("nowhere"), "--collection", "c"), "--repository", path("nowhere"), "does not exist"),
        ((*indexer, "prune", *of, "d"), "--collection", "which has: c"),
        ((*leaf[:-1], path("file"), *ports), "--data", path("file"), "Not a directory"),
        # A wrong address.
        ((*indexer, "serve", "--repository", path("repository"), "--listen", f"127.0.0.1:{taken}"), "--listen", str(taken), "in use"),
        ((*indexer, "serve", "--repository", path("repository"), "--listen", "127.0.0.1"), "--listen", "no port"),
        ((*leaf, "--listen", f"tcp://127.0.0.1:{taken}", "--http", "127.0.0.1:0"), "--listen", str(taken), "in use"),
        ((*leaf, "--listen", "tcp://127.0.0.1:0", "--http", f"127.0.0.1:{taken}"), "--http", str(taken), "in use"),
        ((*leaf, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"), "--listen", "tcp://"),
        ((*broker, f"127.0.0.1:{taken}"), "--http", str(taken), "in use"),
        ((*broker, "127.0.0.1:99999"), "--http", "99999"),
        (("frond-broker", "--collection", "c", "--http", "127.0.0.1:0"), "--leaf"),
        (("frond-broker", "--collection", "c", "--http", "127.0.0.1:0", "--leaf", "127.0.0.1:1"), "--leaf", "tcp://"),
        (("frond", "search", "--broker", "http://127.0.0.1:1", "words"), "127.0.0.1:1", "refused"),
        # Topics that are none, a run that could not be read.
        ((*asks, path("nowhere")), path("nowhere")),
        ((*asks, path("run")), path("run"), "is a run"),
        ((*asks, path("page.xml")), "page.xml", "<topic>"),
        ((*asks, path("same")), "same", "topics 1 and 2 have one id"),
        ((*asks, path("good.jsonl"), "--topic-field", "words"), "good.jsonl", "words"),
        ((*asks, path("topics"), "--tag", "a b"), "--tag", "a b"),
        ((*asks, path("topics")), "topic 1", "refused"),
        ((*asks, path("topics"), "--output", path("nowhere/run")), "topic 1", "refused"),
        (("frond", "load", "--broker", "http://127.0.0.1:1", "--concurrency", "1", "--queries", path("page.xml")), "page.xml", "<topic>"),
        # A wrong key.
        ((*serve, "--api-keys", path("nowhere")), "--api-keys", path("nowhere")),
        ((*serve, "--api-keys", path("good.jsonl")), "--api-keys", "good.jsonl", "line 1"),
        ((*broker, "127.0.0.1:0", "--api-keys", path("nowhere")), "--api-keys", path("nowhere")),
        ((*serve, "--tls-certificate", path("nowhere"), "--tls-key", path("nowhere")), "--tls-certificate", path("nowhere")),
        ((*serve, "--tls-certificate", path("file"), "--tls-key", path("file")), "--tls-certificate", path("file")),
        (("frond", "keygen", "--api-key", "a", "--scopes", "everything", "--output", path("k")), "--scopes", "admin"),
        (("frond", "keygen", "--output", path("nowhere/k")), path("nowhere/k")),
    ]


def lines_for_people(said):
    """What a program said, without what it logged beside."""
    return [line for line in said.splitlines() if not (line.startswith("{") and '"level":"info"' in line)]


def fault_of(setting, command, words):
    what = " ".join(command)
    try:
        done = subprocess.run([setting.program(command[0]), *command[1:]], capture_output=True, text=True, timeout=20, cwd=setting.folder,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"{what}: is taken, and runs"
    lines = lines_for_people(done.stderr)
    if done.returncode not in (1, 2):
        return f"{what}: exit {done.returncode}: {done.stderr[-300:]}"
    if len(lines) != 1 or BAD.search(lines[0].replace(setting.folder, "")):
        return f"{what}: not one clear line: {done.stderr[-500:]}"
    if done.returncode != 2 and re.search(r"is required|are needed", lines[0]):
        return f"{what}: exit {done.returncode}, not 2: {lines[0]}"
    missing = [word for word in words if word not in lines[0]]
    return f"{what}: does not say {missing}: {lines[0]}" if missing else None


def check_command_lines(setting):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        cases = command_lines(setting, held.getsockname()[1])
        before = sorted(os.listdir(setting.folder))
        wrong = [why for command, *words in cases if (why := fault_of(setting, command, words))]
    print(f"{len(cases)} command lines, {len(wrong)} answered wrongly", *wrong, sep="\n  ", flush=True)
    harness.expect(not wrong, f"{len(wrong)} mistakes at the command line get no clear line")
    made = set(os.listdir(setting.folder)) - set(before) - {"new", "data"}
    harness.expect(not made, f"mistakes made {sorted(made)}")


# Path and parameters, status, what the answer must say.
SEARCHES = [
    ("/v1/search", {}, 400, "q"),
    ("/v1/search", {"q": "word", "k": 0}, 400, "k"),
    ("/v1/search", {"q": "word", "k": 1000000}, 400, "k"),
    ("/v1/search", {"q": "word", "k": -1}, 400, "k"),
    ("/v1/search", {"q": "word", "k": "ten"}, 400, "k"),
    ("/v1/search", {"q": "word", "offset": 10000, "k": 10}, 400, "offset"),
    ("/v1/search", {"q": "word", "mode": "xor"}, 400, "mode"),
    ("/v1/search", {"q": "word", "timeout_ms": 0}, 400, "timeout_ms"),
    ("/v1/search", {"q": "word", "size": 10}, 400, "size"),
    ("/v1/search", {"query": "word"}, 400, "query"),
    ("/v1/search", {"q": "word", "fields": "colour"}, 400, "fields"),
    ("/v1/search", {"q": "word", "processor": "tpu"}, 400, "processor"),
    ("/v1/count", {}, 400, "q"),
    ("/v1/collections/d/search", {"q": "word"}, 404, "collection"),
    ("/search", {"q": "word"}, 404, "/search"),
    ("/v1/document/1", {}, 404, "/v1/document/1"),
]


def expect_problem(what, status, body, wanted, word):
    harness.expect(status == wanted, f"{what}: {status} instead of {wanted}: {body[:300]!r}")
    problem = json.loads(body)
    harness.expect(problem["status"] == wanted and word in json.dumps(problem) and len(problem["detail"]) > 10, f"{what}: {problem}")


def check_runs(setting, broker):
    """A run file is replaced when all of the new one is there."""
    output = setting.path("old-run")

    def run(topics, broker=broker, to=output):
        done = subprocess.run([setting.program("frond"), "run", "--broker", broker, "--topics", setting.path(topics), "--k", "3", "--output", to],
                              capture_output=True, text=True, timeout=20)
        with open(output, encoding="utf-8") as file:
            return done.returncode, done.stdout + file.read()

    with open(output, "w", encoding="utf-8") as file:
        file.write("old\n")
    for topics, at in (("topics", "http://127.0.0.1:1"), ("run", broker), ("page.xml", broker)):
        harness.expect(run(topics, at) == (1, "old\n"), f"{topics} by {at} leaves the old run: {run(topics, at)}")
    for topics, ids in (("topics", ["1"] * 3 + ["2"] * 3), ("topics.gz", ["7"] * 3)):
        code, text = run(topics)
        lines = [line.split(" ") for line in text.splitlines()]
        harness.expect(code == 0 and [line[0] for line in lines] == ids and all(len(line) == 6 for line in lines), f"{topics}: {text}")
    harness.expect(run("topics", to="/dev/null")[0] == 0 and run("topics", to="/dev/full")[0] == 1, "a device is written as it stands")
    harness.expect(run("topics", to="/dev/stdout")[1].startswith("1 Q0 "), "standard output by its name")
    left = [name for name in os.listdir(setting.folder) if name.endswith(".part")]
    harness.expect(not left, f"drafts are left: {left}")


def check_searches(setting):
    cluster = harness.Cluster(setting, setting.path("repository"), "c", 1)
    for path, parameters, status, word in SEARCHES:
        target = path + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
        expect_problem(target, *harness.fetch(cluster.http, target), status, word)
    for body, word in (("", "JSON"), ("q=word", "JSON"), ('{"q":"word"', "JSON"), ('{"q":7}', "q"), ('{"q":"word","k":"10"}', "k"), ("[]", "object"),
                       ('{"query":"word"}', "query")):
        expect_problem(f"POST {body}", *harness.fetch(cluster.http, "/v1/search", method="POST", body=body), 400, word)
    # No mistakes: what has no words has no hits.
    for query in ("", " ", "...", "the"):
        status, body = harness.fetch(cluster.http, "/v1/search?" + urllib.parse.urlencode({"q": query}))
        harness.expect(status == 200 and json.loads(body)["hits"] == [], f"q={query!r}: {status} {body[:200]!r}")
    status, body = harness.fetch(cluster.leaf_http[0], "/v1/search?q=word")
    expect_problem("a search at a leaf", status, body, 404, "/v1/search")
    check_runs(setting, f"http://127.0.0.1:{cluster.http}")
    cluster.stop()
    print(f"{len(SEARCHES) + 7} wrong searches: each names what is wrong", flush=True)


def check_waiting(setting):
    """Servers that wait for what may come say for what."""
    ports = harness.free_ports(4)
    leaf = setting.spawn("waiting", "frond-leaf", "--repository", setting.path("repository"), "--collection", "d", "--data", setting.path("waiting-data"),
                         "--listen", f"tcp://127.0.0.1:{ports[0]}", "--http", f"127.0.0.1:{ports[1]}", "--gpu", "off")
    broker = setting.spawn("alone", "frond-broker", "--collection", "d", "--http", f"127.0.0.1:{ports[2]}", "--leaf", f"tcp://127.0.0.1:{ports[0]}")

    def told(port, word):
        status, body = harness.fetch(port, "/readyz")
        return status == 503 and word in body.decode()

    harness.eventually(lambda: told(ports[1], "nothing is published of collection d"), "the leaf says what it waits for")
    harness.eventually(lambda: harness.fetch(ports[2], "/v1/search?q=word")[0] == 503, "the broker says that it has nothing to search")
    expect_problem("a search of nothing", *harness.fetch(ports[2], "/v1/search?q=word"), 503, "detail")
    service = setting.spawn("early", "frond-indexer", "serve", "--repository", setting.path("nowhere"), "--listen", f"127.0.0.1:{ports[3]}")
    harness.eventually(lambda: told(ports[3], "no folder"), "the service says what it waits for")
    harness.expect("the repository is not there yet" in setting.log("early") and setting.path("nowhere") in setting.log("early"), "it is logged, too")
    harness.end(service, "the service")
    harness.end(leaf, "the leaf")
    harness.end(broker, "the broker")


def check_keys(setting):
    keys, key_file = writing.make_keys(setting)
    service = writing.Service(setting, setting.path("repository"), keys, "--api-keys", key_file)
    documents = "/v1/collections/c/documents"
    body = writing.line("1", ["word"])
    for status, word, method, path, text, key in (
            (401, "Bearer", "POST", documents, body, None), (403, "write", "POST", documents, body, "search"), (403, "admin", "PUT", "/v1/collections/e", None, "write"),
            (404, "no such collection", "POST", "/v1/collections/d/documents", body, "write"), (404, "no such collection", "GET", "/v1/collections/d", None, None),
            (400, "no name", "PUT", "/v1/collections/.e", None, "admin"), (405, "GET", "POST", "/v1/collections/c", body, "admin"),
            (405, "GET", "POST", "/v1/search", '{"q":"word"}', "admin")):
        expect_problem(f"{method} {path}", *service.ask(method, path, text, key), status, word)
    keys["wrong"] = "frond_not-a-key"
    expect_problem("a wrong key", *service.ask("POST", documents, body, "wrong"), 401, "key")
    harness.end(service.process, "the service")
    print("missing and wrong keys, wrong collections", flush=True)


def test(setting):
    make_files(setting)
    check_command_lines(setting)
    check_searches(setting)
    check_waiting(setting)
    check_keys(setting)


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
