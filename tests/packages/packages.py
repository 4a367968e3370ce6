#!/usr/bin/env python3
"""Debian packages: installed in a bare Debian 12 (debootstrap, chroot), where what frond.service starts answers and takes a document as
its own user, and what the units of a cluster start answers, too; upgraded with a changed configuration and the documents kept; frond-gpu
and frond-server exchanged for each other; removed; purged. Units pass `systemd-analyze verify`, packages lintian without errors, where
these programs are. Exit code 77, with the reason, where no such system can be made.
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

    def as_frond(self):
        """The beginning of a command that runs as user frond."""
        ids = ":".join(self.run("id", flag, "frond").strip() for flag in ("-u", "-g"))
        return [shutil.which("chroot", path="/usr/sbin:/sbin"), f"--userspec={ids}", self.root]

    def state(self, name):
        """A unit's state directory, as systemd makes it."""
        folder = self.path(f"/var/lib/{name}")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.run("chown", "frond:frond", f"/var/lib/{name}")
        return folder

    def edit(self, inside, change):
        with open(self.path(inside), encoding="utf-8") as file:
            text = change(file.read())
        with open(self.path(inside), "w", encoding="utf-8") as file:
            file.write(text)
        return text

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
    """What a unit runs, as its user, in its state directory, as systemd would start it."""

    def __init__(self, machine, name, state, port):
        with open(machine.path(f"/lib/systemd/system/{name}.service"), encoding="utf-8") as file:
            unit = dict(line.split("=", 1) for line in file.read().splitlines() if re.match(r"\w+=", line))
        expect(unit["User"] == "frond" and unit["StateDirectory"] == state, f"user and state of {name}.service")
        self.name, self.port, self.log = name, port, os.path.join(machine.root, "tmp", f"{name}.log")
        self.key = os.path.join(machine.state(state), "api.key")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([*machine.as_frond(), *unit["ExecStart"].split()], stdout=log, stderr=log,
                                            env={"PATH": "/usr/bin:/bin"})

    def shown_log(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()[-3000:]

    def ask(self, path, body=None):
        headers = {"Content-Type": "application/x-ndjson"}
        if os.path.exists(self.key):
            with open(self.key, encoding="utf-8") as file:
                headers["Authorization"] = f"Bearer {file.read().strip()}"
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body.encode() if body else None, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply) if path.startswith("/v1/search") else reply.read()

    def eventually(self, condition, what):
        for _ in range(1200):
            with contextlib.suppress(OSError):
                if condition():
                    return
            expect(self.process.poll() is None, f"{self.name}.service ended: {self.shown_log()}")
            time.sleep(0.05)
        expect(False, f"{self.name}.service: {what}: {self.shown_log()}")

    def await_ready(self):
        self.eventually(lambda: "search page" in self.shown_log(), "it is not ready")

    def await_hit(self, word, identity):
        self.eventually(lambda: identity in [hit["id"] for hit in self.ask(f"/v1/search?q={word}&cache=off")["hits"]],
                        f"{identity} is not found by {word}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        expect(self.process.wait(120) == 0, f"{self.name}.service did not end with 0 at SIGTERM: {self.shown_log()}")


def check_service(machine, port, change=None):
    """What frond.service starts has the document `one`, perhaps once `change` was called with the service."""
    service = Service(machine, "frond", "frond", port)
    service.await_ready()
    if change:
        change(service)
    service.await_hit("packaged", "one")
    service.stop()


def check_cluster(machine):
    """What the units of a cluster start, at other ports than in their configuration, serves a repository."""
    ports = {number: str(free_port()) for number in ("8080", "8082", "7001", "7101")}
    for name in ("indexer", "leaf", "broker"):
        machine.edit(f"/etc/frond/{name}.conf", lambda text: re.sub(r"(?<=:)(8080|8082|7001|7101)\b", lambda found: ports[found[1]], text))
    machine.state("frond-cluster")
    with open(machine.path("/tmp/two.jsonl"), "w", encoding="utf-8") as file:
        file.write('{"id":"two","body":"clustered"}\n')
    run(*machine.as_frond(), "/usr/bin/frond-indexer", "build", "--repository", "/var/lib/frond-cluster/repository", "--collection", "docs",
        "--input", "/tmp/two.jsonl", "--format", "jsonl", env={"PATH": "/usr/bin:/bin"})
    services = [Service(machine, f"frond-{name}", "frond-cluster", port) for name, port in
                (("indexer", ports["8082"]), ("leaf", ports["7101"]), ("broker", ports["8080"]))]
    services[-1].await_hit("clustered", "two")
    for service in reversed(services):
        service.stop()


def changed_package(package, folder, name, change):
    """The package with another control file; `name` is that of its file."""
    tree = os.path.join(folder, "changed")
    shutil.rmtree(tree, ignore_errors=True)
    run("dpkg-deb", "-R", package, tree)
    control = os.path.join(tree, "DEBIAN", "control")
    with open(control, encoding="utf-8") as file:
        text = change(file.read())
    with open(control, "w", encoding="utf-8") as file:
        file.write(text)
    made = os.path.join(folder, name)
    run("dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, made)
    return made


def next_version(package, folder):
    """The same package with a higher version."""
    version = run("dpkg-deb", "-f", package, "Version").strip()
    return changed_package(package, folder, os.path.basename(package).replace(version, f"{version}+next"),
                           lambda text: re.sub(rf"(?<=^Version: ){re.escape(version)}$|(?<=\(= ){re.escape(version)}(?=\))",
                                               f"{version}+next", text, flags=re.M))


def other_server(package, folder, server, other):
    """frond-gpu as frond-server, or the other way round, with the same programs."""
    def change(text):
        text = re.sub(r"^Provides: .*\n", "", text, flags=re.M)
        return re.sub(r"^(Package|Conflicts|Replaces): .*$", lambda found: f"{found[1]}: {other if found[1] == 'Package' else server}",
                      text, flags=re.M)
    return changed_package(package, folder, os.path.basename(package).replace(server, other), change)


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
            port, conf = free_port(), "/etc/frond/frond.conf"
            changed = machine.edit(conf, lambda text: text.replace("127.0.0.1:8080", f"127.0.0.1:{port}"))
            machine.run("python3", "-c", "import frond; frond.Client('unix:/none').close()")
            check_service(machine, port, lambda service: service.ask("/v1/collections/docs/documents", '{"id":"one","body":"packaged"}'))
            check_cluster(machine)
            print("installed, started, and a document is found, as in a cluster", flush=True)

            packages = [next_version(package, folder) for package in packages]
            machine.install(*packages)
            expect(machine.edit(conf, str) == changed, "the upgrade changed a configuration that its owner had changed")
            check_service(machine, port)
            print("upgraded, and what it had is found", flush=True)

            (package,) = [package for package in packages if f"/{server}_" in package]
            other = {"frond-gpu": "frond-server", "frond-server": "frond-gpu"}[server]
            machine.install(other_server(package, folder, server, other))
            machine.run("dpkg", "--purge", server)
            expect(machine.edit(conf, str) == changed, f"{other} in place of {server} changed the configuration")
            check_service(machine, port)
            print(f"{other} in place of {server}, which is purged, and what it had is found", flush=True)

            machine.run("apt-get", "-q", "-y", "remove", "frond", other, "python3-frond")
            left = [path for path in ("/usr/bin/frond-leaf", "/usr/lib/python3/dist-packages/frond.py") if os.path.exists(machine.path(path))]
            expect(not left, f"left after the removal: {left}")
            kept = (conf, "/var/lib/frond/api.key", "/var/lib/frond-cluster/repository")
            expect(all(os.path.exists(machine.path(path)) for path in kept), "the removal takes too much")
            machine.run("apt-get", "-q", "-y", "purge", "frond", other)
            left = [path for path in ("/etc/frond", "/var/lib/frond", "/var/lib/frond-cluster") if os.path.exists(machine.path(path))]
            expect(not left, f"left after a purge: {left}")
            print("removed and purged")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
