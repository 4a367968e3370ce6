#!/usr/bin/env python3
"""A thread of a broker or a leaf stops turning: /livez reports it, until the thread turns again.

The test stops one thread at a time, as a debugger does.
"""
import ctypes
import os
import sys

import harness
import random_text

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000
STALL_SECONDS = 3

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, thread):
    return libc.ptrace(request, thread, None, None)


def threads_named(process, name):
    folder = f"/proc/{process.pid}/task"
    found = []
    for thread in os.listdir(folder):
        with open(f"{folder}/{thread}/comm", encoding="ascii") as file:
            if file.read().strip() == name:
                found.append(int(thread))
    return found


class Stopped:
    """A thread that does not run until this is left."""

    def __init__(self, process, name):
        (self.thread,) = threads_named(process, name)

    def __enter__(self):
        if ptrace(PTRACE_SEIZE, self.thread) != 0:
            print(f"skipped: no thread can be stopped here: {os.strerror(ctypes.get_errno())}")
            sys.exit(harness.SKIPPED)
        harness.expect(ptrace(PTRACE_INTERRUPT, self.thread) == 0, "the thread is not interrupted")
        os.waitpid(self.thread, WALL)

    def __exit__(self, *_):
        ptrace(PTRACE_DETACH, self.thread)


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
    check(cluster.broker, cluster.http, "frond_broker_loop_age_seconds", "zeromq", "ZMQbg/IO/0")
    check(cluster.leaves[0], cluster.leaf_http[0], "frond_leaf_loop_age_seconds", "zeromq", "ZMQbg/IO/0")
    check(cluster.leaves[0], cluster.leaf_http[0], "frond_leaf_loop_age_seconds", "socket", "leaf-socket")
    harness.eventually(lambda: harness.fetch(cluster.http, "/readyz")[0] == 200, "the broker is ready")
    cluster.stop()
    print("three loops were stopped one at a time; each was told of")


harness.run(test, harness.arguments(__doc__).parse_args())
