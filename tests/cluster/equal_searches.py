#!/usr/bin/env python3
"""Equal searches in flight share an evaluation, and still each gets what it would get alone: while a leaf stalls, a search with 1 s that
shares with one of 4 s gets a partial answer after a second, not a 504. Many equal searches are evaluated only a few times.
"""
import concurrent.futures
import re
import signal
import time

import harness
import random_text


def leaf_requests(cluster):
    text = harness.fetch(cluster.http, "/metrics")[1].decode()
    return int(float(re.search(r'^frond_broker_leaf_requests_total\{kind="search"\} (\S+)$', text, re.M).group(1)))


def ask(cluster, query, timeout_ms):
    """(status, seconds, partitions answered)."""
    started = time.monotonic()
    try:
        answer = cluster.search(query, timeout_ms=timeout_ms)
        return 200, time.monotonic() - started, 2 - len(answer.degraded)
    except harness.Refused as refused:
        return int(str(refused).split("status ")[1][:3]), time.monotonic() - started, 0


def test(setting):
    words = random_text.vocabulary(setting.rng, 200)
    source = random_text.Collection(setting.rng, 2000, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 2)
    cluster = harness.Cluster(setting, repository, "c", 2)
    query = " ".join(words[:3])
    with concurrent.futures.ThreadPoolExecutor(64) as threads:
        harness.pause(cluster.leaves[1])
        try:
            alone = ask(cluster, words[5], 1000)
            patient = threads.submit(ask, cluster, query, 4000)
            time.sleep(0.2)
            before = leaf_requests(cluster)
            hasty = [one.result() for one in [threads.submit(ask, cluster, query, 1000) for _ in range(50)]]
            sent = leaf_requests(cluster) - before
        finally:
            cluster.leaves[1].send_signal(signal.SIGCONT)
        print(f"alone: {alone}; behind a patient one: {hasty[0]} …, {sent} requests to leaves for {len(hasty)}; patient: {patient.result()}")
        harness.expect(alone[0] == 200 and alone[2] == 1, f"a search alone got {alone}")
        wrong = [one for one in hasty if one[0] != 200 or one[2] != 1 or one[1] > 2]
        harness.expect(not wrong, f"behind a patient one: {len(wrong)} of {len(hasty)} got {wrong[:3]}")
        harness.expect(sent <= 24, f"{len(hasty)} equal searches made {sent} requests to leaves")  # two leaves; a slow machine
        harness.expect(patient.result()[0] == 200, f"the patient one got {patient.result()}")
    cluster.await_ready()
    cluster.stop()


harness.run(test, harness.arguments(__doc__).parse_args())
