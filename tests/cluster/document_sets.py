"""Shared by the tests of documents: builds of a folder of files, and searches in them."""
import json
import os
import subprocess

import harness


def write(folder, files):
    """{name: text or bytes} below a folder, which is made."""
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
    return folder


def build(setting, collection, inputs, *flags):
    """(exit code, the summary as JSON or None, stderr) of a build without --format."""
    command = [setting.program("frond-indexer"), "build", "--repository", setting.path("repository"), "--collection", collection,
               "--json", *flags, "--input", *inputs]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.returncode, json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None, done.stderr


class Found:
    """A collection that was built, and a cluster that answers from it."""

    def __init__(self, setting, collection, inputs, *flags):
        code, self.summary, self.log = build(setting, collection, inputs, *flags)
        harness.expect(code == 0, f"{collection}: build exited {code}: {self.log[-1000:]}")
        self.cluster = harness.Cluster(setting, setting.path("repository"), collection, 1, name=collection)

    def hits(self, words):
        return json.loads(self.cluster.search(words, mode="and", k=100).hits)

    def ids(self, words):
        return sorted(hit["id"] for hit in self.hits(words))

    def stop(self):
        self.cluster.stop()


def same(got, wanted, what):
    harness.expect(got == wanted, f"{what}: {got!r} instead of {wanted!r}")


def run_checks(description, checks):
    """Runs them all, or the one that --only names."""
    parser = harness.arguments(description)
    names = [check.__name__.removeprefix("check_") for check in checks]
    parser.add_argument("--only", choices=names, help="run this check alone")
    parsed = parser.parse_args()

    def test(setting):
        for name, check in zip(names, checks):
            if parsed.only in (None, name):
                check(setting)

    harness.run(test, parsed)
