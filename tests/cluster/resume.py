#!/usr/bin/env python3
"""kill -9 of frond-indexer build at random instants, again and again until one comes to its end: the next build of the same command goes on
from the last checkpoint, and what is published at last equals, to the byte, what an undisturbed build publishes. Damaged remains and a changed
input make a build begin anew, which says so. Two builders of one collection at once both publish. Nothing is left behind.

Two builds of the same index differ in 24 bytes of each SST file: RocksDB's session id, and the checksum of the block that holds it. Term
statistics of more than 65,536 terms are several SST files, one behind the other (docs/formats/partition.md).
"""
import gzip
import json
import os
import re
import shutil
import subprocess
import time

import harness
import random_text

SESSION = re.compile(rb"session\.identity([0-9A-Z]{20})")
CHECKSUM_BYTES, CHECKSUM_WITHIN = 4, 128  # of the block of properties, near the end of an SST file
SECTIONS = b"FRTSECT1"  # behind the directory of several SST files, its length and its checksum


def same_sst(one, other):
    if len(one) != len(other):
        return False
    found = [SESSION.search(data, max(0, len(data) - 4096)) for data in (one, other)]
    harness.expect(all(found), "an SST file without a session id: this test does not know its layout")
    if found[0].start() != found[1].start() or one[:found[0].start()] != other[:found[0].start()]:
        return False
    behind = range(found[0].end(), len(one))
    different = [at for at in behind if one[at] != other[at]]
    return not different or (different[-1] - different[0] < CHECKSUM_BYTES and len(one) - different[0] < CHECKSUM_WITHIN)


def sections(data):
    """The SST files that a file consists of, and the directory behind them."""
    if not data.endswith(SECTIONS):
        return [data], b""
    tail = len(data) - len(SECTIONS) - 16
    directory = tail - int.from_bytes(data[tail:tail + 8], "little")
    count, at = harness.varint(data, directory)
    parts, begin = [], 0
    for _ in range(count):
        size, at = harness.varint(data, at)
        length, at = harness.varint(data, at)
        at += length
        parts.append(data[begin:begin + size])
        begin += size
    harness.expect(begin == directory and at == tail, "term statistics whose directory this test does not understand")
    return parts, data[directory:]


def same_file(one, other):
    (parts, directory), (others, other_directory) = sections(one), sections(other)
    return directory == other_directory and all(same_sst(*pair) for pair in zip(parts, others))


def read(*parts):
    with open(os.path.join(*parts), "rb") as file:
        return file.read()


def published(repository):
    """The current generation: what its manifest says beside names and times, and every file by its place."""
    collection = os.path.join(repository, "c")
    generation = harness.current(repository, "c")
    manifest = json.loads(read(collection, "generations", f"{generation}.json"))["manifest"]
    files = {"terms": read(collection, "generations", manifest.pop("term_statistics")["name"])}
    for number, partition in enumerate(manifest["partitions"]):
        folder = os.path.join(collection, "partitions", partition.pop("id"))
        for file in partition["files"]:
            file.pop("xxh3")
            files[f"{number}/{file['name']}"] = read(folder, file["name"])
    for name in ("created", "generation", "previous"):
        manifest.pop(name)
    return manifest, files


def expect_same(repository, reference, what):
    manifest, files = published(repository)
    harness.expect(manifest == reference[0], f"{what}: the manifest differs: {manifest} instead of {reference[0]}")
    harness.expect(files.keys() == reference[1].keys(), f"{what}: other files: {sorted(files)}")
    for name, data in files.items():
        harness.expect(same_file(data, reference[1][name]), f"{what}: {name} differs")


def remains(repository):
    builds = os.path.join(repository, "c", "builds")
    return sorted(os.path.join(builds, name) for name in os.listdir(builds)) if os.path.isdir(builds) else []


class Case:
    """A command, and the generation that it publishes when nothing disturbs it."""

    def __init__(self, setting, name, inputs, partitions, checkpoint, **flags):
        self.setting, self.name, self.inputs, self.partitions = setting, name, inputs, partitions
        self.flags = {"checkpoint": checkpoint, "format": "auto", "memory_limit": "256MiB", **flags}
        calm = setting.path(name + "-calm")
        started = time.monotonic()
        setting.build(calm, "c", inputs, partitions, **{**self.flags, "resume": "off"})
        self.length = time.monotonic() - started
        self.reference = published(calm)
        shutil.rmtree(calm)

    def command(self, repository, **flags):
        return self.setting.build_command(repository, "c", self.inputs, self.partitions, **{**self.flags, **flags})

    def start(self, repository, **flags):
        """The build, as a process."""
        with open(self.setting.path(self.name + ".log"), "ab") as log:
            return subprocess.Popen(self.command(repository, **flags), stdout=subprocess.PIPE, stderr=log, text=True)

    def summary(self, process):
        out, _ = process.communicate(timeout=3600)
        harness.expect(process.returncode == 0, f"{self.name}: a build exited {process.returncode}")
        return json.loads(out.strip().splitlines()[-1])

    def killed(self, repository, instant, **flags):
        """Kills a build at that instant, or when it has ended. The summary of one that came to its end, or None."""
        process = self.start(repository, **flags)
        try:
            process.wait(instant)
        except subprocess.TimeoutExpired:
            harness.kill9(process)
            process.communicate()
            return None
        return self.summary(process)


