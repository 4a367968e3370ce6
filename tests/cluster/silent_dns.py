#!/usr/bin/env python3
"""--leaf names a leaf for whose name DNS sends no answer: searches on the other leaves go on, and the broker stays alive.

The test runs in its own network namespace, whose only name server receives questions and answers none.
"""
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import time

import harness
import random_text

INSIDE = "FROND_TEST_INSIDE_NAMESPACE"
SERVER = "127.0.0.53"
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def enter_namespaces():
    """Starts this script again inside; exits 77 where that may not be done."""
    unshare = ["unshare", "-mn"] if os.geteuid() == 0 else ["unshare", "-rmn"]
    if shutil.which("unshare") is None or subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        print("skipped: no namespaces")
        sys.exit(harness.SKIPPED)
    os.execvpe("unshare", [*unshare, sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(s, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


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
    loopback_up()
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
if INSIDE not in os.environ:
    enter_namespaces()
harness.run(test, parsed)
