#!/usr/bin/env python3
"""A thread of a leaf stops turning: /livez reports it, until the thread turns again. (Of a broker: threads.py.)

The test stops the thread as a debugger does.
"""
import os

import harness
import random_text
from stopped_thread import Stopped

STALL_SECONDS = 3


def livez(port):
    status, body = harness.fetch(port, "/livez", timeout=5)
    return status, body.decode()


def check(process, port, metric, loop, thread):
    harness.expect(livez(port)[0] == 200, f"not alive before {thread} is stopped")
    with Stopped(process, thread):
        harness.eventually(lambda: livez(port)[0] == 503, f"/livez tells that {thread} does not turn", 20)
        harness.expect(f"'{loop}'" in livez(port)[1], f"the loop is not named: {livez(port)[1]}")
        line = f'{metric}{{loop="{loop}"}} '
        text = harness.fetch(port, "/metrics")[1].decode()
        age = float(next(one for one in text.splitlines() if one.startswith(line)).split()[-1])
        harness.expect(age > STALL_SECONDS, f"{line}{age}")
    harness.eventually(lambda: livez(port)[0] == 200, f"alive again when {thread} turns", 20)


def test(setting):
    source = random_text.Collection(setting.rng, 100, random_text.vocabulary(setting.rng, 50)).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 1)
    os.environ["FROND_STALL_SECONDS"] = str(STALL_SECONDS)
    cluster = harness.Cluster(setting, repository, "c", 1)
    check(cluster.leaves[0], cluster.leaf_http[0], "frond_leaf_loop_age_seconds", "socket", "leaf-socket")
    harness.eventually(lambda: harness.fetch(cluster.http, "/readyz")[0] == 200, "the broker is ready")
    cluster.stop()
    print("the loop was stopped; it was told of")


harness.run(test, harness.arguments(__doc__).parse_args())
