#!/usr/bin/env python3
"""Bad records, a corrupt repository and a killed build give clear messages, and nothing good is lost."""
import json
import os
import shutil
import subprocess
import tempfile
import time

import harness
import random_text

MALFORMED = ['{"id": "broken', "[]", '{"body": "no id"}', '{"id": "a", "body": {"text": 7}}']
DUPLICATE = '{"id": "d0", "body": "again"}'


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def check_bad_records(setting, repository, good):
    path = setting.path("bad.jsonl")
    with open(good, encoding="utf-8") as file:
        lines = file.read().splitlines()
    documents = len(lines)
    for place, bad in enumerate([*MALFORMED, DUPLICATE]):
        lines.insert(10 * (place + 1), bad)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")

    def build(limit):
        command = setting.build_command(repository, "c", [path], 2, max_bad_records=limit)
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    before = files_below(repository)
    refused = build(len(MALFORMED) - 1)
    harness.expect(refused.returncode == 1, f"too many bad records: exit {refused.returncode}")
    harness.expect("bad.jsonl" in refused.stderr, f"the report does not name the file: {refused.stderr[-500:]}")
    harness.expect([f for f in files_below(repository) if "LOCK" not in f] == [f for f in before if "LOCK" not in f],
                   "a refused build left files in the repository")
    done = build(len(MALFORMED))
    harness.expect(done.returncode == 0, f"as many bad records as allowed: exit {done.returncode}: {done.stderr[-500:]}")
    summary = json.loads(done.stdout.strip().splitlines()[-1])
    harness.expect(summary["documents"] == documents, f"{summary['documents']} documents, {documents} wanted")
    found = (summary["bad_records"], summary["duplicate_ids"], done.stderr.count("bad.jsonl"))
    harness.expect(found == (len(MALFORMED), 1, len(MALFORMED) + 1), f"bad records, duplicates and reports: {found}")
    print(f"bad records: {len(MALFORMED)} and a duplicate reported, {documents} documents kept")


def folder_of_programs():
    """A folder that any user reaches and in which programs run: where the tests' files lie, mounts may forbid that (/dev/shm)."""
    for place in (None, "/tmp", "/var/tmp"):
        folder = tempfile.TemporaryDirectory(dir=place)
        os.chmod(folder.name, 0o755)
        try:
            subprocess.run([shutil.copy("/bin/true", folder.name)], check=True)
            return folder
        except PermissionError:
            folder.cleanup()
    raise harness.Failure("no folder for programs: TMPDIR, /tmp and /var/tmp are mounted noexec")


def check_unreadable(setting):
    """A file that cannot be opened, or a folder that cannot be listed, ends a build, which names it; only a flag leaves it out."""
    folder, user = setting.path("shelf"), {}
    for name in ("a", "b", "c/d"):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write("".join(json.dumps({"id": f"{name}{n}", "body": "word"}) + "\n" for n in range(3)))
    program, programs = setting.program("frond-indexer"), folder_of_programs()
    if os.geteuid() == 0:  # who may read everything: another user builds
        program = shutil.copy(program, programs.name)
        user = {"user": 65534, "group": 65534, "extra_groups": []}
        os.chmod(setting.folder, 0o755)
        for at, folders, files in os.walk(folder):
            for name in [at, *(os.path.join(at, one) for one in folders + files)]:
                os.chown(name, 65534, 65534)

    def build(number, *flags):
        shelf = setting.path(f"shelf-{number}")
        os.mkdir(shelf)
        if user:
            os.chown(shelf, 65534, 65534)
        done = subprocess.run([program, "build", "--repository", shelf, "--collection", "c", "--json", "--input", folder, *flags],
                              capture_output=True, text=True, timeout=300, **user)
        return done, harness.current(shelf, "c")

    for number, name in enumerate(("b", "c")):
        path = os.path.join(folder, name)
        mode = os.stat(path).st_mode
        os.chmod(path, 0)
        failed, published = build(2 * number)
        harness.expect(failed.returncode == 1 and published is None, f"{name} cannot be read: exit {failed.returncode}, generation {published}")
        last = failed.stderr.strip().splitlines()[-1]
        harness.expect(f"{path}: cannot" in last and "Permission denied" in last and "--unreadable-files skip" in last, last)
        left, published = build(2 * number + 1, "--unreadable-files", "skip")
        summary = json.loads(left.stdout.strip().splitlines()[-1])
        harness.expect(published == 1 and (summary["documents"], summary["bad_records"]) == (6, 1) and path in left.stderr, f"{summary}: {left.stderr[-500:]}")
        os.chmod(path, mode)
    print("a file and a folder that cannot be read: the build fails and names them, or leaves them out when it is told to")


