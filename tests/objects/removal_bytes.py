#!/usr/bin/env python3
"""What `frond-indexer remove` fetches from an object store: bytes, requests, seconds, for a few documents and for many; one JSON object a line.
Fails if that does not grow with the number of documents. With --passages, of passages of articles, or in a collection of another size, nothing
fails. With --also, other programs remove the same documents from a collection of their own. With --delay-ms, the store takes a while for each request.
"""
import itertools
import json
import os
import random
import resource
import socket
import subprocess
import sys
import threading
import time

import network
from store import faulty

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cluster"), os.path.join(HERE, "..", "cluster", "measure")]
import data  # noqa: E402
import harness  # noqa: E402
import random_text  # noqa: E402

DOCUMENTS = 20_000
MOST_BYTES = 24 << 10  # for a document more: two blocks, and what lies between them and the next ones
MOST_REQUESTS = 60  # and for each document one
FIRST_BYTES = 600_000  # of one document, and document frequencies; with all ids it would be more

parser = harness.arguments(__doc__)
parser.add_argument("--also", nargs="*", default=[], metavar="BIN", help="folders of other programs")
parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
parser.add_argument("--documents", type=int, default=DOCUMENTS)
parser.add_argument("--removed", type=int, nargs="*", default=[1, 10, 100, 300])
parser.add_argument("--delay-ms", type=int, default=0)
parser.add_argument("--words", type=int, default=150, help="of a document of random words")
parser.add_argument("--memory-limit", default="1GiB", help="of builds")
parser.add_argument("--passages", action="store_true", help="of articles, instead of random words")
parser.add_argument("--work", default="build/measure", help="where the cut passages are kept")
parsed = parser.parse_args()


class Counted:
    """A port before another one; counts what is answered, and requests."""

    def __init__(self, port):
        self.behind, self.sent, self.answered, self.requests, self.ids = port, 0, 0, 0, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, far = self.listener.accept()[0], socket.create_connection(("127.0.0.1", self.behind))
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, sink, look in ((near, far, self.count_request), (far, near, self.count_answer)):
                threading.Thread(target=network.pipe, args=(source, sink, look), daemon=True).start()

    def count_request(self, data):
        self.requests += data.startswith(b"GET ")
        self.ids += data.startswith(b"GET ") and b"/ids-" in data.split(b"\r\n", 1)[0]
        self.sent += len(data)

    def count_answer(self, data):
        self.answered += len(data)


def passages():
    with open(data.wiki_passages(parsed.work), encoding="utf-8") as source:
        return [line.rstrip("\n") for line in itertools.islice(source, parsed.documents)]


def random_lines(rng):
    words = random_text.vocabulary(rng, 20_000)
    return [json.dumps({"id": f"d{number}", "title": "", "body": " ".join(rng.choices(words, k=parsed.words))}) for number in range(parsed.documents)]


def expect_growth(programs, costs, whole):
    """`costs`: (documents, bytes, requests) of each removal; the first one also fetched document frequencies."""
    harness.expect(costs[0][1] <= FIRST_BYTES, f"{programs}: {costs[0][1]} bytes for the first document")
    few, bytes_few, _ = costs[1]
    for many, bytes_many, requests in costs[2:]:
        each = (bytes_many - bytes_few) / (many - few)
        harness.expect(each <= MOST_BYTES, f"{programs}: {each:.0f} bytes for a document more, of {many}")
        harness.expect(requests <= MOST_REQUESTS + many, f"{programs}: {requests} requests for {many} documents")
    harness.expect(bytes_few < whole / 4, f"{programs}: {bytes_few} bytes for {few} documents of {whole}")


def test(setting):
    lines = passages() if parsed.passages else random_lines(setting.rng)
    base = setting.path("base.jsonl")
    with open(base, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    ids = [json.loads(line)["id"] for line in random.Random(1).sample(lines, sum(parsed.removed) + 1)]
    store = faulty(setting, parsed.server)
    counted = Counted(store.port)
    store.port = counted.port
    said = []  # the last line of the last command
    for number, programs in enumerate([parsed.bin, *parsed.also]):
        def command(name, *more, scratch=f"scratch{number}", number=number, programs=programs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            counted.sent = counted.answered = counted.requests = counted.ids = 0
            begin = time.monotonic()
            done = subprocess.run([os.path.join(programs, "frond-indexer"), name, "--repository", f"s3://bucket/{number}", "--collection", "c",
                            "--scratch", setting.path(scratch), *store.arguments(), *more], check=True, capture_output=True)
            said[:] = done.stdout.decode().strip().splitlines()[-1:]
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return {"answered_MB": round(counted.answered / 1e6, 2), "requests": counted.requests, "seconds": round(time.monotonic() - begin, 2),
                    "cpu_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 3)}

        store.say("delay 0")
        command("build", "--format", "jsonl", "--input", base, "--memory-limit", parsed.memory_limit)
        whole = counted.sent
        print(json.dumps({"programs": programs, "built_MB": round(whole / 1e6, 2)}), flush=True)
        store.say(f"delay {parsed.delay_ms}")
        left, costs = iter(ids), []
        # The first one also fetches document frequencies, which are kept; ids are fetched when many are asked for.
        for count in parsed.removed:
            with open(setting.path("ids"), "w", encoding="utf-8") as file:
                file.write("".join(one + "\n" for one in itertools.islice(left, count)))
            print(json.dumps({"programs": programs, "removed": count, **command("remove", "--ids", setting.path("ids"))}), flush=True)
            costs.append((count, counted.answered, counted.requests))
        if not parsed.passages and parsed.documents == DOCUMENTS:
            expect_growth(programs, costs, whole)
        if number == 0:
            # Ids of documents that are replaced are found in ranges, too, where none were fetched before.
            with open(setting.path("new.jsonl"), "w", encoding="utf-8") as file:
                file.writelines(json.dumps({"id": one, "title": "", "body": "another text"}) + "\n" for one in [*itertools.islice(left, 1), "unknown"])
            print(json.dumps({"programs": programs, "replaced": command("add", "--json", "--format", "jsonl", "--input", setting.path("new.jsonl"),
                                                                        scratch="other")}), flush=True)
            harness.expect(json.loads(said[0])["replaced"] == 1, f"{programs}: one document was to be replaced: {said[0][-300:]}")
            # Of merged partitions, ids are where they were merged.
            for name in ("x", "y"):
                with open(setting.path("new.jsonl"), "w", encoding="utf-8") as file:
                    file.writelines(json.dumps({"id": f"{name}{one}", "title": "", "body": "some words"}) + "\n" for one in range(100))
                command("add", "--format", "jsonl", "--input", setting.path("new.jsonl"))
            command("compact", "--all")
            with open(setting.path("ids"), "w", encoding="utf-8") as file:
                file.write("x1\ny1\n")
            print(json.dumps({"programs": programs, "after a merge": command("remove", "--ids", setting.path("ids"))}), flush=True)
            harness.expect(counted.ids == 0, f"{programs}: {counted.ids} files of ids were fetched after a merge")
            command("check")


if __name__ == "__main__":
    harness.run(test, parsed)
