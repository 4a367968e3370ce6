#!/usr/bin/env python3
"""Debian packages: installed in a bare Debian 12 (debootstrap, chroot), where what the unit starts answers and takes a document as
its own user; upgraded with a changed configuration and the documents kept; removed; purged. Units pass `systemd-analyze verify`,
packages lintian without errors, where these programs are. Exit code 77, with the reason, where no such system can be made.
"""
import argparse
import contextlib
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SUITE = "bookworm"
UNITS = ("frond", "frond-indexer", "frond-leaf", "frond-broker")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def expect(condition, what):
    if not condition:
        raise SystemExit(f"FAILED: {what}")


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    expect(done.returncode == 0, f"{' '.join(command)}: {(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


class Machine:
    """A Debian system in a folder."""

    def __init__(self, folder):
        self.root = folder

    def path(self, inside):
        return os.path.join(self.root, inside.lstrip("/"))

    def run(self, *command):
        clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
        proxies = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        return run("chroot", self.root, *command, env={**clean, **proxies})

    def install(self, *packages):
        for package in packages:
            shutil.copy(package, self.path("/tmp"))
        self.run("apt-get", "-q", "-y", "--no-install-recommends", "install", *[f"/tmp/{os.path.basename(p)}" for p in packages])


@contextlib.contextmanager
def bare_machine(folder):
    fresh, base = os.path.abspath(f"build/debian-{SUITE}"), os.path.join(folder, "base")
    if not os.path.exists(fresh):
        draft = fresh + ".part"
        shutil.rmtree(draft, ignore_errors=True)
        made = subprocess.run(["debootstrap", "--variant=minbase", SUITE, draft], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            skip(f"debootstrap can't make a Debian: {made.stdout[-300:]}{made.stderr[-300:]}")
        os.rename(draft, fresh)
    run("cp", "-a", fresh, base)
    for part in ("/etc/resolv.conf", "/etc/hosts"):
        shutil.copy(part, base + part)
    for authorities in glob.glob("/usr/local/share/ca-certificates/*.crt") and ["/etc/ssl/certs"]:
        shutil.copytree(authorities, base + authorities, dirs_exist_ok=True)
    run("mount", "-t", "proc", "proc", os.path.join(base, "proc"))
    try:
        machine = Machine(base)
        machine.run("apt-get", "-q", "update")
        yield machine
    finally:
        run("umount", os.path.join(base, "proc"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Service:
    """What frond.service runs, as its user, in its state directory, as systemd would start it."""

    def __init__(self, machine, port):
        with open(machine.path("/lib/systemd/system/frond.service"), encoding="utf-8") as file:
            unit = dict(line.split("=", 1) for line in file.read().splitlines() if re.match(r"\w+=", line))
        expect(unit["User"] == "frond" and unit["StateDirectory"] == "frond", "the unit's user and state")
        state = machine.path("/var/lib/frond")
        ids = [int(machine.run("id", flag, "frond")) for flag in ("-u", "-g")]
        os.makedirs(state, mode=0o700, exist_ok=True)
        os.chown(state, *ids)
        self.port, self.log, self.key = port, os.path.join(machine.root, "tmp", "service.log"), os.path.join(state, "api.key")
        with open(self.log, "wb") as log:
            into = [shutil.which("chroot", path="/usr/sbin:/sbin"), f"--userspec={ids[0]}:{ids[1]}", machine.root]
            self.process = subprocess.Popen([*into, *unit["ExecStart"].split()], stdout=log, stderr=log, env={"PATH": "/usr/bin:/bin"})
        self.await_text("search page")

    def await_text(self, text):
        for _ in range(1200):
            with open(self.log, encoding="utf-8", errors="replace") as file:
                log = file.read()
            if text in log:
                return
            expect(self.process.poll() is None, f"the service ended: {log[-3000:]}")
            time.sleep(0.05)
        expect(False, f"no {text!r}: {log[-3000:]}")

    def ask(self, path, body=None):
        with open(self.key, encoding="utf-8") as file:
            key = file.read().strip()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body.encode() if body else None,
                                         headers={"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply) if path.startswith("/v1/search") else reply.read()

    def await_hit(self, word, identity):
        for _ in range(600):
            with contextlib.suppress(urllib.error.URLError):
                if identity in [hit["id"] for hit in self.ask(f"/v1/search?q={word}&cache=off")["hits"]]:
                    return
            time.sleep(0.05)
        expect(False, f"{identity} is not found by {word}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        expect(self.process.wait(120) == 0, "the service did not end with 0 at SIGTERM")


def next_version(package, folder):
    """The same package with a higher version."""
    tree = os.path.join(folder, "next")
    shutil.rmtree(tree, ignore_errors=True)
    run("dpkg-deb", "-R", package, tree)
    control = os.path.join(tree, "DEBIAN", "control")
    with open(control, encoding="utf-8") as file:
        version = re.search(r"^Version: (.*)$", text := file.read(), re.M)[1]
    with open(control, "w", encoding="utf-8") as file:
        file.write(text.replace(f"Version: {version}", f"Version: {version}+next").replace(f"(= {version})", f"(= {version}+next)"))
    made = os.path.join(folder, os.path.basename(package).replace(version, f"{version}+next"))
    run("dpkg-deb", "--root-owner-group", "-b", tree, made)
    return made


def check_units(machine):
    if not shutil.which("systemd-analyze"):
        print("systemd-analyze is not here: units are not verified")
        return
    folder = tempfile.mkdtemp(prefix="frond-units-")
    for unit in UNITS:  # with this system's own units around them
        with open(machine.path(f"/lib/systemd/system/{unit}.service"), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(folder, f"{unit}.service"), "w", encoding="utf-8") as file:
            file.write(text.replace("ExecStart=/usr/bin/", f"ExecStart={machine.root}/usr/bin/"))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", os.path.join(folder, f"{unit}.service")], capture_output=True,
                              text=True, check=False)
        expect(done.returncode == 0 and unit not in done.stderr, f"{unit}.service: {done.stderr}")
    shutil.rmtree(folder)


def check_lintian(packages):
    if not shutil.which("lintian"):
        print("lintian is not here")
        return
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", *packages], capture_output=True, text=True, check=False)
    print(done.stdout.strip() or "lintian finds nothing")
    expect(done.returncode == 0, f"lintian: {done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build/release", help="the build folder")
    parser.add_argument("--packages", help="a folder of finished packages, instead of making them of the build")
    parsed = parser.parse_args()
    if os.getuid() != 0:
        skip("root is needed for a chroot")
    if not shutil.which("debootstrap"):
        skip("debootstrap is not installed")
    made = parsed.packages or "build/packages"
    if not parsed.packages:
        shutil.rmtree(made, ignore_errors=True)
        run("deploy/package", "--build", parsed.build)
    packages = sorted(glob.glob(f"{made}/*.deb"))
    expect(len(packages) == 3 and glob.glob(f"{made}/*.tar.gz"), f"three packages and a tarball: {os.listdir(made)}")
    server = next(name for name in ("frond-server", "frond-gpu") if any(f"/{name}_" in package for package in packages))
    check_lintian(packages)
    folder = tempfile.mkdtemp(prefix="frond-packages-")
    try:
        with bare_machine(folder) as machine:
            machine.install(*packages)
            check_units(machine)
            for program in ("frond", "frond-bench", "frond-indexer", "frond-leaf", "frond-broker"):
                machine.run(program, "--version")
            port = free_port()
            conf = machine.path("/etc/frond/frond.conf")
            with open(conf, encoding="utf-8") as file:
                changed = file.read().replace("127.0.0.1:8080", f"127.0.0.1:{port}")
            with open(conf, "w", encoding="utf-8") as file:
                file.write(changed)
            machine.run("python3", "-c", "import frond; frond.Client('unix:/none').close()")
            service = Service(machine, port)
            service.ask("/v1/collections/docs/documents", '{"id":"one","body":"packaged"}')
            service.await_hit("packaged", "one")
            service.stop()
            print("installed, started, and a document is found", flush=True)

            machine.install(*[next_version(package, folder) for package in packages])
            with open(conf, encoding="utf-8") as file:
                expect(file.read() == changed, "the upgrade changed a configuration that its owner had changed")
            service = Service(machine, port)
            service.await_hit("packaged", "one")
            service.stop()
            print("upgraded, and what it had is found", flush=True)

            machine.run("apt-get", "-q", "-y", "remove", "frond", server, "python3-frond")
            left = [path for path in ("/usr/bin/frond-leaf", "/usr/lib/python3/dist-packages/frond.py") if os.path.exists(machine.path(path))]
            expect(not left, f"left after the removal: {left}")
            expect(os.path.exists(conf) and os.path.exists(machine.path("/var/lib/frond/api.key")), "the removal takes too much")
            machine.run("apt-get", "-q", "-y", "purge", "frond", server)
            left = [path for path in ("/etc/frond", "/var/lib/frond") if os.path.exists(machine.path(path))]
            expect(not left, f"left after a purge: {left}")
            print("removed and purged")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
