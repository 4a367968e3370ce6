#!/usr/bin/env python3
"""--leaf names a leaf for whose name DNS sends no answer: searches on the other leaves go on, and the broker stays alive.

The test runs in its own network namespace, whose only name server receives questions and answers none.
"""
import os
import socket
import subprocess
import time

import harness
import namespace
import random_text

SERVER = "127.0.0.53"


def silent_name_server(setting):
    path = setting.path("resolv.conf")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"nameserver {SERVER}\noptions timeout:5 attempts:2\n")
    subprocess.run(["mount", "--bind", path, os.path.realpath("/etc/resolv.conf")], check=True)
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((SERVER, 53))
    server.settimeout(30)
    return server


def test(setting):
    server = silent_name_server(setting)
    words = random_text.vocabulary(setting.rng, 50)
    source = random_text.Collection(setting.rng, 100, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 1)
    cluster = harness.Cluster(setting, repository, "c", 1, broker_flags=("--leaf", "tcp://leaf-9.example:7001"))
    question, _ = server.recvfrom(512)
    harness.expect(b"leaf-9" in question, f"another name was asked for: {question}")
    asked = failed = 0
    end = time.monotonic() + 25
    while time.monotonic() < end:
        asked += 1
        status, _ = harness.fetch(cluster.http, f"/v1/search?q={setting.rng.choice(words)}&cache=off")
        failed += status != 200
        harness.expect(harness.fetch(cluster.http, "/livez")[0] == 200, "the broker is not alive")
        time.sleep(0.1)
    harness.expect(failed == 0, f"{failed} of {asked} searches failed")
    harness.expect("leaf-9.example" in harness.fetch(cluster.http, "/v1/cluster")[1].decode(), "the leaf is not named")
    cluster.stop()
    print(f"{asked} searches, none failed, while DNS did not answer")


parsed = harness.arguments(__doc__).parse_args()
namespace.enter()
harness.run(test, parsed)
