"""Frond processes on loopback, for tests: build a repository, start leaves and brokers, send requests, kill, check.

A test is a script. It takes --bin (the folder of the programs) and --seed, prints what it did, and exits with 0, 1 or 77 (skipped).
"""
import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SKIPPED = 77


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", help="the folder of frond-broker, frond-leaf, frond-indexer")
    parser.add_argument("--seed", type=int, default=None, help="of everything random; default: a new one")
    parser.add_argument("--keep", action="store_true", help="keep the working folder")
    return parser


class Failure(Exception):
    pass


class Refused(Failure):
    """The broker answered with an error status."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def run(test, parsed):
    """Runs test(setting) in a working folder of its own; on failure shows the ends of the processes' logs."""
    seed = parsed.seed if parsed.seed is not None else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="frond-cluster-")
    setting = Setting(os.path.abspath(parsed.bin), folder, random.Random(seed))
    started, failed = time.monotonic(), False
    try:
        test(setting)
    except (Failure, OSError, subprocess.SubprocessError, http.client.HTTPException) as error:
        failed = True
        print(f"FAILED (seed {seed}): {type(error).__name__}: {error}")
        setting.show_logs()
    finally:
        setting.stop_all()
        if not parsed.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{'failed' if failed else 'passed'} in {time.monotonic() - started:.1f} s", flush=True)
    sys.exit(1 if failed else 0)


