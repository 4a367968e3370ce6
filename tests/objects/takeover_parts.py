"""What takeover.py asks of services and repositories."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cluster"))
import harness  # noqa: E402
import writing  # noqa: E402
from store import PLACE, faulty, s3rver  # noqa: E402

DOCUMENTS = "/v1/collections/c/documents"


class Where:
    """The repository, and the flags that reach it."""

    def __init__(self, setting, arguments):
        if arguments.directory:
            self.place, self.flags, self.below_state, self.rounds = setting.path("repository"), (), (), 8
            os.mkdir(self.place)
            return
        store = s3rver(setting) if arguments.s3rver else faulty(setting, arguments.server, conditions=arguments.conditions)
        self.place, self.flags, self.below_state, self.rounds = PLACE, store.arguments(), ("bucket", "deep", "prefix"), 2

    def check(self, setting, collection):
        checked = subprocess.run([setting.program("frond-indexer"), "check", "--repository", self.place, "--collection", collection, "--scratch",
                                  setting.path("check"), *self.flags], capture_output=True, text=True, timeout=300)
        harness.expect(checked.returncode == 0, f"check: {checked.stdout[-1000:]}{checked.stderr[-1000:]}")


def post(service, name, *words, status=200):
    return service.expect(status, "POST", DOCUMENTS, writing.line(name, words), key="write")


def parsed(line):
    """(generation, number of the epoch in this life of the collection)"""
    generation, epoch = (int(part) for part in line.split())
    return generation, epoch % 2**20


def current(service, collection="c"):
    return parsed(service.expect(200, "GET", f"/repository/{collection}/CURRENT"))


def readiness(service):
    return json.loads(service.expect(200, "GET", "/readyz"))


def await_writing(service):
    begin = time.monotonic()
    harness.eventually(lambda: service.state()["state"] == "writing", f"{service.name} takes over", 30)
    print(f"{service.name} writes after {time.monotonic() - begin:.1f} s", flush=True)


def ids(cluster, word):
    return sorted(name for name, _ in cluster.search(word, cache="off", k=1000).ranking)


def logged(setting, name, message):
    return [json.loads(line) for line in setting.log(name).splitlines() if line.startswith("{") and f'"{message}' in line]
