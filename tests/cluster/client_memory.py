#!/usr/bin/env python3
"""What clients and documents cause is held within limits: the terms of a change that has millions of them; bodies that wait for the
indexer service's threads, also of clients that have left, while another key's write is answered soon; large bodies that come together; the
answer to many bad lines.

Memory is RssAnon: mapped files are the system's.
"""
import concurrent.futures
import json
import os
import socket
import statistics
import subprocess
import threading
import time

import harness
import writing

MIB = 1 << 20
LIMIT = 128  # MiB
BODY = 14 * MIB
BODIES, SENDERS = 60, 3
MOST_FOR_BODIES = 64  # MiB, the default of --max-body-bytes; as much again where they are worked on
OWN = 500  # words of a document


class Peak:
    """The most memory that a process holds, in MiB, while a block runs."""

    def __init__(self, pid):
        self.pid, self.most, self.ended = pid, 0, threading.Event()

    def look(self):
        while not self.ended.wait(0.02):
            try:
                with open(f"/proc/{self.pid}/status", encoding="ascii") as status:
                    self.most = max([self.most] + [int(line.split()[1]) // 1024 for line in status if line.startswith("RssAnon:")])
            except OSError:
                return

    def __enter__(self):
        self.looker = threading.Thread(target=self.look)
        self.looker.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.looker.join()


def own_words(setting, name, documents, first):
    path = setting.path(name)
    with open(path, "w", encoding="ascii") as file:
        for number in range(documents):
            words = " ".join("x%xq" % (first + number * OWN + word) for word in range(OWN))  # no stemmer changes them
            file.write('{"id":"%s%d","body":"%s"}\n' % (name, number, words))
    return path


def check_terms(setting, keys, key_file):
    """An `add` of 2 million new words, and a removal of a million."""
    repository = setting.path("repository")
    setting.build(repository, "c", [own_words(setting, "base", 100, 16 ** 7)], 1)
    process = setting.spawn("add", "frond-indexer", "add", "--repository", repository, "--collection", "c", "--memory-limit", f"{LIMIT}MiB",
                            "--input", own_words(setting, "more", 4000, 2 * 16 ** 7))
    with Peak(process.pid) as peak:
        code = process.wait(timeout=200)
    harness.expect(code == 0 and peak.most <= LIMIT, f"add: exit {code}, {peak.most} MiB at a limit of {LIMIT}")
    service = writing.Service(setting, repository, keys, "--api-keys", key_file, "--memory-limit", f"{LIMIT}MiB", "--refresh-ms", "3600000")
    connection = writing.http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    for number in range(2000):
        connection.request("DELETE", f"/v1/collections/c/documents/more{number}", headers={"Authorization": "Bearer " + keys["write"]})
        connection.getresponse().read()
    with Peak(service.process.pid) as peak:
        service.refresh()
    harness.expect(peak.most <= LIMIT, f"a removal: {peak.most} MiB at a limit of {LIMIT}")
    described = json.loads(service.expect(200, "GET", "/v1/collections/c"))
    harness.expect(described["documents"] == 2100 and described["terms"] == 2100 * OWN, f"{described}")
    harness.end(service.process, "the service")


def check_turns(service):
    """A key's large bodies at once: one that waits for room holds none that another waits for, which took 10 s and ended with 503."""
    large = "word " * (MIB // 10)  # few documents, which are soon worked on
    body, begun = "".join('{"id":"large%d","body":"%s"}\n' % (number, large) for number in range(30)), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(4) as senders:
        posts = [senders.submit(service.expect, 200, "POST", "/v1/collections/c/documents", body, key="write") for _ in range(4)]
    for post in posts:
        post.result()
    took = time.monotonic() - begun
    harness.expect(took < 8, f"four bodies of 15 MiB took {took:.1f} s")


def check_bodies(setting, keys, key_file):
    """A key's bodies, of clients that stay and of clients that leave at once, and another key's write meanwhile."""
    repository = setting.path("posted")
    os.mkdir(repository)
    service = writing.Service(setting, repository, keys, "--api-keys", key_file, "--memory-limit", f"{LIMIT}MiB", name="posted")
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    check_turns(service)
    lines = "".join('{"id":"%d","body":"%s"}\n' % (number, f"w{number} " * 20) for number in range(95000)).encode()[:BODY]
    body = lines[:lines.rindex(b"\n") + 1]
    head = (f"POST /v1/collections/c/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {keys['write']}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    stay = []

    def send():
        for number in range(BODIES // SENDERS):
            client = socket.create_connection(("127.0.0.1", service.port), timeout=30)
            try:
                client.sendall(head + body)
            except OSError:
                pass  # refused meanwhile
            if number % 2:
                client.close()
            else:
                stay.append(client)

    senders = [threading.Thread(target=send) for _ in range(SENDERS)]
    with Peak(service.process.pid) as peak:
        for sender in senders:
            sender.start()
        number, took = 0, []
        while any(sender.is_alive() for sender in senders):
            begun = time.monotonic()
            service.expect(200, "POST", "/v1/collections/c/documents", writing.line(f"other{number}", ["polite"]), key="other")
            took.append(time.monotonic() - begun)
            time.sleep(0.2)
            number += 1
    # One may wait for a disk that others keep busy.
    harness.expect(statistics.median(took) < 4, f"another key's writes took {took}")
    most = LIMIT + 3 * MOST_FOR_BODIES
    harness.expect(peak.most <= most, f"bodies: {peak.most} MiB instead of {most}")
    answers = [client.recv(12) for client in stay]
    codes = {answer[9:12] for answer in answers}
    harness.expect(b"200" in codes and codes <= {b"200", b"429", b"503"}, f"{answers}")
    for client in stay:
        client.close()
    harness.eventually(lambda: harness.metric(service.port, "frond_http_body_bytes", listener="public") == 0, "nothing is held")
    check_bad_lines(service)
    harness.end(service.process, "the service")


def check_bad_lines(service):
    documents = "/v1/collections/c/documents"
    answer = service.expect(200, "POST", documents, "x\n" * 99_999, key="write")
    statuses = [json.loads(line) for line in answer.splitlines()]
    harness.expect(len(answer) < 4 * MIB, f"{len(answer)} bytes for 200 kB of bad lines")
    harness.expect([one["line"] for one in statuses] == list(range(1, 100_000)) and {one["status"] for one in statuses} == {400}, f"{statuses[:3]}")
    harness.expect([number for number, one in enumerate(statuses) if "detail" in one] == list(range(100)), "not the first ones say why")
    few = service.expect(200, "POST", documents, "x\n" + writing.line("good", ["word"]) + "\n" + "y" * 5000, key="write")
    statuses = [json.loads(line) for line in few.splitlines()]
    harness.expect([one["status"] for one in statuses] == [400, 200, 400] and all(0 < len(one["detail"]) <= 400 for one in statuses[::2]), f"{few}")


def test(setting):
    keys, key_file = writing.make_keys(setting)
    other = setting.path("key-other")
    subprocess.run([setting.program("frond"), "keygen", "--api-key", "other", "--scopes", "write", "--output", other], check=True,
                   capture_output=True, timeout=60)
    with open(other + ".key", encoding="ascii") as file:
        keys["other"] = file.read().strip()
    with open(other + ".entry", encoding="ascii") as entry, open(key_file, "a", encoding="ascii") as entries:
        entries.write(entry.read())
    check_bodies(setting, keys, key_file)
    check_terms(setting, keys, key_file)
    print("terms, bodies and answers are held within their limits")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