def first_outgoing_port():
    """The lowest port that the system chooses for outgoing connections."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
            return int(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return 32768


def free_ports(count):
    """Unused ports; if possible, ports that the system does not choose for outgoing connections, since such a connection could
    take the port of a killed process before that is started again."""
    end = first_outgoing_port()
    candidates = [0] * count if end < 4096 else random.SystemRandom().sample(range(end // 2, end), end // 4)
    held = []
    for port in candidates:
        s = socket.socket()
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            s.close()
            continue
        held.append(s)
        if len(held) == count:
            break
    expect(len(held) == count, "no free ports")
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


class Setting:
    """The folder of the programs, a scratch folder, the source of randomness, and every process started."""

    def __init__(self, programs, folder, rng):
        self.programs, self.folder, self.rng, self.processes = programs, folder, rng, []
        self.before = {}  # a program's name to a command that starts it

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def program(self, name):
        return os.path.join(self.programs, name)

    def spawn(self, log_name, program, *args):
        with open(self.path(log_name + ".log"), "ab") as log:
            process = subprocess.Popen([*self.before.get(program, ()), self.program(program), *map(str, args)], stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def stop_all(self):
        alive = [p for p in self.processes if p.poll() is None]
        for process in alive:
            process.terminate()
        for process in alive:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def log(self, name):
        with open(self.path(name + ".log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def show_logs(self):
        for name in sorted(n for n in os.listdir(self.folder) if n.endswith(".log")):
            print(f"--- {name}")
            print(self.log(name[:-4])[-3000:])

    def write_numbered(self, name, count, body):
        """Writes `count` documents as JSON Lines; number i has the id NAMEi and the text body(i). Returns the file's path."""
        path = self.path(name + ".jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for number in range(count):
                file.write(json.dumps({"id": f"{name}{number}", "title": "", "body": body(number)}) + "\n")
        return path

    def build_command(self, repository, collection, inputs, partitions, **flags):
        command = [self.program("frond-indexer"), "build", "--repository", repository, "--collection", collection,
                   "--partitions", str(partitions), "--json"]
        for name, value in {"format": "jsonl", **flags}.items():
            command += ["--" + name.replace("_", "-"), str(value)]
        return command + ["--input", *inputs]

    def build(self, repository, collection, inputs, partitions, **flags):
        """The build's summary."""
        done = subprocess.run(self.build_command(repository, collection, inputs, partitions, **flags),
                              capture_output=True, text=True, timeout=600)
        expect(done.returncode == 0, f"build exited {done.returncode}: {done.stderr[-1000:]}")
        return json.loads(done.stdout.strip().splitlines()[-1])


def current(repository, collection):
    """The current generation's number; None where nothing is published."""
    try:
        with open(os.path.join(repository, collection, "CURRENT"), encoding="ascii") as file:
            return int(file.read().split()[0])
    except FileNotFoundError:
        return None


def fetch(port, path, timeout=30, method="GET", body=None):
    """(status, body) of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body=body)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def metric(port, name, **labels):
    """The sum of a metric's series that have these labels, from /metrics at `port`."""
    text = fetch(port, "/metrics")[1].decode()
    series = re.findall(rf"^{name}(?:\{{(.*)\}})? (\S+)$", text, re.M)
    expect(series, f"no metric {name}")
    return sum(float(value) for has, value in series if all(f'{key}="{wanted}"' in has for key, wanted in labels.items()))


def end(process, name):
    """SIGTERM, and the process must exit with 0."""
    process.terminate()
    expect(process.wait(30) == 0, f"{name} did not exit 0 at SIGTERM")


def eventually(condition, what, seconds=30):
    """Waits until condition() is true; connection errors and refusals count as not yet."""
    end = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except (OSError, http.client.HTTPException, json.JSONDecodeError, Refused):
            pass
        expect(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(0.05)


def varint(data, at):
    """The number of variable length at data[at], and the place behind it."""
    number, shift = 0, 0
    while True:
        number |= (data[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return number, at


def pause(process):
    """Stops a process (SIGSTOP); returns when none of its threads runs any more, which takes a while on a busy machine."""
    process.send_signal(signal.SIGSTOP)
    tasks = f"/proc/{process.pid}/task"

    def state(task):
        with open(f"{tasks}/{task}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]

    eventually(lambda: all(state(task) == "T" for task in os.listdir(tasks)), f"process {process.pid} is stopped")


class Answer:
    """A search's answer. `hits` keeps numbers as the broker printed them, so that answers can be compared to the byte."""

    def __init__(self, status, body):
        self.status = status
        if status != 200:
            raise Refused(f"search: status {status}: {body[:300]!r}")
        answer = json.loads(body, parse_float=str, parse_int=str)
        self.generation = int(answer["generation"])
        self.cache = answer["cache"]
        self.degraded = answer["coverage"]["degraded"]
        self.timed_out = answer["timed_out"]
        self.total = (int(answer["total"]["value"]), answer["total"]["relation"])
        self.all_words = tuple(int(n) if n.isdigit() else n for n in answer["total"].get("all_words", {}).values())
        self.hits = json.dumps(answer["hits"], sort_keys=True)
        self.ranking = [(hit["id"], hit["score"]) for hit in answer["hits"]]

    @property
    def whole(self):
        return not self.degraded and not self.timed_out


class Cluster:
    """One broker and some leaves over one repository."""

    def __init__(self, setting, repository, collection, leaves, name="c", broker_flags=(), leaf_flags=()):
        self.setting, self.repository, self.collection, self.name = setting, repository, collection, name
        self.broker_flags, self.leaf_flags = broker_flags, leaf_flags
        ports = free_ports(2 * leaves + 1)
        self.leaf_ports, self.leaf_http, self.http = ports[:leaves], ports[leaves:-1], ports[-1]
        self.leaves = [None] * leaves
        for number in range(leaves):
            self.start_leaf(number)
        self.broker = None
        self.start_broker()
        self.await_ready()

    def start_leaf(self, number):
        self.leaves[number] = self.setting.spawn(
            f"{self.name}-leaf{number}", "frond-leaf", "--repository", self.repository, "--collection", self.collection,
            "--data", self.setting.path(f"{self.name}-leaf{number}"), "--listen", f"tcp://127.0.0.1:{self.leaf_ports[number]}",
            "--http", f"127.0.0.1:{self.leaf_http[number]}", "--shard", f"{number}/{len(self.leaves)}", *self.leaf_flags)

    def start_broker(self):
        args = ["--http", f"127.0.0.1:{self.http}", "--collection", self.collection, *self.broker_flags]
        if "--threads" not in self.broker_flags and "FROND_THREADS" not in os.environ:
            args += ["--threads", 1]  # on any machine
        for port in self.leaf_ports:
            args += ["--leaf", f"tcp://127.0.0.1:{port}"]
        self.broker = self.setting.spawn(f"{self.name}-broker", "frond-broker", *args)

    def await_ready(self, seconds=60):
        def ready():
            for process in [self.broker, *self.leaves]:
                expect(process.poll() is None, f"a process of cluster {self.name} ended at its start")
            return fetch(self.http, "/readyz", timeout=5)[0] == 200

        eventually(ready, "the broker is ready", seconds)

    def search(self, query, timeout_ms=20000, **parameters):
        """Asks with a longer timeout than the broker's default, so that a busy machine does not degrade the answer."""
        parameters["timeout_ms"] = timeout_ms
        return Answer(*fetch(self.http, "/v1/search?" + urllib.parse.urlencode({"q": query, **parameters})))

    def stop(self):
        for process in [self.broker, *self.leaves]:
            if process.poll() is None:
                process.terminate()
        for process in [self.broker, *self.leaves]:
            expect(process.wait(30) == 0, "a process did not exit 0 at SIGTERM")


def kill9(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


class Watch:
    """Sends searches from several threads until stop(), and keeps every whole answer for judge()."""

    def __init__(self, cluster, queries, threads, seed, timeout_ms=20000):
        self.cluster, self.queries, self.timeout_ms = cluster, queries, timeout_ms
        self.seen, self.errors, self.degraded = set(), 0, 0
        self.asked = 0
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(seed + i,), daemon=True) for i in range(threads)]
        for thread in self._threads:
            thread.start()

    def _ask(self, seed):
        rng = random.Random(seed)
        while not self._stop.is_set():
            query, mode, k = rng.choice(self.queries)
            try:
                answer = self.cluster.search(query, mode=mode, k=k, cache=rng.choice(("on", "off")),
                                             timeout_ms=self.timeout_ms)
            except (OSError, http.client.HTTPException, Failure, json.JSONDecodeError):
                with self._lock:
                    self.errors += 1
                time.sleep(0.01)  # the broker may be down
                continue
            with self._lock:
                self.asked += 1
                if answer.whole:
                    self.seen.add((answer.generation, query, mode, k, answer.hits))
                else:
                    self.degraded += 1

    def stop(self):
        self._stop.set()
        for thread in self._threads:
            thread.join(60)

    def judge(self, reference):
        """Compares all answers with reference(generation, query, mode, k), the right hits. Returns how many different answers there were."""
        for generation, query, mode, k, hits in self.seen:
            wanted = reference(generation, query, mode, k)
            expect(hits == wanted, f"wrong answer: generation {generation}, {query!r} {mode} k={k}: {hits} instead of {wanted}")
        return len(self.seen)
