#!/usr/bin/env python3
"""A command without an epoch is stopped (SIGSTOP) just before it replaces CURRENT. Meanwhile the collection is removed, and made again by commands up
to the same generation. When the command goes on, it fails, and the new collection is as it was. In an object store with and without conditional
writes, or in a directory (--directory).
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402
from network import pipe  # noqa: E402
from store import PLACE, faulty  # noqa: E402

LEASE_S = 3
KEYS = "/bucket/deep/prefix/c/"


class Holding:
    """Carries connections to `far`, a port of this machine, and holds one request: the first one that begins with `held` after one that begins with
    `after`. What was held goes to whatever listens at that port then."""

    def __init__(self, far):
        self.far, self.after, self.held = far, b"", b"-"
        self.holds, self.goes_on = threading.Event(), threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, after, held):
        self.after, self.held = after.encode(), held.encode()
        self.holds.clear()
        self.goes_on.clear()

    def accept(self):
        while True:
            near = self.listener.accept()[0]
            threading.Thread(target=self.carry, args=(near,), daemon=True).start()

    def connect(self, near):
        far = socket.create_connection(("127.0.0.1", self.far))
        threading.Thread(target=pipe, args=(far, near), daemon=True).start()
        return far

    def carry(self, near):
        try:
            far = self.connect(near)
            while data := near.recv(65536):
                if self.after and data.startswith(self.after):
                    self.after = b""
                elif not self.after and data.startswith(self.held):
                    self.held = b"-"
                    self.holds.set()
                    self.goes_on.wait()
                    far = self.connect(near)
                far.sendall(data)
        except OSError:
            near.close()


class Collection:
    """Of commands, in `place`."""

    def __init__(self, setting, place, flags):
        self.setting, self.place, self.flags = setting, place, flags

    def command(self, name, *more, scratch="scratch"):
        at = () if os.path.isdir(self.place) else ("--scratch", self.setting.path(scratch), "--s3-lease-seconds", str(LEASE_S))
        return [self.setting.program("frond-indexer"), name, "--repository", self.place, "--collection", "c", *at, *more, *self.flags]

    def documents(self, name, count):
        return ("--format", "jsonl", "--input", self.setting.write_numbered(name, count, lambda _: "word"))

    def make(self, name, first, second):
        """Up to generation 2, of so many documents each."""
        for command, count in (("build", first), ("add", second)):
            subprocess.run(self.command(command, *self.documents(name + command, count)), check=True, capture_output=True, timeout=60)

    def state(self):
        """(generation, documents) of a collection that is whole."""
        done = subprocess.run(self.command("check", "--json", scratch="check"), capture_output=True, text=True, timeout=60, check=False)
        harness.expect(done.returncode == 0, f"check: {done.stdout[-600:]}{done.stderr[-600:]}")
        report = json.loads(done.stdout)
        return report["generation"], report["documents"]


def expect_refused(process, collection, name, where):
    said = process.communicate(timeout=120)[1]
    harness.expect(process.returncode == 1, f"{name}, {where}: exited {process.returncode}: {said}")
    harness.expect(collection.state() == (2, 9), f"{name}, {where}: the new collection is {collection.state()}")
    print(f"{name}, stopped {where}: {said.strip()[-160:]}", flush=True)


def stopped_commands(collection):
    """Each with the object that it puts before CURRENT."""
    with open(collection.setting.path("ids"), "w", encoding="ascii") as file:
        file.write("oldadd0\n")
    return (("add", collection.documents("third", 3), "generations/3.json"), ("remove", ("--ids", collection.setting.path("ids")), "generations/3.json"),
            ("rollback", (), "HIGHEST"))


def test_store(setting):
    store = faulty(setting, PARSED.server, conditions=PARSED.conditions)
    holding = Holding(store.port)
    collection = Collection(setting, PLACE, store.arguments())
    far = Collection(setting, PLACE, ("--s3-endpoint", f"http://127.0.0.1:{holding.port}", "--s3-credentials", store.credentials))
    # Without conditions, only what is before the last look at CURRENT can be protected.
    method, where = ("PUT", "before its PUT of CURRENT") if PARSED.conditions == "on" else ("GET", "before its last look at CURRENT")
    for name, flags, before in stopped_commands(collection):
        shutil.rmtree(setting.path("scratch"), ignore_errors=True)
        collection.make("old", 2, 3)
        holding.arm(f"PUT {KEYS}{before} ", f"{method} {KEYS}CURRENT ")
        process = subprocess.Popen(far.command(name, *flags, scratch="scratch-" + name), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        setting.processes.append(process)
        harness.expect(holding.holds.wait(30), f"{name} does not come to CURRENT: {process.poll()}")
        process.send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        store.stop()  # it has all in memory
        store.start()
        shutil.rmtree(setting.path("scratch"))
        collection.make("new", 4, 5)
        time.sleep(max(0.0, begin + LEASE_S - time.monotonic()))
        process.send_signal(signal.SIGCONT)
        holding.goes_on.set()
        expect_refused(process, collection, name, where)
        store.stop()
        store.start()


def stop_at_draft(setting, command, draft):
    """The stopped process, and strace."""
    strace = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", "-P", draft, "-e", "trace=fsync,fdatasync", "-e",
                               "inject=fsync,fdatasync:signal=SIGSTOP:when=1", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    setting.processes.append(strace)

    def is_stopped():
        found = subprocess.run(["ps", "--ppid", str(strace.pid), "-o", "pid=,state="], capture_output=True, text=True, check=False).stdout.split()
        return len(found) == 2 and found[1] in "Tt"

    def stays_stopped():  # strace stops it for an instant at each call
        return os.path.exists(draft) and all(is_stopped() for _ in range(20))

    harness.eventually(stays_stopped, "strace stops the command", 30)
    return int(subprocess.run(["ps", "--ppid", str(strace.pid), "-o", "pid="], capture_output=True, text=True, check=True).stdout), strace


def test_directory(setting):
    if not shutil.which("strace") or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        print("strace can't trace here", flush=True)
        sys.exit(harness.SKIPPED)
    collection = Collection(setting, setting.path("repository"), ())
    os.mkdir(collection.place)
    folder = os.path.join(collection.place, "c")
    for name, flags, _ in stopped_commands(collection):
        collection.make("old", 2, 3)
        child, strace = stop_at_draft(setting, collection.command(name, *flags), os.path.join(folder, "building", "CURRENT"))
        shutil.rmtree(folder)
        collection.make("new", 4, 5)
        os.kill(child, signal.SIGCONT)
        expect_refused(strace, collection, name, "before its rename of CURRENT")
        shutil.rmtree(folder)


def test(setting):
    (test_directory if PARSED.directory else test_store)(setting)


if __name__ == "__main__":
    parser = harness.arguments(__doc__)
    parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
    parser.add_argument("--conditions", choices=("on", "off"), default="on", help="whether the store obeys conditional writes")
    parser.add_argument("--directory", action="store_true", help="in a directory instead")
    PARSED = parser.parse_args()
    harness.run(test, PARSED)
