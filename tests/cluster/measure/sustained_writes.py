#!/usr/bin/env python3
"""A long stream of documents is posted to a service, as fast as it takes them or at a rate, while a cluster is searched. Every so many
seconds: the rate, what searches took, how long until a document was found, and what grows: partitions, files, the log, memory, open
files. 2 leaves, broker, service, load and client on this machine. Passages of articles, with other ids once all were sent; one JSON
object a line, at the end the same as a table.
"""
import collections
import http.client
import json
import os
import statistics
import subprocess
import threading
import time

import data
import harness

import writing

COLLECTION = "passages"
PATH = f"/v1/collections/{COLLECTION}"

parser = harness.arguments(__doc__)
parser.add_argument("--documents", type=int, default=3_600_000, help="end when so many were accepted")
parser.add_argument("--seconds", type=float, default=3600, help="end after so long at the latest")
parser.add_argument("--every", type=float, default=30, help="seconds between two lines")
parser.add_argument("--rate", type=int, default=0, help="documents a second; 0: as many as are taken")
parser.add_argument("--request", type=int, default=200, help="documents a request")
parser.add_argument("--connections", type=int, default=2, help="that post them")
parser.add_argument("--searches", type=int, default=50, help="a second")
parser.add_argument("--base", type=int, default=50_000, help="documents that are there before")
parser.add_argument("--max-pending-bytes", default="8MiB", help="of the service: past this it answers 429")
parser.add_argument("--refresh-ms", type=int, default=300)
parser.add_argument("--replace", type=float, default=0, help="share of requests that post documents again that were posted before")
parser.add_argument("--work", default="build/measure", help="where the cut passages are kept")
parsed = parser.parse_args()


class Stream:
    """Bodies of requests: passages in order, without end."""

    def __init__(self, path, skip):
        self.source, self.again, self.lock = open(path, encoding="utf-8"), 0, threading.Lock()
        self.old = collections.deque(maxlen=50)
        for _ in range(skip):
            next(self.source)

    def line(self):
        line = self.source.readline()
        if not line:
            self.source.seek(0)
            self.again += 1
            line = self.source.readline()
        return line if self.again == 0 else line.replace('{"id": "', f'{{"id": "{self.again}-', 1)

    def body(self, number):
        with self.lock:
            if self.old and number % 100 < 100 * parsed.replace:
                return self.old[number % len(self.old)]
            body = "".join(self.line() for _ in range(parsed.request)).encode()
            if number % 100 == 0 or not self.old:
                self.old.append(body)
            return body


class Client:
    """Posts the stream over connections that stay open; what is refused is posted again after a short while."""

    def __init__(self, service, stream):
        self.service, self.stream = service, stream
        self.accepted, self.bytes, self.refused, self.number, self.failure = 0, 0, 0, 0, None
        self.lock, self.ended, self.begin = threading.Lock(), threading.Event(), time.monotonic()
        self.threads = [threading.Thread(target=self.post, daemon=True) for _ in range(parsed.connections)]
        for thread in self.threads:
            thread.start()

    def post(self):
        headers = {"Authorization": "Bearer " + self.service.keys["write"]}
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=120)
        try:
            while not self.ended.is_set():
                with self.lock:
                    number, self.number = self.number, self.number + 1
                body = self.stream.body(number)
                if parsed.rate:
                    time.sleep(max(0, self.begin + number * parsed.request / parsed.rate - time.monotonic()))
                while not self.ended.is_set():
                    connection.request("POST", PATH + "/documents", body=body, headers=headers)
                    reply = connection.getresponse()
                    answer = reply.read()
                    with self.lock:
                        self.accepted += parsed.request * (reply.status == 200)
                        self.bytes += len(body) * (reply.status == 200)
                        self.refused += reply.status != 200
                    if reply.status == 200:
                        break
                    harness.expect(reply.status == 429, f"{reply.status}: {answer[:300]}")
                    self.ended.wait(0.05)
        except (OSError, http.client.HTTPException, harness.Failure) as error:
            self.failure = error
        finally:
            connection.close()

    def stop(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        harness.expect(not self.failure, f"a client: {self.failure}")


class Marks:
    """One document after the other is posted and searched for; how long that took, from before its post was accepted."""

    def __init__(self, service, cluster):
        self.service, self.cluster, self.seen, self.ended = service, cluster, [], threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        number = 0
        while not self.ended.wait(0.2):
            number += 1
            mark = f"mark{number}x{os.getpid()}"
            begin = time.monotonic()
            status, _ = self.service.ask("POST", PATH + "/documents", json.dumps({"id": "the mark", "title": "", "body": mark}), key="write")
            if status != 200:
                continue
            while not self.ended.wait(0.03):
                if self.cluster.search(mark, cache="off", fields="id").ranking:
                    self.seen.append(time.monotonic() - begin)
                    break

    def take(self):
        seen, self.seen = self.seen, []
        return seen

    def stop(self):
        self.ended.set()
        self.thread.join()


def of_process(process):
    """(processor seconds, resident MiB of its own, resident MiB of files, open files, threads)"""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        status = dict(line.split(":", 1) for line in file)
    own, files = (int(status[name].split()[0]) >> 10 for name in ("RssAnon", "RssFile"))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), own, files, len(os.listdir(f"/proc/{process.pid}/fd")), int(status["Threads"])


def of_folder(folder):
    """(MiB on disk, files). A file that goes away meanwhile is not counted; one with two names once."""
    blocks, inodes = 0, set()
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                found = os.lstat(os.path.join(at, name))
            except OSError:
                continue
            blocks += found.st_blocks * (found.st_ino not in inodes)
            inodes.add(found.st_ino)
    return blocks * 512 >> 20, len(inodes)


