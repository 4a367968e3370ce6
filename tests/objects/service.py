#!/usr/bin/env python3
"""`frond-indexer serve` writes collections in an object store, of whose requests some fail in every way there is, and is killed in between:
what was acknowledged is there once, and leaves that read the store, or the service, answer byte for byte as a fresh build in a folder does.
"""
import http.client
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402
import random_text  # noqa: E402
import writing  # noqa: E402
from store import PLACE, faulty  # noqa: E402

ROUNDS = 2


def check_flags(setting, store, key_file):
    """What is configured wrongly gets one line, and exit 2."""
    cases = (((), "--state"), (("--state", setting.path("x"), "--s3-region", "a/b"), "region"), (("--state", setting.path("x"), "--take-over", "all"), "--take-over"))
    for flags, wanted in cases:
        done = subprocess.run([setting.program("frond-indexer"), "serve", "--repository", PLACE, "--listen", "127.0.0.1:0", "--api-keys", key_file,
                               *store.arguments(), *flags], capture_output=True, text=True, timeout=60)
        harness.expect(done.returncode == 2 and wanted in done.stderr and done.stderr.count("\n") == 1, f"{flags}: {done.returncode} {done.stderr}")
    done = subprocess.run([setting.program("frond-indexer"), "serve", "--repository", setting.folder, "--listen", "127.0.0.1:0", "--state", setting.path("x")],
                          capture_output=True, text=True, timeout=60)
    harness.expect(done.returncode == 2 and "--state" in done.stderr, done.stderr)


def check_equal(setting, service, clusters, words, remaining, number):
    generation = service.refresh()["generation"]
    path, folder = setting.path(f"fresh{number}.jsonl"), setting.path(f"fresh{number}")
    with open(path, "w", encoding="utf-8") as file:
        for name, text in remaining.items():
            file.write(writing.line(name, text) + "\n")
    setting.build(folder, "c", [path], 1, **writing.FLAGS)
    fresh = harness.Cluster(setting, folder, "c", 1, name=f"fresh{number}")
    queries = [(query, mode, k) for query in random_text.queries(setting.rng, words, 15) for mode in ("and", "or") for k in (3, 60)]
    wanted = writing.answers(fresh, queries)
    for cluster in clusters:
        harness.eventually(lambda c=cluster: c.search(words[0], cache="off").generation >= generation, f"generation {generation} is served")
        got = writing.answers(cluster, queries)
        for query, (hits, _) in wanted.items():
            harness.expect(got[query][0] == hits, f"round {number}, {cluster.name}: {query}: {got[query][0]} instead of {hits}")
    fresh.stop()
    print(f"round {number}: {len(remaining)} documents, generation {generation}, {len(queries)} answers of {len(clusters)} clusters, all the same", flush=True)


def get(service, path, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in fields.items()})
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read()
    finally:
        connection.close()


def check_files(service):
    """Published files through the service: whole, in ranges, and only if they changed; a GET that waits."""
    _, headers, current = get(service, "/repository/c/CURRENT")
    harness.expect(get(service, "/repository/c/CURRENT", If_None_Match=headers["ETag"])[0] == 304, "CURRENT has changed")
    number, epoch = (int(part) for part in current.split())
    status, headers, manifest = get(service, f"/repository/c/generations/{number}.json")
    harness.expect(status == 200 and json.loads(manifest)["manifest"]["generation"] == number, f"{status}: {manifest[:100]}")
    partition = json.loads(manifest)["manifest"]["partitions"][0]
    file = max(partition["files"], key=lambda one: one["bytes"])
    path = f"/repository/c/partitions/{partition['id']}/{file['name']}"
    status, headers, whole = get(service, path)
    harness.expect(status == 200 and len(whole) == file["bytes"] and headers["ETag"], f"{path}: {status}, {len(whole)} bytes")
    status, headers, part = get(service, path, Range="bytes=5-20")
    harness.expect(status == 206 and part == whole[5:21] and headers["Content-Range"] == f"bytes 5-20/{len(whole)}", f"{status} {headers}")
    harness.expect(get(service, path, Range=f"bytes={len(whole)}-")[0] == 416, "a range behind the end")
    for missing in ("/repository/c/settings.json", f"/repository/c/holders/{epoch}", "/repository/c/generations/999.json"):
        harness.expect(get(service, missing)[0] == 404, f"{missing} is served")