def kill_and_resume(case, repository, kills):
    """Returns the kills that were carried out, and how many builds went on with a killed one."""
    setting, done = case.setting, 0
    while done < kills:
        summary = None
        while summary is None:
            left = kills - done
            instant = setting.rng.uniform(0, case.length) if left > 0 else 3600
            summary = case.killed(repository, instant, parsers=setting.rng.choice((1, 2, 3)), cpu_inverters=setting.rng.choice((1, 2)))
            done += summary is None
        expect_same(repository, case.reference, f"{case.name} after {done} kills")
        harness.expect(remains(repository) == [], f"{case.name}: left behind: {remains(repository)}")
    check = subprocess.run([setting.program("frond-indexer"), "check", "--repository", repository, "--collection", "c"],
                           capture_output=True, text=True, timeout=3600)
    harness.expect(check.returncode == 0, f"check says: {check.stdout[-500:]}{check.stderr[-500:]}")
    return done, setting.log(case.name).count('"going on with a killed build"')


def leave_remains(case, repository):
    """Kills builds until one has left a checkpoint; its folder."""
    shutil.rmtree(repository, ignore_errors=True)
    for _ in range(50):
        if case.killed(repository, case.setting.rng.uniform(0.2, 0.9) * case.length) is not None:
            shutil.rmtree(repository)
        found = remains(repository)
        if found and os.path.exists(os.path.join(found[0], "journal")):
            return found[0]
    raise harness.Failure(f"{case.name}: no killed build has left a checkpoint")


def damage(case, repository):
    """Each kind of damage: the build says why it begins anew, and publishes the same."""

    def cut(path):
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) // 2)

    def flip(path):
        with open(path, "r+b") as file:
            file.seek(100)  # what lies behind the last checkpoint is not read
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 0x40]))

    def journaled(folder, beginning):
        """A file that the journal names: the journal was written after it."""
        made = os.path.getmtime(os.path.join(folder, "journal"))
        names = sorted(n for n in os.listdir(folder) if n.startswith(beginning))
        harness.expect(names, f"no {beginning} in {os.listdir(folder)}")
        return min((os.path.join(folder, n) for n in names), key=lambda p: os.path.getmtime(p) - made)

    kinds = {
        "a damaged journal": lambda f: flip(os.path.join(f, "journal")),
        "a journal cut short": lambda f: cut(os.path.join(f, "journal")),
        "no log of ids": lambda f: os.remove(os.path.join(f, "ids")),
        "a damaged log of ids": lambda f: flip(os.path.join(f, "ids")),
        "a missing spool": lambda f: os.remove(journaled(f, "spool")),
        "an empty spool": lambda f: os.truncate(journaled(f, "spool"), 9),
        "a damaged spool": lambda f: flip(journaled(f, "spool")),
        "a missing run": lambda f: os.remove(journaled(f, "cpu")),
        "a run cut short": lambda f: cut(journaled(f, "cpu")),
        "a damaged run": lambda f: flip(journaled(f, "cpu")),
    }
    for kind, apply in kinds.items():
        for _ in range(30):  # until a build was killed while it read its input
            folder = leave_remains(case, repository)
            if not any(n.startswith("spool") for n in os.listdir(folder)) or not any(n.startswith("cpu") for n in os.listdir(folder)):
                continue
            apply(folder)
            done = subprocess.run(case.command(repository), capture_output=True, text=True, timeout=3600)
            harness.expect(done.returncode == 0, f"{kind}: exit {done.returncode}: {done.stderr[-500:]}")
            if "what a killed build left" in done.stderr or '"stage":"inverting"' in done.stderr:
                break  # later, ids are not needed, nor the files of a finished partition
        harness.expect("what a killed build left" in done.stderr, f"{kind}: nothing was said: {done.stderr[-500:]}")
        summary = json.loads(done.stdout.strip().splitlines()[-1])
        harness.expect(summary["resumed_documents"] == 0, f"{kind}: it was gone on with")
        expect_same(repository, case.reference, kind)
        harness.expect(remains(repository) == [], f"{kind}: left behind: {remains(repository)}")
    return len(kinds)


def stopped(case, repository):
    """Tells a build to stop when it goes on with the remains; its exit status. A build that has not come so far dies of the signal."""
    def going_on():
        return case.setting.log(case.name).count('"going on with a killed build"')

    before = going_on()
    process = case.start(repository)
    harness.eventually(lambda: going_on() > before or process.poll() is not None, "the build goes on with the remains", 60)
    process.terminate()
    process.communicate(timeout=600)
    return process.returncode


