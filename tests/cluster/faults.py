#!/usr/bin/env python3
"""One fault after the other in a cluster of two shards, two replicas, two brokers and an indexer's service, while searches come at a rate.

Every answer is compared with what its generation answered before: none may be wrong or mixed, and what is missing must be told. With one
replica of a shard affected 99.9 % of the searches must be whole within their deadline. Prints a table.

The whole matrix, 8 minutes: faults.py --rows all --seconds 10 --go-on
"""
import argparse
import collections
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

import fault_world
import harness
import killed_writer
import namespace
import open_load
import writing

SHORT = ("slow", "replies lost", "no memory", "service stopped")


class Row:
    """What is done to the cluster, and how it is undone. `bar`: the share of searches that must be whole; None: they may be partial, if told."""

    def __init__(self, hurt, heal, bar=0.999):
        self.hurt, self.heal, self.bar = hurt, heal, bar


def rows(world):
    setting, rng = world.setting, world.rng
    undo = []

    def killed(kind, number):
        processes = {"leaf": world.leaves, "broker": world.brokers}[kind]
        start = {"leaf": world.start_leaf, "broker": world.start_broker}[kind]
        return Row(lambda: harness.kill9(processes[number]), lambda: start(number))

    def stopped(process):
        return Row(lambda: process().send_signal(signal.SIGSTOP), lambda: process().send_signal(signal.SIGCONT))

    def slow():
        """Leaf 0 runs for 1 of 100 ms."""
        ended = threading.Event()
        undo.append(ended)

        def duty(leaf=world.leaves[0]):
            while not ended.is_set():
                leaf.send_signal(signal.SIGSTOP)
                time.sleep(0.099)
                leaf.send_signal(signal.SIGCONT)
                time.sleep(0.001)

        threading.Thread(target=duty, daemon=True).start()

    def lost(share, *ways, leaves=(0,), bar=0.999):
        if not namespace.can_lose():
            return None
        chance = "" if share == 100 else f" numgen random mod 100 < {share}"
        return Row(lambda: namespace.lose(*(f"tcp {way} {world.leaf_ports[leaf]}{chance}" for way in ways for leaf in leaves)), namespace.carry, bar)

    def damaged(damage):
        def hurt():
            folder = os.path.join(world.data(0), "collections", "s", "partitions")
            folder = folder if os.path.isdir(folder) else os.path.join(world.data(0), "s", "partitions")
            for partition in os.listdir(folder):
                tables = [os.path.join(folder, partition, name) for name in os.listdir(os.path.join(folder, partition)) if name.endswith(".sst")]
                damage(max(tables, key=os.path.getsize))

        return Row(hurt, lambda: None)

    def flip(path):
        with open(path, "r+b") as file:
            for at in range(rng.randrange(4096), os.path.getsize(path), 16384):
                file.seek(at)
                file.write(rng.randbytes(1))

    def full_disk():
        """The data of leaf 0 is on a disk of its own, without room for the next generation."""
        harness.end(world.leaves[0], "leaf 0")
        size = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(world.data(0)) for name in names)
        shutil.rmtree(world.data(0))
        os.mkdir(world.data(0))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={int(size * 1.1)}", "none", world.data(0)], check=True)
        world.start_leaf(0)
        world.await_recovered()

    def fills():
        world.publish("b")

    def room():
        subprocess.run(["mount", "-o", "remount,size=1g", world.data(0)], check=True)

    def no_memory():
        """Leaf 0 gets no more from the system."""
        pid = world.leaves[0].pid
        with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
            pages = int(statm.read().split()[0])
        undo.append(resource.prlimit(pid, resource.RLIMIT_AS, (pages * 4096, resource.RLIM_INFINITY)))
        world.publish("b")

    def memory():
        if world.leaves[0].poll() is None:
            resource.prlimit(world.leaves[0].pid, resource.RLIMIT_AS, undo[-1])
        else:
            print(f"leaf 0 ended: {world.leaves[0].returncode}")
            world.start_leaf(0)

    def killed_for_memory():
        """The system kills leaf 0 when it takes 64 KiB more: what it has stays counted where it was. Version 1 of control groups, or 2."""
        root, limit = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes") if os.path.isdir("/sys/fs/cgroup/memory") else ("/sys/fs/cgroup", "memory.max")
        group = os.path.join(root, f"frond-faults-{os.getpid()}")
        try:
            os.mkdir(group)
            able = os.access(os.path.join(group, limit), os.W_OK)
            os.rmdir(group)
        except OSError:
            able = False

        def hurt():
            os.mkdir(group)
            for name, text in ((limit, 64 << 10), ("cgroup.procs", world.leaves[0].pid)):
                with open(os.path.join(group, name), "w", encoding="ascii") as file:
                    file.write(str(text))
            world.publish("b")
            harness.eventually(lambda: world.leaves[0].poll() == -signal.SIGKILL, "leaf 0 is killed for its memory")

        return Row(hurt, lambda: (os.rmdir(group), world.start_leaf(0))) if able else None

    clock = os.path.join(setting.programs, "..", "tests", "libshifted_clock.so")

    def set_clock(by):
        with open(setting.path("clock"), "r+b") as file:  # in place: it is mapped
            file.write(by.to_bytes(8, "little", signed=True))

    def strange_clock():
        with open(setting.path("clock"), "wb") as file:
            file.write(bytes(8))
        restart(world, ("env", f"LD_PRELOAD={clock}", f"SHIFTED_CLOCK={setting.path('clock')}"))

    def jumps():
        for by in (3600, -3600, 86400 * 400, 0):
            set_clock(by)
            time.sleep(1.5)

    def killed_service():
        """While documents are written, at any step of their publication."""
        client = killed_writer.Client(world.service, type(rng)(rng.random()), "w", world.words)
        undo.append(client)
        client.start()
        for _ in range(8):
            time.sleep(rng.uniform(0.05, 0.8))
            world.service.kill_and_start()

    def written():
        client = undo[-1]
        client.ended.set()
        client.join(60)
        harness.expect(client.failure is None and not client.is_alive(), client.failure or "the writer hangs")
        generation = world.service.refresh()["generation"]
        harness.eventually(lambda: world.search("all", cache="off").generation >= generation, "what was written is served")
        killed_writer.check_there(world, client.remaining)

    def past_lease():
        world.service.process.send_signal(signal.SIGSTOP)
        second = writing.Service(setting, world.folder, world.service.keys, "--state", setting.path("second"), "--take-over", "any-log",
                                 *world.service_flags, name="second")
        undo.append(second)
        harness.eventually(lambda: second.state()["state"] == "writing", "the second service takes over")
        second.expect(200, "POST", "/v1/collections/c/documents", writing.line("second", ["second"]), key="write")
        second.refresh()

    def goes_on():
        first, second = world.service, undo[-1]
        first.process.send_signal(signal.SIGCONT)
        first.ask("POST", "/v1/collections/c/documents", writing.line("first", ["first"]), key="write")
        harness.expect(first.ask("POST", "/v1/collections/c/documents", writing.line("late", ["late"]), key="write")[0] == 503, "two services accept")
        harness.eventually(lambda: [hit for hit, _ in world.search("second", cache="off").ranking] == ["second"], "what the second one published is found")
        harness.end(second.process, "the second service")
        harness.eventually(lambda: first.state()["state"] == "writing", "the first one writes again")

    def no_repository():
        harness.kill9(world.service.process)
        harness.kill9(world.leaves[0])
        world.start_leaf(0)

    processes = {"kill -9 of a leaf": killed("leaf", 0), "leaf stopped": stopped(lambda: world.leaves[0]), "slow": Row(slow, lambda: undo[-1].set()),
                 "kill -9 of a broker": killed("broker", 0), "service killed in publish": Row(killed_service, written),
                 "service stopped": Row(past_lease, goes_on), "repository away": Row(no_repository, lambda: world.service.start())}
    links = {"5 % lost": lost(5, "sport", "dport"), "5 % lost everywhere": lost(5, "sport", "dport", leaves=range(4), bar=None),
             "replies lost": lost(100, "sport"), "requests lost": lost(100, "dport"), "both lost": lost(100, "sport", "dport")}
    disks = {"corrupt file": damaged(flip), "truncated file": damaged(lambda path: os.truncate(path, os.path.getsize(path) // 2)),
             "full disk": Row(fills, room) if namespace.INSIDE in os.environ else None, "no memory": Row(no_memory, memory),
             "killed for its memory": killed_for_memory()}
    swaps = {"swaps": Row(lambda: swap(world, 120), lambda: None), "rolling restart": Row(lambda: restart(world), lambda: None),
             "clock jumps": Row(jumps, lambda: restart(world)) if os.path.exists(clock) else None}
    for row, before in ((disks["full disk"], full_disk), (swaps["clock jumps"], strange_clock)):
        if row:
            row.before = before
    return {**processes, **links, **disks, **swaps}


def swap(world, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.monotonic()
        world.publish("a" if world.reference.content_of[world.generation] == "b" else "b")
        time.sleep(max(0, begin + 5 - time.monotonic()))


def restart(world, before=()):
    """Everything in turn, in good order."""
    for start, processes in ((world.start_leaf, world.leaves), (world.start_broker, world.brokers)):
        for number, process in enumerate(processes):
            harness.end(process, f"{start.__name__} {number}")
            start(number, *before)
            world.await_recovered()


def play(world, name, row, parsed):
    getattr(row, "before", lambda: None)()
    load = open_load.OpenLoad(world.brokers_http, world.reference, parsed.rate, world.rng)
    try:
        time.sleep(parsed.seconds / 2)
        begin = time.monotonic()
        row.hurt()
        time.sleep(max(0, begin + parsed.seconds - time.monotonic()))
        healed = time.monotonic()
        row.heal()
        world.await_recovered()
        recovered = time.monotonic() - healed
        time.sleep(1)
    finally:
        load.stop()
    kinds = collections.Counter(search.kind for search in load.done)
    during = load.between(begin, healed)
    disturbed = [search.due for search in load.done if search.kind != "whole"]
    whys = collections.Counter(f"{search.kind}: {search.why}" for search in load.done if search.kind != "whole")
    print(f"| {name} | {len(load.done)} | {kinds['whole']} | {kinds['partial']} | {kinds['failed']} | {kinds['wrong']} | "
          f"{open_load.p99(load.between(0, begin)):.0f} | {open_load.p99(during):.0f} | {recovered:.1f} |"
          f"{f' not whole for {max(disturbed) - min(disturbed):.1f} s;' if disturbed else ''}"
          f"{f' {load.other_broker} asked the other broker;' if load.other_broker else ''} {dict(whys.most_common(3)) if whys else ''}", flush=True)
    harness.expect(kinds["wrong"] == 0, f"{name}: wrong: {[search.why for search in load.done if search.kind == 'wrong'][:2]}")
    if row.bar is not None:
        harness.expect(kinds["whole"] >= row.bar * len(load.done) - parsed.allowed, f"{name}: {kinds}: {whys.most_common(5)}")


def store_away(setting, parsed):
    """A world whose leaves and service read an object store, which stands still; a leaf is killed meanwhile."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "objects"))
    from store import faulty  # pylint: disable=import-outside-toplevel
    server = faulty(setting, os.path.join(setting.programs, "..", "tests", "object_server"))
    world = fault_world.World(setting, parsed.documents, server)

    def hurt():
        server.process.send_signal(signal.SIGSTOP)
        harness.kill9(world.leaves[0])
        world.start_leaf(0)

    play(world, "store away", Row(hurt, lambda: server.process.send_signal(signal.SIGCONT)), parsed)


def test(setting, parsed):
    world = fault_world.World(setting, parsed.documents)
    matrix = rows(world)
    wanted = SHORT if parsed.rows == "short" else list(matrix) if parsed.rows == "all" else parsed.rows.split(",")
    print("| fault | asked | whole | partial, told | failed | wrong | p99 before, ms | p99 during, ms | recovered after, s |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    missed = []
    for name in wanted:
        if matrix[name] is None:
            print(f"| {name} | left out: needs a network of its own and nft, the library of the clock, or control groups of memory |")
            continue
        try:
            play(world, name, matrix[name], parsed)
        except harness.Failure as failure:
            if not parsed.go_on:
                raise
            missed.append(f"{name}: {failure}")
            world.await_recovered(60)
    for collection in ("s", "c"):
        world.check(collection)
    if os.path.ismount(world.data(0)):
        subprocess.run(["umount", "-l", world.data(0)], check=True)
    if parsed.rows == "all":
        store_away(setting, parsed)
    harness.expect(not missed, "\n".join(missed))


parser = harness.arguments(__doc__)
parser.add_argument("--rows", default="short", help="short, all, or names separated by commas")
parser.add_argument("--rate", type=float, default=40, help="searches a second")
parser.add_argument("--seconds", type=float, default=3, help="of each fault, at least")
parser.add_argument("--documents", type=int, default=4000)
parser.add_argument("--allowed", type=int, default=1, help="searches more that may be late, on a busy machine")
parser.add_argument("--go-on", action=argparse.BooleanOptionalAction, default=False, help="after a row that falls short")
if __name__ == "__main__":
    namespace.enter("no namespaces here: links are not cut")
    parsed_arguments = parser.parse_args()
    harness.run(lambda setting: test(setting, parsed_arguments), parsed_arguments)