def check_announced(service):
    tag = get(service, "/repository/c/CURRENT")[1]["ETag"]
    service.expect(200, "POST", "/v1/collections/c/documents", writing.line("d-news", ["news"]), key="write")
    begin = time.monotonic()
    status, headers, _ = get(service, "/repository/c/CURRENT", If_None_Match=tag, Prefer="wait=30")
    harness.expect(status == 200 and headers["Preference-Applied"] == "wait" and time.monotonic() - begin < 15, f"{status} {headers}")
    print(f"CURRENT was announced {time.monotonic() - begin:.2f} s after a document was posted", flush=True)


def check_generations(service, keys):
    numbers = json.loads(service.expect(200, "GET", "/v1/collections/c/generations"))["generations"]
    last = numbers[-1]["generation"]
    harness.expect(numbers[-1]["current"], f"{numbers}")
    back = json.loads(service.expect(200, "POST", "/v1/collections/c/rollback", key="admin"))["generation"]
    harness.expect(back < last, f"{back}")
    service.expect(409, "POST", "/v1/collections/c/switch", json.dumps({"generation": last + 1}), key="admin")
    service.expect(200, "POST", "/v1/collections/c/switch", json.dumps({"generation": last}), key="admin")
    described = json.loads(service.expect(200, "GET", "/v1/collections/c"))
    harness.expect(described["generation"] == last and described["writing"]["state"] == "writing", f"{described}")
    service.expect(202, "POST", "/v1/collections/c/compact", key="admin")
    service.expect(200, "GET", "/v1/collections/c/jobs")
    for number in range(20):  # what is small is merged once there is enough of it
        service.expect(200, "POST", "/v1/collections/c/documents", writing.line("d-news", ["news"]), key="write")
        service.refresh()
    harness.eventually(lambda: harness.metric(service.port, "frond_indexer_compactions_total", outcome="ok") > 0, "small partitions are merged")


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 150)
    keys, key_file = writing.make_keys(setting)
    store = faulty(setting, PARSED.server, faults=15)
    check_flags(setting, store, key_file)
    flags = ("--state", setting.path("state"), *store.arguments(), "--s3-lease-seconds", "5", "--lease-seconds", "4", "--api-keys", key_file, "--refresh-ms",
             "300", "--memory-limit", "128MiB")
    service = writing.Service(setting, PLACE, keys, *flags)
    described = json.loads(service.expect(201, "PUT", "/v1/collections/c", json.dumps(writing.SETTINGS), key="admin"))
    harness.expect(described["generation"] is None and described["writing"]["state"] == "writing", f"{described}")
    service.expect(409, "PUT", "/v1/collections/c", key="admin")
    service.kill_and_start()  # it has the collection again, with its settings
    remaining = {"d-first": words[:10]}
    harness.eventually(lambda: service.ask("POST", "/v1/collections/c/documents", writing.line("d-first", words[:10]), key="write")[0] == 200, "writes again")
    service.refresh()
    clusters = [harness.Cluster(setting, PLACE, "c", 1, name="store", leaf_flags=("--poll-ms", "200", *store.arguments())),
                harness.Cluster(setting, f"http://127.0.0.1:{service.port}/repository", "c", 1, name="service", leaf_flags=("--poll-ms", "60000"))]
    for number in range(ROUNDS):
        writing.write_round(service, rng, words, remaining, number)
        check_equal(setting, service, clusters, words, remaining, number)
    check_files(service)
    check_announced(service)
    check_generations(service, keys)
    remaining["d-news"] = ["news"]
    check_equal(setting, service, clusters, words, remaining, ROUNDS)
    harness.expect(harness.metric(service.port, "frond_indexer_object_requests_total", outcome="ok") > 50, "requests are not counted")
    harness.expect(harness.metric(service.port, "frond_indexer_lease_events_total", event="taken") >= 1, "no lease was taken")
    for cluster in clusters:
        cluster.stop()
    checked = subprocess.run([setting.program("frond-indexer"), "check", "--repository", PLACE, "--collection", "c", "--scratch", setting.path("check"),
                              *store.arguments()], capture_output=True, text=True, timeout=300)
    harness.expect(checked.returncode == 0, f"check: {checked.stdout[-1000:]}{checked.stderr[-1000:]}")
    service.expect(200, "DELETE", "/v1/collections/c", key="admin")
    service.expect(404, "GET", "/v1/collections/c")
    harness.expect(json.loads(service.expect(200, "GET", "/v1/collections")) == {"collections": []}, "something is left")
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    harness.expect(store.secret not in setting.log("writer"), "the log tells a secret")
    harness.end(service.process, "the service")


if __name__ == "__main__":
    parser = harness.arguments(__doc__)
    parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
    PARSED = parser.parse_args()
    harness.run(test, PARSED)