def other_builds(case, repository):
    """Other options, a changed input, --resume off, prune: what a killed build left is not gone on with."""
    leave_remains(case, repository)
    done = subprocess.run(case.command(repository, stemmer="none"), capture_output=True, text=True, timeout=3600)
    harness.expect(done.returncode == 0 and "--stemmer was porter, and is none now" in done.stderr, f"other options: {done.stderr[-500:]}")
    harness.expect(len(remains(repository)) == 1, "the remains of another build are kept for a day")
    summary = case.summary(case.start(repository))
    harness.expect(summary["resumed_documents"] > 0, "the remains were there, and were not gone on with")
    expect_same(repository, case.reference, "after a build of other options")

    leave_remains(case, repository)
    os.utime(case.inputs[0])
    done = subprocess.run(case.command(repository), capture_output=True, text=True, timeout=3600)
    harness.expect(done.returncode == 0 and "an input file was renamed, or changed since" in done.stderr, f"changed input: {done.stderr[-500:]}")
    expect_same(repository, case.reference, "after the input was touched")
    pruned = subprocess.run([case.setting.program("frond-indexer"), "prune", "--repository", repository, "--collection", "c"],
                            capture_output=True, text=True, timeout=600)
    harness.expect(pruned.returncode == 0 and remains(repository) == [], f"prune left {remains(repository)}: {pruned.stderr}")

    leave_remains(case, repository)
    summary = case.summary(case.start(repository, resume="off"))
    harness.expect(summary["resumed_documents"] == 0 and remains(repository) == [], f"--resume off left {remains(repository)}")

    status = 0
    while status == 0:  # until one was told to stop before its end
        leave_remains(case, repository)
        status = stopped(case, repository)
    harness.expect(status == 143 and len(remains(repository)) == 1, f"a build that was told to stop keeps what is done: exit {status}")
    harness.expect(case.summary(case.start(repository))["resumed_documents"] > 0, "a stopped build is gone on with")
    expect_same(repository, case.reference, "after SIGTERM")


def two_builders(case, repository):
    """Both at once, of the same command and of another one; one of them is killed and goes on."""
    shutil.rmtree(repository, ignore_errors=True)
    before = 0
    for flags in ({}, {"stemmer": "none"}):
        first, second = case.start(repository), case.start(repository, **flags)
        generations = sorted((case.summary(first)["generation"], case.summary(second)["generation"]))
        harness.expect(generations == [before + 1, before + 2], f"two builders published {generations}")
        before += 2
    first, second = case.start(repository), case.start(repository)
    time.sleep(case.length * 0.7)
    harness.kill9(first)
    first.communicate()
    killed = remains(repository)
    case.summary(second)
    expect_same(repository, case.reference, "beside a killed builder")
    case.summary(case.start(repository))
    expect_same(repository, case.reference, "after a killed builder")
    harness.expect(remains(repository) == [], f"left behind: {remains(repository)} of {killed}")


def made_input(setting):
    """Three files, one of them compressed, with bad records and ids that occur twice."""
    words = random_text.vocabulary(setting.rng, 3000)
    paths = []
    for name, count in (("a", 6000), ("b", 5000), ("c", 6000)):
        collection = random_text.Collection(setting.rng, count, words, longest=120, name=name)
        for _ in range(20):
            number = setting.rng.randrange(1, count)
            collection.documents[number] = (collection.documents[setting.rng.randrange(number)][0], collection.documents[number][1])
        path = collection.write(setting.path(name + ".jsonl"))
        with open(path, "a", encoding="utf-8") as file:
            file.write("broken\n{\"id\":\"\",\"body\":\"\"}\n")
        paths.append(path)
    with open(paths[1], "rb") as plain, gzip.open(paths[1] + ".gz", "wb", compresslevel=1) as packed:
        shutil.copyfileobj(plain, packed)
    return [paths[0], paths[1] + ".gz", paths[2]]


def test(setting, parsed):
    inputs = [os.path.abspath(path) for path in parsed.input] or made_input(setting)
    repository = setting.path("repository")
    for name, flags in (("input", {}), ("ordered", {"order": "bp"}), ("fast", {"stored_compression": "fast"})):
        case = Case(setting, name, inputs, 3, parsed.checkpoint, **flags)
        done, resumed = kill_and_resume(case, repository, parsed.times)
        print(f"{name}: {done} kills of a build of {case.length:.1f} s; {resumed} builds went on with a killed one; what was published "
              "equals the undisturbed one", flush=True)
        shutil.rmtree(repository)
    if parsed.input:
        return
    case = Case(setting, "input", inputs, 3, parsed.checkpoint)
    print(f"{damage(case, repository)} kinds of damage: each said, each begun anew", flush=True)
    other_builds(case, repository)
    two_builders(case, repository)
    print("other builds and two builders at once: nothing lost, nothing left behind")


parser = harness.arguments(__doc__)
parser.add_argument("--times", type=int, default=6, help="kills of builds in each way")
parser.add_argument("--input", nargs="*", default=[], help="index these, and only kill; default: made-up text")
parser.add_argument("--checkpoint", default="500KB", help="bytes of input between checkpoints")
given = parser.parse_args()
harness.run(lambda setting: test(setting, given), given)
