#!/usr/bin/env python3
"""Documents are posted at a steady rate to a service while a cluster is searched: how long until a document is found, and what searches
take with and without writing. 2 leaves, broker, indexer, load and client on this machine. Passages of articles; one JSON object a line.
With --segments the load while documents are written is repeated, and each time partitions, disk and memory are told.
"""
import json
import os
import statistics
import subprocess
import threading
import time

import data
import harness

import writing

parser = harness.arguments(__doc__)
parser.add_argument("--seconds", type=float, default=60)
parser.add_argument("--rate", type=int, default=1000, help="documents a second")
parser.add_argument("--posts", type=int, default=10, help="requests a second that bring them")
parser.add_argument("--searches", type=int, default=200, help="a second")
parser.add_argument("--base", type=int, default=100_000, help="documents that are there before")
parser.add_argument("--refresh-ms", type=int, default=300)
parser.add_argument("--poll-ms", type=int, default=100, help="of leaves and broker")
parser.add_argument("--segments", type=int, default=1, help="so many times --seconds of writing")
parser.add_argument("--replace", action="store_true", help="post the documents that are there already, again and again")
parser.add_argument("--work", default="build/measure", help="where the cut passages are kept")
parsed = parser.parse_args()


def share(values, part):
    return round(sorted(values)[min(len(values) - 1, int(part * len(values)))], 4)


class Posts:
    """Posts documents until stop(); of each request, how long until a search found its mark."""

    def __init__(self, service, cluster, lines):
        self.service, self.cluster, self.lines = service, cluster, lines
        self.sent, self.refused, self.seen, self.waiting = 0, 0, [], []
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.post, self.look)]
        for thread in self.threads:
            thread.start()

    def line(self, number):
        """When all lines were sent, they are sent again under other ids."""
        again, at = divmod(number, len(self.lines))
        if parsed.replace or again == 0:
            return self.lines[at]
        document = json.loads(self.lines[at])
        document["id"] += f"-{again}"
        return json.dumps(document)

    def post(self):
        begin, number, each = time.monotonic(), 0, parsed.rate // parsed.posts
        while not self.ended.is_set():
            time.sleep(max(0, begin + number / parsed.posts - time.monotonic()))
            body = [self.line(self.sent + i) for i in range(each - 1)]
            mark = f"mark{number}x{int(begin)}"
            body.append(json.dumps({"id": "the mark", "title": "", "body": mark}))
            sent = time.monotonic()
            status, answer = self.service.ask("POST", "/v1/collections/passages/documents", "\n".join(body), key="write")
            if status != 200:
                self.refused += 1
                harness.expect(status == 429, f"{status}: {answer[:300]}")
            else:
                with self.lock:
                    self.waiting.append((sent, mark))
                self.sent += each
            number += 1

    def look(self):
        """A mark that a later one has replaced counts as found with that one."""
        while not self.ended.is_set() or self.waiting:
            with self.lock:
                marks = list(self.waiting)
            for sent, mark in reversed(marks):
                if self.cluster.search(mark, cache="off", fields="id").ranking:
                    now = time.monotonic()
                    with self.lock:
                        self.seen += [now - at for at, _ in self.waiting if at <= sent]
                        self.waiting = [one for one in self.waiting if one[0] > sent]
                    break
            time.sleep(0.02)

    def stop(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()


def test(setting):
    keys, key_file = writing.make_keys(setting)
    repository = setting.path("repository")
    os.mkdir(repository)
    passages = data.wiki_passages(parsed.work)
    with open(passages, encoding="utf-8") as source:
        lines = [line.rstrip("\n") for _, line in zip(range(parsed.base + int(parsed.rate * parsed.seconds)), source)]
    base = setting.path("base.jsonl")
    with open(base, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:parsed.base]) + "\n")
    setting.build(repository, "passages", [base], 2)
    service = writing.Service(setting, repository, keys, "--api-keys", key_file, "--refresh-ms", str(parsed.refresh_ms))
    cluster = harness.Cluster(setting, repository, "passages", 2, leaf_flags=("--poll-ms", str(parsed.poll_ms)),
                              broker_flags=("--poll-ms", str(parsed.poll_ms)))
    processes = {"leaf": cluster.leaves[0], "broker": cluster.broker, "indexer": service.process}

    def used():
        seconds = {}
        for name, process in processes.items():
            with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            seconds[name] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return seconds

    queries = data.path("queries", "terabyte05-efficiency.txt")

    def load(name):
        command = [setting.program("frond"), "load", "--broker", f"http://127.0.0.1:{cluster.http}", "--queries", queries, "--json",
                   "--seconds", str(parsed.seconds), "--rate", str(parsed.searches), "--cache", "off", "--warmup", "2"]
        before = used()
        figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        cores = {part: round((after - before[part]) / parsed.seconds, 3) for part, after in used().items()}
        print(json.dumps({name: {key: figures[key] for key in ("queries_per_second", "latency_ms", "degraded", "refused")},
                          "cores": cores}), flush=True)

    def memory(process):
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            return round(next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024)

    def disk(folder):
        return round(int(subprocess.run(["du", "-sm", folder], capture_output=True, text=True, check=False).stdout.split()[0]))

    def tell(segment, begin, posts):
        seconds = time.monotonic() - begin
        described = json.loads(service.expect(200, "GET", "/v1/collections/passages"))
        seen = posts.seen[:]
        del posts.seen[:len(seen)]
        kept.extend(seen)
        print(json.dumps({"segment": segment, "seconds": round(seconds), "documents_a_second": round(posts.sent / seconds), "refused": posts.refused,
                          "visible": {"median": round(statistics.median(seen), 3), "p99": share(seen, .99)} if seen else None,
                          "documents": described["documents"], "partitions": described["partitions"],
                          "pending": described["writing"]["pending_operations"], "collection_MB": round(described["bytes"] / 1e6),
                          "repository_MiB": disk(repository), "leaf_MiB": disk(setting.path("c-leaf0")),
                          "resident_MiB": {name: memory(process) for name, process in processes.items()}}), flush=True)

    kept = []
    load("searches alone")
    posts = Posts(service, cluster, lines[:parsed.base] if parsed.replace else lines[parsed.base:])
    begin = time.monotonic()
    for segment in range(parsed.segments):
        load("searches while documents are written")
        if parsed.segments > 1:
            tell(segment, begin, posts)
    posts.stop()
    posts.seen = kept + posts.seen
    seconds = time.monotonic() - begin
    described = json.loads(service.expect(200, "GET", "/v1/collections/passages"))
    print(json.dumps({"documents_a_second": round(posts.sent / seconds), "refused": posts.refused, "requests": len(posts.seen),
                      "visible_seconds": {"median": round(statistics.median(posts.seen), 3), "p90": share(posts.seen, .9),
                                          "p99": share(posts.seen, .99), "most": share(posts.seen, 1)},
                      "generation": described["generation"], "partitions": described["partitions"],
                      "documents": described["documents"]}), flush=True)
    load("searches alone, afterwards")
    cluster.stop()
    harness.end(service.process, "the service")


if __name__ == "__main__":
    harness.run(test, parsed)
