#!/usr/bin/env python3
"""A log of `frond-indexer serve` that is cut, gone or of yesterday is not taken for a shorter one: the collection is refused, and its service
says which changes are missing, in the log, in the description, in the answer to /refresh and in /readyz. With the files back it goes on; with
`accept-loss` it goes on without them, and says no more. Whatever is left is published, and no number is used twice."""
import json
import os
import shutil
import subprocess

import harness
import writing

POSTS, EACH = 20, 3


class Place:
    """A collection with POSTS * EACH acknowledged changes, half of them not published, whose service is down."""

    def __init__(self, setting, name, keys, key_file, state):
        self.setting, self.repository = setting, setting.path(name)
        os.mkdir(self.repository)
        self.state = ("--state", setting.path(name + "-state")) if state else ()
        self.service = writing.Service(setting, self.repository, keys, "--api-keys", key_file, "--refresh-ms", "3600000",
                                       "--memory-limit", "128MiB", "--lease-seconds", "2", *self.state, name="service-" + name)
        self.folder = os.path.join(self.state[1] if state else self.repository, "c")
        self.log, self.copy = os.path.join(self.folder, "log"), setting.path("copy-of-" + name)
        harness.expect(self.ask("PUT", "/v1/collections/c", key="admin")[0] == 201, "the collection is made")
        self.post(0, POSTS // 2)
        harness.kill9(self.service.process)
        shutil.copytree(self.folder, self.copy + "-old")
        self.service.start()
        half = POSTS // 2 * EACH  # is published at once by a service that starts; what comes after waits for an hour
        harness.eventually(lambda: self.described().get("published_sequence", 0) == half, "what waited is published")
        self.post(POSTS // 2, POSTS)
        harness.kill9(self.service.process)
        shutil.copytree(self.folder, self.copy + "-whole")

    def ask(self, *arguments, **more):
        return self.service.ask(*arguments, **more)

    def post(self, begin, end):
        for k in range(begin, end):
            body = "".join(json.dumps({"id": f"q{k}-{i}", "title": "all"}) + "\n" for i in range(EACH))
            status, answer = self.ask("POST", "/v1/collections/c/documents", body, key="write")
            harness.expect(status == 200, f"a post is acknowledged: {status} {answer}")

    def described(self):
        return json.loads(self.ask("GET", "/v1/collections/c")[1])["writing"]

    def put_back(self):
        shutil.rmtree(self.folder)
        shutil.copytree(self.copy + "-whole", self.folder)

    def newest(self):
        return max((name for name in os.listdir(self.log) if name.endswith(".log")))


def cut(place, what):
    """Does to the log what `what` says."""
    newest = os.path.join(place.log, place.newest())
    size = os.path.getsize(newest)
    if what == "newest file gone":
        os.remove(newest)
    elif what == "folder gone":
        shutil.rmtree(place.log)
    elif what == "yesterday's folder":
        shutil.rmtree(place.log)
        shutil.copytree(place.copy + "-old/log", place.log)
    elif what == "RocksDB's CURRENT gone":
        os.remove(os.path.join(place.log, "CURRENT"))
    elif what == "all of RocksDB's logs gone":
        for name in os.listdir(place.log):
            if name.endswith((".log", ".sst")):
                os.remove(os.path.join(place.log, name))
    else:
        with open(newest, "r+b") as file:
            file.truncate({"empty": 0, "one byte": 1, "half": size // 2, "its last bytes": len(file.read().rstrip(b"\0")) - 5}[what])


def refused(place, what):
    place.service.start()
    harness.eventually(lambda: place.described()["state"] == "refused", f"{what}: the collection is refused")
    status, answer = place.ask("POST", "/v1/collections/c/refresh", key="write")
    ready = json.loads(place.ask("GET", "/readyz")[1])
    for where, said in (("the description", place.described()["error"]), ("/refresh", answer.decode()), ("/readyz", ready["detail"])):
        harness.expect("missing" in said or "can't be read" in said, f"{what}: {where} says what is missing: {said}")
        harness.expect(str(POSTS * EACH) in said and "accept-loss" in said, f"{what}: {where} says how to go on: {said}")
    harness.expect(status == 503, f"{what}: /refresh is {status}")


def documents(place):
    harness.eventually(lambda: place.described()["state"] == "writing", "the collection is written")
    status, answer = place.ask("POST", "/v1/collections/c/refresh", key="write")
    harness.expect(status == 200, f"/refresh: {status} {answer}")
    return json.loads(place.ask("GET", "/v1/collections/c")[1])["documents"]


CUTS = ("newest file gone", "folder gone", "yesterday's folder", "RocksDB's CURRENT gone", "all of RocksDB's logs gone", "empty", "one byte",
        "half", "its last bytes")


def test(setting):
    keys, key_file = writing.make_keys(setting)
    for state in (False, True):
        place = Place(setting, "state" if state else "repository", keys, key_file, state)
        for what in CUTS:
            cut(place, what)
            refused(place, what)
            harness.kill9(place.service.process)
            place.put_back()
        cut(place, "its last bytes")
        refused(place, "its last bytes")
        out = subprocess.run([setting.program("frond-indexer"), "accept-loss", "--repository", place.repository, "--collection", "c",
                              *place.state], capture_output=True, text=True, timeout=60).stdout
        harness.expect("given up: " in out and str(POSTS * EACH) in out, f"accept-loss says what is given up: {out}")
        left = documents(place)
        harness.expect(0 < left < POSTS * EACH, f"what is left is published: {left}")
        status, answer = place.ask("POST", "/v1/collections/c/documents", '{"id":"new","title":"all"}\n', key="write")
        harness.expect(status == 200 and documents(place) == left + 1, f"changes go on: {status} {answer}")
        harness.expect(place.described()["accepted_sequence"] == POSTS * EACH + 1, "no number is used twice")
        place.service.kill_and_start()
        harness.expect(documents(place) == left + 1, "what was given up is not missed again")
        harness.kill9(place.service.process)
        shutil.rmtree(place.log)  # all that it had is published
        place.service.start()
        harness.expect(documents(place) == left + 1, "a log that had nothing to publish is not missed")
        harness.end(place.service.process, "the service")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