def fullest(repository, leaves):
    """How many times the mean of all leaves the fullest one has of the documents, as leaves share partitions, by number; and if each partition,
    the largest first, went to the leaf that has fewest."""
    with open(os.path.join(repository, COLLECTION, "CURRENT"), encoding="ascii") as current:
        generation = int(current.read().split()[0])
    with open(os.path.join(repository, COLLECTION, "generations", f"{generation}.json"), encoding="utf-8") as manifest:
        sizes = [partition["documents"] for partition in json.load(manifest)["manifest"]["partitions"]]
    by_size = [0] * leaves
    for size in sorted(sizes, reverse=True):
        by_size[by_size.index(min(by_size))] += size
    return [round(most * leaves / sum(sizes), 2) for most in (max(sum(sizes[leaf::leaves]) for leaf in range(leaves)), max(by_size))]


def table(lines):
    print("\n| " + " | ".join(lines[0]) + " |\n|" + " --- |" * len(lines[0]))
    for line in lines:
        print("| " + " | ".join(", ".join(map(str, v)) if isinstance(v, (list, tuple)) else str(v) for v in line.values()) + " |")


def test(setting):
    keys, key_file = writing.make_keys(setting)
    repository = setting.path("repository")
    os.mkdir(repository)
    passages, base = data.wiki_passages(parsed.work), setting.path("base.jsonl")
    with open(passages, encoding="utf-8") as source, open(base, "w", encoding="utf-8") as file:
        file.writelines(next(source) for _ in range(parsed.base))
    setting.build(repository, COLLECTION, [base], 2)
    service = writing.Service(setting, repository, keys, "--api-keys", key_file, "--refresh-ms", str(parsed.refresh_ms),
                              "--max-pending-bytes", parsed.max_pending_bytes)
    cluster = harness.Cluster(setting, repository, COLLECTION, 2)
    processes = {"service": service.process, "leaf": cluster.leaves[0], "broker": cluster.broker}

    def load(seconds):
        command = [setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{cluster.http}", "--queries",
                   data.path("queries", "terabyte05-efficiency.txt"), "--json", "--seconds", str(seconds), "--rate", str(parsed.searches), "--cache", "off"]
        figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        harness.expect(not figures["refused"] and figures["degraded"] < 100, f"{figures}")
        return [round(figures["latency_ms"][part], 2) for part in ("p50", "p99")], figures["degraded"]

    print(json.dumps({"searches alone: p50, p99 ms": load(parsed.every)[0]}), flush=True)
    client, marks, lines = Client(service, Stream(passages, parsed.base)), Marks(service, cluster), []
    begin = last = time.monotonic()
    published, sent, used = 0, (0, 0, 0), {name: of_process(process)[0] for name, process in processes.items()}
    while client.accepted < parsed.documents and last - begin + parsed.every <= parsed.seconds and not client.failure:
        latency, degraded = load(parsed.every - 1)
        now, described, seen = time.monotonic(), json.loads(service.expect(200, "GET", PATH)), marks.take()
        found = {name: of_process(process) for name, process in processes.items()}
        count = harness.metric(service.port, "frond_indexer_publications_total", outcome="ok")
        before, sent, passed = sent, (client.accepted, client.bytes, client.refused), now - last
        lines.append({
            "s": round(now - begin), "documents": described["documents"], "documents/s": round((sent[0] - before[0]) / passed),
            "MB/s": round((sent[1] - before[1]) / passed / 1e6, 2), "429": sent[2] - before[2], "pending": described["writing"]["pending_operations"],
            "visible: median, most s": [round(statistics.median(seen), 2), round(max(seen), 2)] if seen else "",
            "searches: p50, p99 ms": latency, "degraded": degraded, "partitions": described["partitions"], "generation": described["generation"],
            "collection MB": round(described["bytes"] / 1e6), "repository: MiB, files": of_folder(repository),
            "the fullest leaf's documents, of the mean; dealt by size": fullest(repository, len(cluster.leaves)),
            "documents/publication": round((sent[0] - before[0]) / max(1, count - published)),
            "log MiB": of_folder(os.path.join(repository, COLLECTION, "log"))[0], "leaf: MiB, files": of_folder(setting.path("c-leaf0")),
            **{f"{name}: cores, own MiB, MiB of files, open files, threads": [round((of[0] - used[name]) / passed, 2), *of[1:]] for name, of in found.items()},
            "load": round(os.getloadavg()[0], 1)})
        published, used, last = count, {name: of[0] for name, of in found.items()}, now
        print(json.dumps(lines[-1]), flush=True)
    marks.stop()
    client.stop()
    begin = time.monotonic()
    service.refresh(COLLECTION)
    print(json.dumps({"accepted": client.accepted, "MB": round(client.bytes / 1e6), "seconds until all is published": round(time.monotonic() - begin, 1),
                      "searches afterwards: p50, p99 ms": load(parsed.every)[0]}), flush=True)
    time.sleep(parsed.every)  # what is not used any more goes
    print(json.dumps({"repository: MiB, files": of_folder(repository), "leaf: MiB, files": of_folder(setting.path("c-leaf0")),
                      "partitions": json.loads(service.expect(200, "GET", PATH))["partitions"],
                      **{name: of_process(process)[1:] for name, process in processes.items()}}), flush=True)
    table(lines)
    cluster.stop()
    harness.end(service.process, "the service")


if __name__ == "__main__":
    harness.run(test, parsed)
