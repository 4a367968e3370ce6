#!/usr/bin/env python3
"""Generations that builds and an indexer service sign, and a leaf that takes only those of known keys: what is not signed, or with another
key, is refused by name while the last good generation is served, after a restart too.
"""
import os
import shutil
import subprocess
import sys

import harness
import writing

OPENSSL = shutil.which("openssl")


def make_key(setting, name):
    secret, public = setting.path(name + ".pem"), setting.path(name + ".pub")
    for command in (("genpkey", "-algorithm", "ed25519", "-out", secret), ("pkey", "-in", secret, "-pubout", "-out", public)):
        subprocess.run([OPENSSL, *command], check=True, capture_output=True)
    return secret, public


def test(setting):
    keys = {name: make_key(setting, name) for name in ("old", "new", "foreign")}
    trusted = setting.path("trusted.pem")
    with open(trusted, "w", encoding="ascii") as out:
        for name in ("old", "new"):
            with open(keys[name][1], encoding="ascii") as public:
                out.write(public.read())
    repository = setting.path("repository")
    count = 0

    def build(key):
        nonlocal count
        count += 10
        source = setting.write_numbered("d", count, lambda number: f"word{number % 7} text")
        flags = {"signing_key": keys[key][0]} if key else {}
        setting.build(repository, "c", [source], 2, **flags)

    build("old")
    cluster = harness.Cluster(setting, repository, "c", 1, leaf_flags=("--poll-ms", "200", "--trusted-keys", trusted))
    port = cluster.leaf_http[0]

    def ready():
        return harness.fetch(port, "/readyz")[1].decode()

    def found():
        return cluster.search("text", cache="off").total[0]

    harness.expect(found() == 10, "the first generation is not served")
    for key, why in ((None, "is not signed"), ("foreign", "which is not in --trusted-keys")):
        served, refused = found(), harness.metric(port, "frond_leaf_generation_refused_total")
        build(key)
        generation = harness.current(repository, "c")
        harness.eventually(lambda: f"generation {generation}" in ready() and why in ready(), f"/readyz says why {key} is refused: {ready()}")
        harness.expect(harness.fetch(port, "/readyz")[0] == 200, "the leaf is not ready")
        harness.expect(harness.metric(port, "frond_leaf_generation_refused_total") > refused, "the metric tells of no refusal")
        harness.expect(why in setting.log("c-leaf0"), "the log does not say why")
        harness.expect(found() == served, "something else is served")
        harness.end(cluster.leaves[0], "the leaf")
        cluster.start_leaf(0)
        harness.eventually(lambda: found() == served, "after a restart the last good one is served")
        build("new" if key else "old")  # a key after the other: both are known
        harness.eventually(lambda: found() == count, f"what is signed is taken: {ready()}")
    print("unsigned and foreign generations: refused by name, the last good one served", flush=True)

    # Nobody's generation becomes a signed one by a change of it.
    ids = setting.path("ids")
    with open(ids, "w", encoding="ascii") as out:
        out.write("d0\n")

    def remove(*flags):
        return subprocess.run([setting.program("frond-indexer"), "remove", "--repository", repository, "--collection", "c", "--ids", ids,
                               "--signing-key", keys["old"][0], *flags], capture_output=True, text=True, timeout=60)

    refused = remove()
    harness.expect(refused.returncode == 1 and "--sign-kept" in refused.stderr, f"a change of another key's generation: {refused}")
    done = remove("--sign-kept")
    harness.expect(done.returncode == 0, f"--sign-kept: {done}")
    count -= 1
    harness.eventually(lambda: found() == count, f"what was kept is signed: {ready()}")

    # The service signs what it publishes, and takes over digests of what it keeps.
    api_keys, key_file = writing.make_keys(setting)
    service = writing.Service(setting, repository, api_keys, "--api-keys", key_file, "--refresh-ms", "100", "--signing-key", keys["old"][0])
    service.expect(200, "POST", "/v1/collections/c/documents", writing.line("more", ["text"]), key="write")
    harness.eventually(lambda: found() == count + 1, f"a document that was written is found: {ready()}")
    print("what the service publishes: taken", flush=True)
    wrong = subprocess.run([setting.program("frond-leaf"), "--repository", repository, "--collection", "c", "--data", setting.path("x"), "--listen",
                            "tcp://127.0.0.1:0", "--http", "127.0.0.1:0", "--trusted-keys", keys["old"][0]], capture_output=True, text=True, timeout=30)
    harness.expect(wrong.returncode == 2 and "--trusted-keys" in wrong.stderr, f"a secret key as trusted one: {wrong.returncode} {wrong.stderr}")
    cluster.stop()


if OPENSSL is None:
    print("skipped: no openssl")
    sys.exit(77)
harness.run(test, harness.arguments(__doc__).parse_args())
