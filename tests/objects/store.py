"""An object store as a process, for tests."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cluster"))
import harness  # noqa: E402

PLACE = "s3://bucket/deep/prefix"
S3RVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node_modules", "s3rver", "bin", "s3rver.js")


class Store:
    """A server process, and the flags that reach it."""

    def __init__(self, setting, name, command, key, secret, port=None):
        self.setting, self.name, self.command, self.secret = setting, name, command, secret
        self.port = port or harness.free_ports(1)[0]
        self.credentials = setting.path(name + ".credentials")
        with open(self.credentials, "w", encoding="ascii") as file:
            file.write(f"[default]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n")
        self.process = None
        self.start()

    def start(self):
        with open(self.setting.path(self.name + ".log"), "ab") as log:
            self.process = subprocess.Popen(self.command(self.port), stdin=subprocess.PIPE, stdout=log, stderr=log)
        self.setting.processes.append(self.process)
        harness.eventually(lambda: harness.fetch(self.port, "/")[0] > 0, f"{self.name} answers", 30)

    def say(self, command):
        """A command of object_server."""
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()

    def requests(self):
        """After "log on": those so far, as (milliseconds, method, target)."""
        with open(self.setting.path(self.name + ".log"), encoding="utf-8", errors="replace") as file:
            lines = [line.split(" ", 3) for line in file.read().splitlines() if line.startswith("request ")]
        return [(int(at), method, target) for _, at, method, target in lines]

    def stop(self):
        harness.kill9(self.process)

    @property
    def flags(self):
        return {"s3_endpoint": f"http://127.0.0.1:{self.port}", "s3_credentials": self.credentials, "s3_part": "5MiB"}

    def arguments(self):
        return [part for name, value in self.flags.items() for part in ("--" + name.replace("_", "-"), str(value))]


def faulty(setting, server, name="store", faults=0, conditions="on"):
    """Ours: `faults` of 1,000 requests fail."""
    seed = str(setting.rng.randrange(2**31))
    return Store(setting, name, lambda port: [os.path.abspath(server), str(port), str(faults), seed, conditions], "test-key-id", "test-secret")


def expect_s3rver():
    """Ends the test as skipped where it is not installed."""
    if not (shutil.which("node") and os.path.exists(S3RVER)):
        print("skipped: no node, or no node_modules: npm ci in tests/objects")
        sys.exit(harness.SKIPPED)


def s3rver(setting):
    """One that is not ours, and ignores conditions."""
    return Store(setting, "s3rver", lambda port: ["node", S3RVER, "-d", setting.path("s3"), "-a", "127.0.0.1", "-p", str(port), "--configure-bucket", "bucket"],
                 "S3RVER", "S3RVER")
