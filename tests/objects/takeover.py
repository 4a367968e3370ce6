#!/usr/bin/env python3
"""Two services and one collection in an object store, or in a directory (--directory). The writer is stopped (SIGSTOP) beyond its lease: the
other one takes over, and what the first one publishes when it goes on is refused. What a log still has then is set aside, and no log is given
up unless that is told. A collection that was removed and made again has nothing of the earlier one. In a directory, a service without --state and
one with it do not write one collection.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402
import writing  # noqa: E402
from store import expect_s3rver  # noqa: E402
from takeover_parts import DOCUMENTS, Where, await_writing, current, ids, logged, parsed, post, readiness  # noqa: E402


def check_stopped(setting, first, second, cluster):
    """The first one is stopped with changes that it has accepted and not published."""
    post(first, "published", "word", "old")
    first.refresh()
    post(first, "published", "word", "changed")
    post(first, "waits", "word")
    first.expect(200, "DELETE", DOCUMENTS + "/gone", key="write")
    harness.expect(readiness(second)["standby"].keys() == {"c"} and readiness(first)["writing"] == 1, "not one writer")
    post(second, "refused", "word", status=503)
    time.sleep(1.5)  # its next renewal says that three wait
    first.process.send_signal(signal.SIGSTOP)
    await_writing(second)
    harness.expect(current(second)[1] == 2, f"{current(second)}")
    taken = logged(setting, "second", "a collection is taken over without the log")
    harness.expect(len(taken) == 1 and taken[0]["waiting_when_last_heard_of"] == "3", f"{taken}")
    post(second, "published", "word", "new")
    post(second, "theirs", "word")
    generation = second.refresh()["generation"]
    first.process.send_signal(signal.SIGCONT)
    harness.expect(first.ask("POST", DOCUMENTS, writing.line("late", ["word"]), key="write")[0] == 503, "an overtaken service accepts")
    harness.expect(first.ask("POST", "/v1/collections/c/refresh", key="write")[0] in (200, 503), "a refresh hangs")
    harness.eventually(lambda: readiness(first)["standby"].keys() == {"c"}, "the first service stands by")
    harness.expect(first.ask("POST", "/v1/collections/c/rollback", key="admin")[0] == 503, "an overtaken service rolls back")
    harness.expect(current(second) == (generation, 2), f"{current(second)} after {generation}")
    harness.expect(len(logged(setting, "first", "the lease of a collection is lost")) == 1, "nothing tells of the lost lease")
    harness.eventually(lambda: ids(cluster, "word") == ["published", "theirs"], "what the second published is searched")
    harness.expect(ids(cluster, "new") == ["published"] and ids(cluster, "changed") == [], "an older change came after a newer one")


def check_set_aside(setting, where, first, second, cluster):
    """The second one ends, and publishes what it had accepted: the first may follow. What that had accepted is in a file."""
    post(second, "last", "word")
    harness.end(second.process, "the second service")
    await_writing(first)
    folder = setting.path("first", *where.below_state, "c")
    files = [name for name in os.listdir(folder) if name.startswith("overtaken-")]
    harness.expect(len(files) == 1, f"{files}")
    with open(os.path.join(folder, files[0]), encoding="utf-8") as file:
        aside = [json.loads(line) for line in file]
    harness.expect([one.get("id", one.get("removed")) for one in aside] == ["published", "waits", "gone"], f"{aside}")
    harness.expect(harness.metric(first.port, "frond_indexer_set_aside_changes_total") == 3, "they are not counted")
    post(first, "ours", "word")
    first.refresh()
    harness.eventually(lambda: ids(cluster, "word") == ["last", "ours", "published", "theirs"], "the first service's are searched")
    harness.expect(ids(cluster, "new") == ["published"], "what was set aside is published")


def check_kept(setting, first, third, cluster):
    """A service that dies with accepted changes is not followed by one without its log, unless that is told; it goes on itself."""
    post(first, "kept", "word")
    time.sleep(1.5)
    harness.kill9(first.process)
    harness.eventually(lambda: "--take-over" in readiness(third)["standby"]["c"], "the third service says why it does not follow", 30)
    post(third, "refused", "word", status=503)
    first.start()
    await_writing(first)
    first.refresh()
    harness.eventually(lambda: ids(cluster, "word") == ["kept", "last", "ours", "published", "theirs"], "the change is there")


def check_made_again(setting, where, keys, flags):
    """The collection is removed, and made again, while a service is stopped that had accepted changes. They are of no collection that there is."""
    posts = "/v1/collections/r/documents"
    stopped, other = (writing.Service(setting, where.place, keys, "--state", setting.path(name), *flags, "--take-over", "any-log", name=name)
                      for name in ("stopped", "other"))
    repeated = {"Idempotency_Key": "the same"}

    def accept(service, name, **fields):
        service.expect(200, "POST", posts, writing.line(name, ["word"]), key="write", **fields)

    def set_aside():
        folder = setting.path("stopped", *where.below_state, "r")
        aside = []
        for name in sorted(os.listdir(folder)):
            if name.startswith("overtaken-"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    aside += [json.loads(line)["id"] for line in file]
        return aside

    stopped.expect(201, "PUT", "/v1/collections/r", key="admin")
    accept(stopped, "first")
    stopped.refresh("r")
    accept(stopped, "dead", **repeated)
    harness.eventually(lambda: "r" in readiness(other)["standby"], "the other service has seen it")
    stopped.process.send_signal(signal.SIGSTOP)
    harness.eventually(lambda: other.state("r")["state"] == "writing", "the other one takes over", 30)
    other.expect(200, "DELETE", "/v1/collections/r", key="admin")
    other.expect(201, "PUT", "/v1/collections/r", key="admin")
    accept(other, "living")
    other.refresh("r")
    line = other.expect(200, "GET", "/repository/r/CURRENT")
    harness.expect(parsed(line) == (1, 1), f"{line}")  # as many as the earlier one had
    stopped.process.send_signal(signal.SIGCONT)
    harness.eventually(lambda: "r" in readiness(stopped)["standby"], "the service that was stopped stands by", 30)
    stopped.expect(503, "POST", posts, writing.line("late", ["word"]), key="write")
    harness.expect(stopped.ask("POST", "/v1/collections/r/refresh", key="write")[0] == 503, "it publishes")
    time.sleep(2.5)  # longer than the lease
    harness.expect(other.state("r")["state"] == "writing" and other.expect(200, "GET", "/repository/r/CURRENT") == line, "the new one's holder lost it")
    accept(other, "more")
    other.refresh("r")

    # Nobody has a lease of the next one: a command makes it.
    other.expect(200, "DELETE", "/v1/collections/r", key="admin")
    harness.kill9(stopped.process)
    harness.end(other.process, other.name)
    with open(setting.path("again.jsonl"), "w", encoding="utf-8") as file:
        file.write(writing.line("again", ["word"]) + "\n")
    subprocess.run([*setting.build_command(where.place, "r", [setting.path("again.jsonl")], 1), *where.flags,
                    *(() if PARSED.directory else ("--scratch", setting.path("build")))], check=True, capture_output=True, timeout=60)
    stopped.start()
    harness.eventually(lambda: stopped.state("r")["state"] == "writing", "it writes the collection that a command made", 30)
    accept(stopped, "new", **repeated)
    stopped.refresh("r")
    harness.expect(set_aside() == ["dead"], f"{set_aside()}")
    cluster = harness.Cluster(setting, where.place, "r", 1, name="r", leaf_flags=("--poll-ms", "100", *where.flags))
    harness.expect(ids(cluster, "word") == ["again", "new"], f"{ids(cluster, 'word')}")
    cluster.stop()
    where.check(setting, "r")
    harness.end(stopped.process, stopped.name)
    print("a collection that is made again has nothing of the earlier one", flush=True)


def check_stopped_anywhere(setting, where, keys, flags):
    """Stopped at a random instant while it publishes again and again. Whoever follows has what was published; nothing comes after it."""
    names = ("left", "right")
    services = [writing.Service(setting, where.place, keys, "--state", setting.path(name), *flags, "--take-over", "any-log", "--refresh-ms", "20", name=name)
                for name in names]
    services[0].expect(201, "PUT", "/v1/collections/d", key="admin")
    harness.eventually(lambda: "d" in readiness(services[1])["standby"], "the other service has seen it")
    for number in range(where.rounds):
        writer, other = services[number % 2], services[1 - number % 2]
        harness.eventually(lambda w=writer: w.state("d")["state"] == "writing", f"{writer.name} writes", 30)
        over = threading.Event()

        def write(service=writer, stop=over):
            count = 0
            while not stop.is_set():
                try:
                    service.ask("POST", "/v1/collections/d/documents", writing.line(f"n{count}", ["word"]), key="write")
                except OSError:
                    return
                count += 1
        thread = threading.Thread(target=write, daemon=True)
        thread.start()
        time.sleep(setting.rng.uniform(0.5, 1.5))
        writer.process.send_signal(signal.SIGSTOP)
        over.set()
        harness.eventually(lambda o=other: o.state("d")["state"] == "writing", f"{other.name} takes over", 30)
        writer.process.send_signal(signal.SIGCONT)
        thread.join(60)
        other.expect(200, "POST", "/v1/collections/d/documents", writing.line(f"after {number}", ["word"]), key="write")
        generation = other.refresh("d")["generation"]
        harness.eventually(lambda w=writer: "d" in readiness(w)["standby"], f"{writer.name} stands by", 30)
        now, epoch = current(other, "d")
        harness.expect(now >= generation, f"generation {now} after {generation}")
        where.check(setting, "d")
        print(f"stopped while it published: generation {generation} of epoch {epoch} is whole", flush=True)
    for service in services:
        harness.end(service.process, service.name)


def check_stopped_before_switch(setting, where, keys, flags):
    """Stopped by strace after its last look at CURRENT, before the rename that replaces it; it holds all its locks meanwhile."""
    if not shutil.which("strace") or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        print("strace can't trace here: stopping just before the switch of CURRENT is left out", flush=True)
        return
    posts, collection = "/v1/collections/e/documents", os.path.join(where.place, "e")
    first = writing.Service(setting, where.place, keys, "--state", setting.path("exact"), *flags, name="exact")
    first.expect(201, "PUT", "/v1/collections/e", key="admin")
    first.expect(200, "POST", posts, writing.line("first", ["word"]), key="write")
    first.refresh("e")
    harness.kill9(first.process)
    holders = os.path.join(collection, "holders")
    with open(os.path.join(holders, *os.listdir(holders)), encoding="utf-8") as record:
        draft = os.path.join(collection, "scratch", json.load(record)["log"], "building", "CURRENT")
    with open(setting.path("exact.log"), "ab") as log:
        strace = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", "-P", draft, "-e", "trace=rename", "-e", "inject=rename:signal=SIGSTOP:when=1",
                                   setting.program("frond-indexer"), "serve", "--repository", where.place, "--listen", f"127.0.0.1:{first.port}", "--state",
                                   setting.path("exact"), *flags], stdout=log, stderr=log)
    setting.processes.append(strace)
    harness.eventually(lambda: first.ask("GET", "/readyz")[0] == 200 and first.state("e")["state"] == "writing", "the service goes on", 30)
    child = int(subprocess.run(["ps", "--ppid", str(strace.pid), "-o", "pid="], capture_output=True, text=True, check=True).stdout)
    second = writing.Service(setting, where.place, keys, "--state", setting.path("beside"), *flags, "--take-over", "any-log", name="beside")
    first.expect(200, "POST", posts, writing.line("late", ["word"]), key="write")
    answered = []
    asked = threading.Thread(target=lambda: answered.append(first.ask("POST", "/v1/collections/e/refresh", key="write")), daemon=True)
    asked.start()

    def stopped():
        with open(f"/proc/{child}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] in "Tt"

    harness.eventually(stopped, "strace stops the service", 30)
    harness.expect(not os.path.exists(draft), "it is stopped somewhere else")
    harness.eventually(lambda: second.state("e")["state"] == "writing", "the other one takes over", 30)
    second.expect(200, "POST", posts, writing.line("second", ["word"]), key="write")
    second.refresh("e")
    with open(os.path.join(collection, "CURRENT"), encoding="ascii") as file:
        wanted = file.read()
    os.kill(child, signal.SIGCONT)
    harness.eventually(lambda: "e" in readiness(first)["standby"], "the service that was stopped stands by", 30)
    asked.join(60)
    with open(os.path.join(collection, "CURRENT"), encoding="ascii") as file:
        harness.expect(file.read() == wanted and parsed(wanted)[1] == 3, f"CURRENT is not {wanted!r} any more")
    harness.expect(answered[0][0] == 503, f"the refresh is answered {answered}")
    where.check(setting, "e")
    cluster = harness.Cluster(setting, where.place, "e", 1, name="e")
    harness.expect(ids(cluster, "word") == ["first", "second"], f"{ids(cluster, 'word')}")
    cluster.stop()
    os.kill(child, signal.SIGKILL)
    strace.wait(30)
    harness.end(second.process, "the other service")
    print(f"stopped just before it replaced CURRENT, overtaken, and refused: CURRENT is still {wanted.strip()}", flush=True)


def check_way_back(setting, where, without, with_state, cluster):
    """From a service with --state to one without, as the manual says, and to --state again."""
    posts = "/v1/collections/m/documents"
    with_state.expect(200, "POST", posts, writing.line("waited", ["word"]), key="write")
    for service in (with_state, without):
        harness.kill9(service.process)
    with open(os.path.join(HERE, "..", "..", "docs", "writing.md"), encoding="utf-8") as manual:
        steps, = re.findall(r"```\n(cp -a STATE/books/log .*?)```", manual.read(), re.DOTALL)
    steps = steps.replace("STATE", setting.path("moved")).replace("REPOSITORY", where.place).replace("books", "m")
    subprocess.run(["bash", "-e", "-u", "-c", steps], check=True, timeout=60)
    without.start()
    without.refresh("m")
    collection = os.path.join(where.place, "m")
    with open(os.path.join(collection, "CURRENT"), encoding="ascii") as file:
        harness.expect(re.fullmatch("[0-9]+\n", file.read()), "CURRENT has an epoch")
    harness.expect(not {"holders", "writing", "scratch"} & set(os.listdir(collection)), f"{os.listdir(collection)}")
    harness.eventually(lambda: ids(cluster, "word") == ["added", "first", "last", "waited"], "what waited is published without --state")
    without.expect(200, "POST", posts, writing.line("waits again", ["word"]), key="write")
    harness.kill9(without.process)
    os.makedirs(setting.path("moved", "m"))
    os.rename(os.path.join(collection, "log"), setting.path("moved", "m", "log"))
    with_state.start()
    without.start()
    with_state.refresh("m")
    harness.eventually(lambda: ids(cluster, "word") == ["added", "first", "last", "waited", "waits again"], "nothing is set aside")
    where.check(setting, "m")
    shutil.rmtree(setting.path("moved", "m.old"))
    print("from --state to none, as the manual says, and to --state again", flush=True)


def check_kinds(setting, where, keys, key_file, flags):
    """A service without --state keeps its log in the repository. With --state it goes on when that log was moved; then none without may write."""
    plain = ("--api-keys", key_file, "--memory-limit", "128MiB", "--refresh-ms", "3600000")
    posts = "/v1/collections/m/documents"
    for state in (where.place, os.path.join(where.place, "state")):
        done = subprocess.run([setting.program("frond-indexer"), "serve", "--repository", where.place, "--listen", "127.0.0.1:0", "--state", state, *plain],
                              capture_output=True, text=True, timeout=60)
        harness.expect(done.returncode == 2 and "--state" in done.stderr and done.stderr.count("\n") == 1, f"{state}: {done.returncode} {done.stderr}")
    before = writing.Service(setting, where.place, keys, *plain, name="before")
    for name in "mn":
        before.expect(201, "PUT", f"/v1/collections/{name}", json.dumps({"stemmer": "none"}), key="admin")
    before.expect(200, "POST", posts, writing.line("first", ["word"]), key="write")
    before.refresh("m")
    before.expect(200, "POST", posts, writing.line("waits", ["word"]), key="write")
    harness.kill9(before.process)
    after = writing.Service(setting, where.place, keys, "--state", setting.path("moved"), *flags, name="after")
    for name in "mn":
        harness.expect("move this folder" in readiness(after)["standby"][name], f"{readiness(after)}")
        os.makedirs(setting.path("moved", name), exist_ok=True)
        os.rename(os.path.join(where.place, name, "log"), setting.path("moved", name, "log"))
        harness.eventually(lambda n=name: n not in readiness(after)["standby"], "it goes on with the log", 30)
    after.refresh("m")
    after.expect(200, "POST", "/v1/collections/n/documents", writing.line("n", ["word"]), key="write")
    after.refresh("n")
    harness.expect(json.loads(after.expect(200, "GET", "/v1/collections/n"))["analyzer"]["stemmer"] == "none", "its settings are lost")
    cluster = harness.Cluster(setting, where.place, "m", 1, name="m")
    harness.expect(ids(cluster, "word") == ["first", "waits"], f"{ids(cluster, 'word')}")
    before.start()
    harness.expect("--state" in readiness(before)["standby"]["m"], f"{readiness(before)}")
    before.expect(503, "POST", posts, writing.line("refused", ["word"]), key="write")
    with open(setting.path("added.jsonl"), "w", encoding="utf-8") as file:
        file.write(writing.line("added", ["word"]) + "\n")
    added = ["--input", setting.path("added.jsonl"), "--format", "jsonl", "--memory-limit", "128MiB"]
    for command, wanted in ((["rollback"], ["first"]), (["prune"], ["first"]), (["add", *added], ["added", "first"]), (["compact"], ["added", "first"])):
        subprocess.run([setting.program("frond-indexer"), *command, "--repository", where.place, "--collection", "m"], check=True, capture_output=True,
                       timeout=60)
        harness.eventually(lambda w=wanted: ids(cluster, "word") == w, f"{command[0]} beside the service")
    after.expect(200, "POST", posts, writing.line("last", ["word"]), key="write")
    after.refresh("m")
    harness.eventually(lambda: ids(cluster, "word") == ["added", "first", "last"], "the service goes on after commands")
    where.check(setting, "m")
    check_way_back(setting, where, before, after, cluster)
    cluster.stop()
    after.expect(200, "DELETE", "/v1/collections/m", key="admin")
    harness.expect(not os.path.exists(os.path.join(where.place, "m")) and not os.path.exists(setting.path("moved", "m")), "something is left")
    for service in (before, after):
        harness.end(service.process, service.name)


def test(setting):
    keys, key_file = writing.make_keys(setting)
    where = Where(setting, PARSED)
    flags = (*where.flags, "--s3-lease-seconds", "3", "--lease-seconds", "2", "--api-keys", key_file, "--memory-limit", "128MiB")
    slow = (*flags, "--refresh-ms", "3600000")
    first = writing.Service(setting, where.place, keys, "--state", setting.path("first"), *slow, name="first")
    first.expect(201, "PUT", "/v1/collections/c", key="admin")
    post(first, "gone", "word")
    first.expect(200, "DELETE", DOCUMENTS + "/gone", key="write")
    second = writing.Service(setting, where.place, keys, "--state", setting.path("second"), *slow, "--take-over", "any-log", name="second")
    post(first, "published", "word")
    clusters = []

    def cluster():
        if not clusters:
            clusters.append(harness.Cluster(setting, where.place, "c", 1, leaf_flags=("--poll-ms", "100", *where.flags)))
        return clusters[0]

    check_stopped(setting, first, second, Lazy(cluster))
    check_set_aside(setting, where, first, second, cluster())
    third = writing.Service(setting, where.place, keys, "--state", setting.path("third"), *slow, name="third")
    check_kept(setting, first, third, cluster())
    cluster().stop()
    for service in (first, third):
        harness.end(service.process, service.name)
    where.check(setting, "c")
    check_made_again(setting, where, keys, slow)
    check_stopped_anywhere(setting, where, keys, flags)
    if PARSED.directory:
        check_stopped_before_switch(setting, where, keys, slow)
        check_kinds(setting, where, keys, key_file, slow)


class Lazy:
    """A cluster that starts when it is asked for the first time: there must be a generation."""

    def __init__(self, start):
        self.start = start

    def search(self, *args, **more):
        return self.start().search(*args, **more)


if __name__ == "__main__":
    parser = harness.arguments(__doc__)
    parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
    parser.add_argument("--conditions", choices=("on", "off"), default="on", help="whether the store obeys conditional writes")
    parser.add_argument("--directory", action="store_true", help="in a directory instead")
    parser.add_argument("--s3rver", action="store_true", help="the store is one that is not ours, without conditional writes")
    PARSED = parser.parse_args()
    if PARSED.s3rver:
        expect_s3rver()
    harness.run(test, PARSED)
