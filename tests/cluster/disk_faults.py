#!/usr/bin/env python3
"""What a leaf's disk may do to it: the folder is still another leaf's, the disk is full, a file is cut short."""
import fcntl
import os
import time

import harness
import random_text


class LoneLeaf:
    """A leaf without brokers."""

    def __init__(self, setting, name, repository, *flags):
        self.setting, self.name, self.repository, self.flags = setting, name, repository, flags
        self.data, self.ports = setting.path(name + "-data"), harness.free_ports(2)
        self.start()

    def start(self, *more):
        self.process = self.setting.spawn(
            self.name, "frond-leaf", "--repository", self.repository, "--collection", "c", "--data", self.data,
            "--listen", f"tcp://127.0.0.1:{self.ports[0]}", "--http", f"127.0.0.1:{self.ports[1]}", *self.flags, *more)

    def probe(self, path):
        status, body = harness.fetch(self.ports[1], path)
        return status, body.decode()

    def ready(self):
        return self.probe("/readyz")[0] == 200

    def stop(self):
        self.process.terminate()
        harness.expect(self.process.wait(30) == 0, f"{self.name} did not exit 0 at SIGTERM")


def check_held_lock(setting, repository):
    """The folder is still held by the leaf before: the next one waits, says so, and takes over."""
    leaf = LoneLeaf(setting, "heir", repository)
    harness.eventually(leaf.ready, "the leaf is ready")
    leaf.stop()
    with open(os.path.join(leaf.data, "LOCK"), "r+", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        leaf.start()
        harness.eventually(lambda: leaf.probe("/readyz")[0] == 503 and leaf.probe("/livez")[0] == 200, "it lives and is not ready")
        harness.expect(leaf.data in leaf.probe("/readyz")[1], f"/readyz does not say what it waits for: {leaf.probe('/readyz')}")
        harness.expect("another leaf has the data folder: waiting" in setting.log("heir"), "the log does not say what it waits for")
        time.sleep(1.5)
        harness.expect(leaf.process.poll() is None, "it did not wait")
        fcntl.flock(lock, fcntl.LOCK_UN)
        harness.eventually(leaf.ready, "it serves when the folder is free")
        leaf.stop()

        fcntl.flock(lock, fcntl.LOCK_EX)
        leaf.start()
        harness.eventually(lambda: leaf.probe("/livez")[0] == 200, "it waits")
        leaf.stop()  # SIGTERM ends the wait
        leaf.start("--lock-wait", "1")
        harness.expect(leaf.process.wait(30) == 2, f"exit {leaf.process.returncode} when nobody lets go of the folder")
        harness.expect("another leaf is using it" in setting.log("heir"), "it does not say why it ends")
    print("held lock: waits, takes over, obeys SIGTERM, gives up", flush=True)


def test(setting):
    words = random_text.vocabulary(setting.rng, 200)
    source = random_text.Collection(setting.rng, 2000, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 2)
    check_held_lock(setting, repository)


harness.run(test, harness.arguments(__doc__).parse_args())