def check_killed_build(setting, repository, source):
    started = time.monotonic()
    setting.build(repository, "c", [source], 3)
    length = time.monotonic() - started
    published = 0
    for _ in range(5):
        before, known = harness.current(repository, "c"), set(files_below(repository))
        process = subprocess.Popen(setting.build_command(repository, "c", [source], 3), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(setting.rng.uniform(0, length))
        harness.kill9(process)
        if harness.current(repository, "c") == before:
            lost = known - set(files_below(repository))
            lost = {f for f in lost if "/building/" not in f and "/builds/" not in f}
            harness.expect(not unreferenced(lost, repository), f"a killed build took files away: {sorted(lost)[:5]}")
        else:
            published += 1
        check = subprocess.run([setting.program("frond-indexer"), "check", "--repository", repository, "--collection", "c"],
                               capture_output=True, text=True, timeout=300)
        harness.expect(check.returncode == 0, f"after a killed build, check says: {check.stdout[-500:]}{check.stderr[-500:]}")
    setting.build(repository, "c", [source], 3)
    named = manifests(repository)
    folders = set(os.listdir(os.path.join(repository, "c", "partitions")))
    harness.expect(folders == named, f"the next build did not clean up: {sorted(folders ^ named)}")
    for scratch in ("building", "builds"):
        folder = os.path.join(repository, "c", scratch)
        harness.expect(not os.path.isdir(folder) or not os.listdir(folder), f"the next build left {scratch}/ behind")
    print(f"killed builds: 5, of which {published} had published; nothing lost, nothing left behind")


def unreferenced(files, repository):
    """Those of `files` that a manifest still names."""
    named = manifests(repository)
    return {f for f in files if any(f"/partitions/{name}/" in "/" + f for name in named)}


def manifests(repository):
    """The partitions that any manifest names."""
    folder = os.path.join(repository, "c", "generations")
    found = set()
    for name in os.listdir(folder):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found |= {entry["id"] for entry in json.load(file)["manifest"]["partitions"]}
    return found


def check_corrupt_file(setting, repository, source):
    cluster = harness.Cluster(setting, repository, "c", 1)
    good = harness.current(repository, "c")
    query = "unknownword " + random_text_word(source)
    whole = cluster.search(query, mode="or", cache="off")
    harness.expect(whole.generation == good and whole.ranking, f"generation {whole.generation}, {len(whole.ranking)} hits")

    # A generation is built in a copy, one byte of its largest file is turned over, and only then it is put in place.
    copy = setting.path("copy")
    shutil.copytree(repository, copy)
    setting.build(copy, "c", [source], 2)
    bad = harness.current(copy, "c")
    fresh = [f for f in files_below(os.path.join(copy, "c")) if not os.path.exists(os.path.join(repository, "c", f))]
    victim = max((f for f in fresh if f.startswith("partitions/")), key=lambda f: os.path.getsize(os.path.join(copy, "c", f)))
    with open(os.path.join(copy, "c", victim), "r+b") as file:
        file.seek(os.path.getsize(file.name) // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 0x40]))
    for name in fresh:
        to = os.path.join(repository, "c", name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(os.path.join(copy, "c", name), to)
    pointer = os.path.join(repository, "c", "CURRENT")
    shutil.copy(os.path.join(copy, "c", "CURRENT"), pointer + ".new")
    os.rename(pointer + ".new", pointer)

    harness.eventually(lambda: os.path.basename(victim) in setting.log("c-leaf0"), "the leaf names the corrupt file in its log", 60)
    still = cluster.search(query, mode="or", cache="off")
    harness.expect((still.generation, still.hits) == (good, whole.hits), f"the answer changed to generation {still.generation}")
    check = subprocess.run([setting.program("frond-indexer"), "check", "--repository", repository, "--collection", "c"],
                           capture_output=True, text=True, timeout=300)
    told = check.stdout + check.stderr
    harness.expect(check.returncode == 1 and os.path.basename(victim) in told, f"check: exit {check.returncode}: {told[-500:]}")

    setting.build(repository, "c", [source], 2)
    newest = harness.current(repository, "c")
    harness.eventually(lambda: cluster.search(query, mode="or", cache="off").generation == newest, "the next good generation is served", 60)
    harness.expect(cluster.search(query, mode="or", cache="off").hits == whole.hits, "the next good generation answers differently")
    cluster.stop()
    print(f"corrupt {victim}: generation {bad} refused, {good} served on, then {newest}")


def random_text_word(source):
    with open(source, encoding="utf-8") as file:
        for line in file:
            body = json.loads(line)["body"]
            if body:
                return body.split()[0]
    raise harness.Failure("an empty collection")


def test(setting):
    words = random_text.vocabulary(setting.rng, 300)
    source = random_text.Collection(setting.rng, 20000, words).write(setting.path("good.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 2)
    check_bad_records(setting, repository, source)
    check_unreadable(setting)
    check_killed_build(setting, repository, source)
    check_corrupt_file(setting, repository, source)


harness.run(test, harness.arguments(__doc__).parse_args())
