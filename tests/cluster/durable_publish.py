#!/usr/bin/env python3
"""Nothing published is lost when the power fails: before frond-indexer switches CURRENT, every file that the manifest names is on the
disk, and so is every directory entry on the way to it. strace reports what was written, renamed and synced, and when; without
strace the test is skipped. Prints the number of syncs. Shares on another disk are copied; this case is left out if there is no other
file system to write to.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import harness
import random_text
import writing

CALLS = "openat,open,creat,write,pwrite64,writev,sendfile,copy_file_range,ftruncate,close,fsync,fdatasync,rename,renameat,renameat2,link,linkat,mkdir,mkdirat"
LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")
SENDS = re.compile(r"\d+\s+(sendmsg|sendto|writev)\(")
BEHIND = re.compile(r"(?:AT_FDCWD|\d+)<([^>]*)>")


def traced(setting, log, command):
    """The calls of a command that succeeded, in order, as (name, arguments)."""
    done = subprocess.run(["strace", "-f", "-y", "-qq", "-s", "0", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", log, *command],
                          capture_output=True, text=True, timeout=300)
    harness.expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr[-500:]}")
    return calls_of(log)


def calls_of(log):
    """In the order in which they ended; but what is sent, when it began to be: who gets it may do more before the sender goes on."""
    pending, calls = {}, []
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            thread, place = line.split(None, 1)[0], None
            if line.rstrip().endswith("<unfinished ...>"):
                if SENDS.match(line):
                    place = len(calls)
                    calls.append(None)
                pending[thread] = line.rstrip()[:-len("<unfinished ...>")], place
                continue
            if "resumed>" in line:
                begun, place = pending.pop(thread, ("", None))
                line = begun + line.split("resumed>", 1)[1]
            call = LINE.match(line)
            if not call or int(call.group(3)) < 0:
                continue
            if place is None:
                calls.append(None)
            calls[-1 if place is None else place] = (call.group(1), call.group(2), line)
    return [call for call in calls if call]


class Disk:
    """What a crash would leave: contents that were synced since they were written last, and names whose folder was synced
    since they were made. A file is its inode in life; here, what it was called first."""

    def __init__(self):
        self.file_of, self.dirty, self.unsynced_names, self.syncs = {}, set(), set(), 0

    def file(self, path):
        return self.file_of.setdefault(path, path)

    def named(self, path, file):
        self.file_of[path] = file
        self.unsynced_names.add(path)

    def apply(self, name, arguments, line):
        behind = BEHIND.findall(arguments)
        quoted = re.findall(r'"([^"]*)"', arguments)
        if name in ("write", "pwrite64", "writev", "ftruncate", "sendfile") and behind and behind[0].startswith("/"):
            self.dirty.add(self.file(behind[0]))
        elif name == "copy_file_range":
            self.dirty.add(self.file(behind[1]))
        elif name in ("fsync", "fdatasync"):
            self.syncs += 1
            self.dirty.discard(self.file(behind[0]))
            self.unsynced_names = {path for path in self.unsynced_names if os.path.dirname(path) != behind[0]}
        elif name in ("open", "openat", "creat") and ("O_CREAT" in arguments or name == "creat"):
            path = re.search(r"= \d+<([^>]*)>", line)
            if path and path.group(1) not in self.file_of:
                self.named(path.group(1), path.group(1))
        elif name in ("mkdir", "mkdirat"):
            self.unsynced_names.add(os.path.abspath(quoted[0]))
        elif name.startswith("rename"):
            self.rename(os.path.abspath(quoted[0]), os.path.abspath(quoted[1]))
        elif name.startswith("link"):
            self.named(os.path.abspath(quoted[1]), self.file(os.path.abspath(quoted[0])))

    def rename(self, before, after):
        for path in [p for p in self.file_of if p == before or p.startswith(before + "/")]:
            self.file_of[after + path[len(before):]] = self.file_of.pop(path)
        inside = {p for p in self.unsynced_names if p.startswith(before + "/")}
        self.unsynced_names -= inside | {before}
        self.unsynced_names |= {after + p[len(before):] for p in inside} | {after}

    def lost(self, path, root):
        """Why a crash would lose the file; None: it would not."""
        if self.file(path) in self.dirty:
            return f"{path} was written after it was synced last"
        while path != root:
            if path in self.unsynced_names:
                return f"the name of {path} is not in a synced folder"
            path = os.path.dirname(path)
        return None


def published_files(collection):
    with open(os.path.join(collection, "CURRENT"), encoding="ascii") as file:
        generation = int(file.read().split()[0])
    manifest_path = os.path.join(collection, "generations", f"{generation}.json")
    with open(manifest_path, encoding="utf-8") as file:
        manifest = json.load(file)["manifest"]
    files = [manifest_path, os.path.join(collection, "generations", manifest["term_statistics"]["name"])]
    for partition in manifest["partitions"]:
        files += [os.path.join(collection, "partitions", partition["id"], file["name"]) for file in partition["files"]]
    return files


def another_disk(folder):
    """A new folder on another file system than `folder`; None: there is none."""
    for place in ("/dev/shm", "/run", "/var/tmp"):
        if os.path.isdir(place) and os.access(place, os.W_OK) and os.stat(place).st_dev != os.stat(folder).st_dev:
            return tempfile.mkdtemp(prefix="frond-shares-", dir=place)
    return None


def publish_shares(setting, name, root, sources):
    for i in range(2):
        command = [part for part in setting.build_command(root, "c", sources, 2) if part not in ("--partitions", "2")]
        done = subprocess.run(command + ["--partition", f"{i}/2", "--no-publish"], capture_output=True, text=True, timeout=300)
        harness.expect(done.returncode == 0, f"share {i}: {done.stderr[-500:]}")
    return check(setting, name, root, [setting.program("frond-indexer"), "publish", "--repository", root, "--collection", "c",
                                       "--partitions", "2"])


def check(setting, name, root, command):
    """The calls that were traced."""
    calls = traced(setting, setting.path(name + ".strace"), command)
    collection = os.path.join(root, "c")
    files, disk, switched = published_files(collection), Disk(), False
    for call, arguments, line in calls:
        quoted = re.findall(r'"([^"]*)"', arguments)
        if call.startswith("rename") and os.path.abspath(quoted[1]) == os.path.join(collection, "CURRENT"):
            switched = True
            for path in files:
                why = disk.lost(path, os.path.dirname(root))
                harness.expect(why is None, f"{name}: when CURRENT was switched, {why}")
            harness.expect(disk.file(os.path.abspath(quoted[0])) not in disk.dirty, f"{name}: CURRENT itself was not synced")
        disk.apply(call, arguments, line)
    harness.expect(switched, f"{name}: CURRENT was not switched")
    why = disk.lost(os.path.join(collection, "CURRENT"), os.path.dirname(root))
    harness.expect(why is None, f"{name}: at the end, {why}")
    print(f"{name}: {len(files)} files on the disk before CURRENT was switched, {disk.syncs} syncs", flush=True)
    return calls


def check_in_epoch(setting, root, sources):
    """The same where services write with a lease: all that is published passes through a folder of the epoch."""
    collection = os.path.join(root, "c")
    os.mkdir(os.path.join(collection, "holders"))
    with open(os.path.join(collection, "holders", "1"), "w", encoding="ascii") as record:
        json.dump({"epoch": 1, "holder": "", "log": "x", "length_ms": 1000, "renewals": 0, "waiting": 0, "released": True}, record)
    with open(os.path.join(collection, "CURRENT"), "r+", encoding="ascii") as current:
        generation = current.read().strip()
        current.seek(0)
        current.write(generation + " 1\n")
    calls = check(setting, "a generation in an epoch", root, setting.build_command(root, "c", sources, 2))
    harness.expect(any(call.startswith("rename") and "/writing/1-" in line for call, _, line in calls), "nothing passes through the epoch's folder")


def check_begun(setting, root, key_file, keys):
    """When a service writes the number of its epoch into CURRENT, the record of its lease is on the disk."""
    os.mkdir(root)
    trace, port, disk, epochs = setting.path("begun.strace"), harness.free_ports(1)[0], Disk(), 0
    with open(setting.path("begun.log"), "ab") as log:
        process = subprocess.Popen(["strace", "-f", "-y", "-qq", "-s", "0", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", trace,
                                    setting.program("frond-indexer"), "serve", "--repository", root, "--listen", f"127.0.0.1:{port}", "--api-keys", key_file,
                                    "--state", setting.path("state")], stdout=log, stderr=log)
    setting.processes.append(process)
    service = writing.Service.__new__(writing.Service)
    service.port, service.keys, service.process = port, keys, process
    harness.eventually(lambda: service.ask("GET", "/readyz")[0] == 200, "the service is ready")
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    for child in subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid="], capture_output=True, text=True, check=True).stdout.split():
        os.kill(int(child), signal.SIGKILL)
    process.wait(30)
    collection, above = os.path.join(root, "c"), os.path.dirname(root)
    record, = (os.path.join(collection, "holders", name) for name in os.listdir(os.path.join(collection, "holders")))
    for call, arguments, line in calls_of(trace):
        quoted = re.findall(r'"([^"]*)"', arguments)
        if call.startswith("rename") and quoted[1] == os.path.join(collection, "CURRENT"):
            epochs += 1
            why = disk.lost(record, above)
            harness.expect(why is None and record in disk.file_of, f"when the first epoch came into CURRENT, {why}")
            harness.expect(disk.file(quoted[0]) not in disk.dirty, "CURRENT itself was not synced")
        disk.apply(call, arguments, line)
    why = disk.lost(os.path.join(collection, "CURRENT"), above)
    harness.expect(epochs == 1 and why is None, f"{epochs} epochs; at the end, {why}")
    print("the record of a lease is on the disk before its epoch is in CURRENT", flush=True)


def test(setting):
    words = random_text.vocabulary(setting.rng, 300)
    sources = [random_text.Collection(setting.rng, 300, words, name=n).write(setting.path(n + ".jsonl")) for n in "abcd"]
    root = os.path.realpath(setting.path("repository"))
    check(setting, "build of 4 partitions", root, setting.build_command(root, "c", sources, 4))
    check(setting, "a second generation", root, setting.build_command(root, "c", sources[:2], 2))
    check_in_epoch(setting, root, sources[2:])
    keys, key_file = writing.make_keys(setting)
    check_begun(setting, os.path.realpath(setting.path("begun")), key_file, keys)
    publish_shares(setting, "publication of 2 shares", os.path.realpath(setting.path("shared")), sources)
    elsewhere = another_disk(setting.folder)
    if elsewhere is None:
        print("no other file system here: copied shares are left out")
        return
    try:
        shares = os.path.realpath(setting.path("apart"))
        os.makedirs(os.path.join(shares, "c"))
        os.symlink(elsewhere, os.path.join(shares, "c", "shares"))
        calls = publish_shares(setting, "publication of 2 shares from another disk", shares, sources)
        harness.expect(not any(call.startswith("link") and "/shares/" in line for call, _, line in calls),
                       "the shares could be linked: nothing was copied")
    finally:
        shutil.rmtree(elsewhere, ignore_errors=True)


def need_strace():
    if not shutil.which("strace") or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        print("skipped: strace can't trace here")
        sys.exit(harness.SKIPPED)


if __name__ == "__main__":
    parsed = harness.arguments(__doc__).parse_args()
    need_strace()
    harness.run(test, parsed)
