#!/usr/bin/env python3
"""A collection is added to, removed from and compacted by command while it is searched: every answer is of one generation, and each
generation answers, byte for byte, as a fresh build of what remains does, with leaves that have different partitions.
"""
import json
import subprocess
import threading
import urllib.parse

import harness
import random_text

CHANGES = 5
MODES, DEPTHS = ("and", "or", "auto"), (3, 50)


def command(setting, repository, name, *flags):
    done = subprocess.run([setting.program("frond-indexer"), name, "--repository", repository, "--collection", "c", "--json",
                           *flags], capture_output=True, text=True, timeout=600)
    harness.expect(done.returncode == 0, f"{name} exited {done.returncode}: {done.stderr[-1000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def write(path, documents):
    with open(path, "w", encoding="utf-8") as file:
        for name, body in documents:
            file.write(json.dumps({"id": name, "title": "", "body": " ".join(body)}) + "\n")
    return path


def answers(cluster, queries):
    """{query: what a client sees of it}: hits, and the total where it is exact."""
    got = {}
    for words, mode, k in queries:
        for processor in ("cpu", "exhaustive"):
            answer = cluster.search(words, mode=mode, k=k, processor=processor, cache="off")
            harness.expect(answer.whole, f"{words!r} {mode} k={k}: degraded")
            got[words, mode, k, processor] = answer.hits, answer.total
        if mode == "auto":  # no mode of counts
            continue
        status, body = harness.fetch(cluster.http, "/v1/count?" + urllib.parse.urlencode({"q": words, "mode": mode}))
        harness.expect(status == 200, f"count: {status} {body[:200]!r}")
        answer = json.loads(body)
        got[words, mode, k, "count"] = answer["count"], answer["relation"]
    return got


def compare(got, wanted, what):
    for query, (hits, total) in wanted.items():
        harness.expect(got[query][0] == hits, f"{what}: {query}: {got[query][0]} instead of {hits}")
        if total == "eq" or total[1] == "eq":
            same = got[query][1] == total or got[query][1][1] == "gte"
            harness.expect(same, f"{what}: {query}: total {got[query][1]} instead of {total}")


def change(setting, repository, documents, number, rng, words):
    """One change by command; returns what remains."""
    kind = ("add", "remove", "add", "compact", "remove")[number % 5]
    if kind == "compact":
        summary = command(setting, repository, "compact", "--tier-width", "2")
        harness.expect(summary["partitions_replaced"] > 0, f"nothing was compacted: {summary}")
        return documents
    if kind == "remove":
        gone = {name for name, _ in rng.sample(documents, len(documents) // 8)}
        ids = setting.path(f"ids{number}")
        with open(ids, "w", encoding="utf-8") as file:
            file.write("\n".join(sorted(gone)) + "\nnobody\n")
        summary = command(setting, repository, "remove", "--ids", ids)
        harness.expect((summary["removed"], summary["unknown"]) == (len(gone), 1), f"{summary} for {len(gone)} ids")
        return [one for one in documents if one[0] not in gone]
    fresh = random_text.Collection(rng, 150, words, name=f"n{number}-").documents
    replaced = [(name, rng.choice(documents)[1]) for name, _ in rng.sample(documents, 30)]
    summary = command(setting, repository, "add", "--partitions", "2", "--input",
                      write(setting.path(f"add{number}.jsonl"), fresh + replaced))
    harness.expect((summary["added"], summary["replaced"]) == (180, 30), f"{summary['added']}, {summary['replaced']}")
    gone = {name for name, _ in replaced}
    return [one for one in documents if one[0] not in gone] + fresh + replaced


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    documents = random_text.Collection(rng, 1200, words).documents
    queries = [(q, mode, k) for q in random_text.queries(rng, words, 8) for mode in MODES for k in DEPTHS]
    repository = setting.path("repository")
    setting.build(repository, "c", [write(setting.path("first.jsonl"), documents)], 4)
    cluster = harness.Cluster(setting, repository, "c", 2)
    watch = harness.Watch(cluster, queries, threads=2, seed=rng.randrange(2**32))
    references = {harness.current(repository, "c"): answers(cluster, queries)}
    for number in range(CHANGES):
        documents = change(setting, repository, documents, number, rng, words)
        generation = harness.current(repository, "c")
        harness.eventually(lambda g=generation: cluster.search(words[0], cache="off").generation == g,
                           f"generation {generation} is served", 60)
        fresh_repository = setting.path(f"fresh{number}")
        setting.build(fresh_repository, "c", [write(setting.path(f"fresh{number}.jsonl"), documents)], 1 + number % 3)
        fresh = harness.Cluster(setting, fresh_repository, "c", 1, name=f"fresh{number}")
        wanted = answers(fresh, queries)
        fresh.stop()
        got = answers(cluster, queries)
        compare(got, wanted, f"generation {generation}")
        references[generation] = got
        view = json.loads(harness.fetch(cluster.http, "/v1/cluster")[1])
        harness.expect(view["documents"] == len(documents), f"{view['documents']} documents, {len(documents)} wanted")
        shown = sum(partition["documents"] for partition in view["partitions"])
        harness.expect(shown == len(documents), f"partitions have {shown} documents, {len(documents)} wanted")
    watch.stop()
    right = watch.judge(lambda g, query, mode, k: references[g][query, mode, k, "cpu"][0])
    harness.expect(watch.errors == 0 and watch.degraded == 0, f"{watch.errors} errors, {watch.degraded} degraded")
    for check in (["check"], ["prune", "--keep", "0"], ["check"]):
        done = subprocess.run([setting.program("frond-indexer"), check[0], "--repository", repository, "--collection", "c",
                               *check[1:]], capture_output=True, text=True, timeout=600)
        harness.expect(done.returncode == 0, f"{check}: {done.stdout[-1000:]} {done.stderr[-1000:]}")
    refusals(setting, repository)
    cluster.stop()
    print(f"{CHANGES} changes, {watch.asked} answers meanwhile, {right} different, all right")


def refusals(setting, repository):
    """What cannot be changed says why."""
    empty = setting.path("empty-repository")
    ids = setting.path("no-ids")
    open(ids, "w", encoding="utf-8").close()
    for flags, wanted in ((["remove", "--repository", empty, "--collection", "c", "--ids", ids], "nothing is published"),
                          (["add", "--repository", empty, "--collection", "c", "--input", ids], "nothing is published"),
                          (["compact", "--repository", empty, "--collection", "c"], "nothing is published"),
                          (["remove", "--repository", repository, "--collection", "c", "--ids", ids + "-absent"], "--ids")):
        done = subprocess.run([setting.program("frond-indexer"), *flags], capture_output=True, text=True, timeout=60)
        harness.expect(done.returncode != 0 and wanted in done.stderr, f"{flags[0]}: {done.returncode}, {done.stderr}")
    before = harness.current(repository, "c")
    command(setting, repository, "remove", "--ids", ids)
    harness.expect(harness.current(repository, "c") == before, "a removal of nothing published a generation")
    hold = threading.Event(), threading.Event()

    def writer():
        process = subprocess.Popen([setting.program("frond-indexer"), "remove", "--repository", repository, "--collection", "c",
                                    "--ids", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        hold[1].set()
        hold[0].wait(60)
        process.communicate("")

    thread = threading.Thread(target=writer)
    thread.start()
    hold[1].wait(60)

    def is_refused():
        done = subprocess.run([setting.program("frond-indexer"), "remove", "--repository", repository, "--collection", "c",
                               "--ids", ids], capture_output=True, text=True, timeout=60)
        return done.returncode == 1 and "another writer" in done.stderr

    try:
        harness.eventually(is_refused, "a second writer is refused")
    finally:
        hold[0].set()
        thread.join()


harness.run(test, harness.arguments(__doc__).parse_args())
