#!/usr/bin/env python3
"""Clumsy clients at the HTTP ports of a broker, a leaf and an indexer service: half requests, other protocols, lengths and chunks that lie, bad
verbs, bad escapes, huge fields, requests by the byte. Each gets a clear status in bounded time; thousands of them, thousands that leave in the
middle and thousands of pipelined ones make no process larger, and then each answers as before."""
import json
import os
import random
import re
import socket
import struct
import threading
import time

import harness
import writing
from http_clients import connect, hear_all, statuses

MIB = 1 << 20
EACH, PIPELINED, LEAVING, THREADS = 6000, 20000, 2000, 4
SLOWEST = 10.0  # seconds until an answer, on a busy machine
GROWTH = 12 * MIB
HERE = ("broker", "leaf", "indexer")


def request(line, *fields, body=b"", host=True):
    head = [line, *(["Host: a"] if host else []), *fields, "", ""]
    return "\r\n".join(head).encode("latin-1") + body


def posted(path, *fields, body):
    return request(f"POST {path} HTTP/1.1", *fields, body=body)


def chunked(body):
    return posted("/v1/search", "Transfer-Encoding: chunked", body=body)


def get(target, *fields):
    return request(f"GET {target} HTTP/1.1", *fields)


# What is sent, before the client ends its side; the statuses of the answers: at all, or at the broker, the leaf and the indexer service.
CASES = {
    "nothing": (b"", []),
    "half a request line": (b"GET /liv", []),
    "half a header": (b"GET /livez HTTP/1.1\r\nHost: a\r\nX-", []),
    "HTTP/0.9": (b"GET /livez\r\n\r\n", [400]),
    "HTTP/1.0": (request("GET /livez HTTP/1.0", host=False), [200]),
    "HTTP/1.0 that would stay": (2 * request("GET /livez HTTP/1.0", "Connection: keep-alive", host=False), [200]),
    "HTTP/1.2": (request("GET /livez HTTP/1.2"), [505]),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), [400]),
    "zeros": (bytes(100), [400]),
    "no Host": (request("GET /livez HTTP/1.1", host=False), [400]),
    "lines that end in LF": (b"GET /livez HTTP/1.1\nHost: a\n\n", [400]),
    "empty lines first": (b"\r\n\r\n" + get("/livez"), [400]),
    "HEAD": (request("HEAD /livez HTTP/1.1", "Connection: close"), [200]),
    "HEAD of nothing": (request("HEAD /nowhere HTTP/1.1", "Connection: close"), [404]),
    "BREW": (request("BREW /livez HTTP/1.1"), [405]),
    "get": (request("get /livez HTTP/1.1"), [405]),
    "TRACE": (request("TRACE /livez HTTP/1.1"), [405]),
    "CONNECT": (request("CONNECT a:443 HTTP/1.1"), [400]),
    "OPTIONS": (request("OPTIONS /livez HTTP/1.1"), [204]),
    "a verb of 5,000 letters": (request("X" * 5000 + " /livez HTTP/1.1"), [405]),
    "a body where none is taken": (posted("/livez", "Content-Length: 3", body=b"abc"), [405]),
    "a body to nowhere": (posted("/nowhere", "Content-Length: 3", body=b"abc"), [404], [404], [405]),
    "a target of 40 KB": (get("/livez?" + "a" * 40000), [414]),
    "a field of 40 KB": (get("/livez", "X: " + "a" * 40000), [431]),
    "3,000 fields": (get("/livez", *(f"X{n}: a" for n in range(3000))), [431]),
    "a field of 15 KB": (get("/livez", "X: " + "a" * 15000), [200]),
    "a whole URL": (get("http://a/livez"), [200]),
    "a target without a slash": (get("livez"), [400]),
    "a target with a space": (get("/li vez"), [400]),
    "a target in UTF-8": ("GET /caf\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n".encode(), [404]),
    "an escape that is none, in a parameter": (get("/v1/search?q=%zz"), [400], [404], [404]),
    "half an escape, in a parameter": (get("/v1/search?q=%"), [400], [404], [404]),
    "half an escape, in the path": (get("/%"), [404]),
    "an escaped zero": (get("/%00"), [404]),
    "an escape that is none, in a name": (get("/v1/collections/%zz/search"), [400], [404], [404]),
    "bytes that are no UTF-8, in a parameter": (get("/v1/search?q=%ff"), [400], [404], [404]),
    "the way out": (get("/../../etc/passwd"), [404]),
    "Expect without a body": (get("/livez", "Expect: 100-continue"), [200]),
    "Expect": (posted("/v1/search", "Expect: 100-continue", "Content-Length: 11", body=b'{"q":"abc"}'), [200], [404], [405]),
    "Expect something else": (get("/livez", "Expect: the-spanish-inquisition"), [400]),
    "a chunk of zz bytes": (chunked(b"zz\r\nabc\r\n0\r\n\r\n"), [400], [404], [405]),
    "a chunk that is longer than it says": (chunked(b"3\r\nabcdef\r\n0\r\n\r\n"), [400], [404], [405]),
    "a chunk that is shorter than it says": (chunked(b"ff\r\nabcdef\r\n0\r\n\r\n"), [], [404], [405]),
    "a chunk of 2^64 - 1 bytes": (chunked(b"ffffffffffffffff\r\nabcdef\r\n0\r\n\r\n"), [413], [404], [405]),
    "a chunk of -1 bytes": (chunked(b"-1\r\nabcdef\r\n0\r\n\r\n"), [400], [404], [405]),
    "no last chunk": (chunked(b"3\r\nabc\r\n"), [], [404], [405]),
    "gzip, chunked": (posted("/v1/search", "Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n"), [400]),
    "a length that is too large": (posted("/v1/search", "Content-Length: 100", body=b"abc"), [], [404], [405]),
    "a length of -1": (posted("/v1/search", "Content-Length: -1", body=b"abc"), [400]),
    "a length of 23 digits": (posted("/v1/search", "Content-Length: 99999999999999999999999", body=b"abc"), [413]),
    "two lengths": (posted("/v1/search", "Content-Length: 3", "Content-Length: 4", body=b"abc"), [400]),
    "a length and chunks": (posted("/v1/search", "Content-Length: 3", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"), [400]),
    "no body": (posted("/v1/search", body=b""), [400], [404], [405]),
    "a gzipped body": (posted("/v1/search", "Content-Encoding: gzip", "Content-Length: 5", body=b"\x1f\x8b\x08\0\0"), [400], [404], [405]),
    "a body of another coding": (posted("/v1/search", "Content-Encoding: br", "Content-Length: 1", body=b"a"), [415], [404], [405]),
    "a body that is no UTF-8": (posted("/v1/search", "Content-Length: 9", body=b'{"q":"\xff"}'), [400], [404], [405]),
    "a body of 50,000 brackets": (posted("/v1/search", "Content-Length: 50000", body=b"[" * 50000), [400], [404], [405]),
    "WebSocket": (get("/livez", "Connection: Upgrade", "Upgrade: websocket"), [200]),
    "a key that is none": (request("DELETE /v1/collections/c/documents/%zz HTTP/1.1", "Authorization: Basic ===="), [405], [404], [401]),
}


class Process:
    def __init__(self, name, process, port):
        self.name, self.process, self.port = name, process, port

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def alive(self):
        harness.expect(self.process.poll() is None, f"the {self.name} ended: exit {self.process.poll()}")


def wanted(case, name):
    lists = CASES[case][1:]
    return lists[HERE.index(name) if len(lists) > 1 else 0]


def expect_answer(process, case):
    """Sends a case on a connection of its own, ends this side, and reads until the server closes."""
    started = time.monotonic()
    with connect(process.port, SLOWEST) as connection:
        try:
            connection.sendall(CASES[case][0])
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it has its answer, and the server reads no more
        heard = hear_all(connection)
    what = f"{case}, at the {process.name}"
    harness.expect(time.monotonic() - started < SLOWEST, f"{what}: {time.monotonic() - started:.1f} s")
    heard = heard.removesuffix(b"(reset)").removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    if case.startswith("HEAD"):
        harness.expect(heard.endswith(b"\r\n\r\n") and heard.count(b"\r\n\r\n") == 1, f"{what}: a body: {heard[-200:]!r}")
        got = [int(heard[9:12])]
    else:
        got = statuses(heard)
    harness.expect(got == wanted(case, process.name), f"{what}: {got} instead of {wanted(case, process.name)}: {heard[:500]!r}")
    if got and got[0] >= 400 and not case.startswith("HEAD"):
        problem = json.loads(heard.partition(b"\r\n\r\n")[2])
        harness.expect(problem["status"] == got[0] and len(problem["detail"]) > 10, f"{what}: {problem}")


def whole_answers(heard, bodies):
    """The statuses of the answers that came whole."""
    found, at = [], 0
    while (end := heard.find(b"\r\n\r\n", at)) >= 0:
        head = heard[at:end]
        length = re.search(rb"(?i)\ncontent-length: *(\d+)", head)
        at = end + 4 + (int(length[1]) if length and bodies else 0)
        if at > len(heard):
            break
        if not head.startswith(b"HTTP/1.1 100 "):
            found.append(int(head[9:12]))
    return found


def reset_at_close(connection):
    """No port of this side stays in TIME_WAIT: thousands of them would be missed by other tests."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def expect_answer_soon(process, case):
    """Sends a case, reads the answers that are wanted, and resets the connection."""
    want, heard, got = wanted(case, process.name), b"", []
    with connect(process.port, SLOWEST) as connection:
        reset_at_close(connection)
        try:
            connection.sendall(CASES[case][0])
            while len(got) < len(want) and (piece := connection.recv(65536)):
                heard += piece
                got = whole_answers(heard, not case.startswith("HEAD"))
        except (BrokenPipeError, ConnectionResetError):
            got = whole_answers(heard, not case.startswith("HEAD"))
    harness.expect(got == want, f"{case}, at the {process.name}: {got} instead of {want}: {heard[:500]!r}")


def fault_of(process, case):
    try:
        expect_answer(process, case)
    except (harness.Failure, OSError, ValueError) as error:
        return f"{error}"
    return None


def on_threads(count, work):
    """Calls work(thread) on so many threads; the first failure is raised."""
    failed = []

    def guarded(number):
        try:
            work(number)
        except (harness.Failure, OSError, ValueError) as error:
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    if failed:
        raise harness.Failure(str(failed[0]))


def leave(process, rng):
    """Sends a part of a request, and resets the connection or waits for nothing."""
    data = CASES[rng.choice(list(CASES))][0]
    with connect(process.port, SLOWEST) as connection:
        try:
            connection.sendall(data[:rng.randrange(len(data) + 1)])
        except OSError:
            return
        if rng.random() < 0.95:
            reset_at_close(connection)


def pipelined(process, count):
    """Requests one behind the other on one connection, all answered in order; a bad one ends it."""
    data, of_each = b"", (b"HEAD /livez", b"GET /livez", b"GET /nowhere")
    for number in range(count):
        data += of_each[number % 3] + b" HTTP/1.1\r\nHost: a\r\n\r\n"
    data += b"GET\r\n\r\n" + get("/livez")
    with connect(process.port, 60) as connection:
        sending = threading.Thread(target=send_quietly, args=(connection, data))
        sending.start()
        heard = hear_all(connection)
        sending.join(60)
    got = [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", heard)]
    harness.expect(got == ([200, 200, 404] * count)[:count] + [400], f"pipelined at the {process.name}: {len(got)} answers, the last {got[-3:]}")


def send_quietly(connection, data):
    try:
        connection.sendall(data)
    except OSError:
        pass


def by_the_byte(process):
    """A header that comes slowly is answered 408, while others are served."""
    started, heard = time.monotonic(), b""
    with connect(process.port, 30) as connection:
        connection.settimeout(0.2)
        for byte in get("/livez", "X: " + "a" * 200):
            try:
                connection.sendall(bytes([byte]))
                heard = connection.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                pass
            break
    harness.expect(heard.startswith(b"HTTP/1.1 408 ") and time.monotonic() - started < 3 * SLOWEST,
                   f"a byte of a header now and then at the {process.name}: {heard[:100]!r} after {time.monotonic() - started:.1f} s")


def storm(processes, rng, rounds):
    """All cases in a random order, many times over, each answered as it should be."""
    names = list(CASES)

    def work(number):
        own = random.Random(rng.random())
        for _ in range(rounds // THREADS):
            for process in processes:
                expect_answer_soon(process, own.choice(names))
        for process in processes:
            for _ in range(LEAVING * rounds // EACH // THREADS):
                leave(process, own)
            for _ in range(max(1, PIPELINED * rounds // EACH // THREADS // 500)):
                pipelined(process, 500)

    on_threads(THREADS, work)


def test(setting):
    repository = setting.path("repository")
    setting.build(repository, "c", [setting.write_numbered("d", 300, lambda n: f"number {n} abc")], 1)
    cluster = harness.Cluster(setting, repository, "c", 1)
    keys, key_file = writing.make_keys(setting)
    service = writing.Service(setting, repository, keys, "--api-keys", key_file)
    processes = [Process("broker", cluster.broker, cluster.http), Process("leaf", cluster.leaves[0], cluster.leaf_http[0]),
                 Process("indexer", service.process, service.port)]
    wrong = [why for process in processes for case in CASES if (why := fault_of(process, case))]
    print(f"{len(CASES)} cases at {len(processes)} servers, {len(wrong)} answered wrongly", *wrong, sep="\n  ", flush=True)
    harness.expect(not wrong, f"{len(wrong)} cases are answered wrongly")

    failed = []
    slow = threading.Thread(target=lambda: failed.extend(slow_headers(processes)))
    slow.start()
    storm(processes, setting.rng, EACH // 6)  # buffers, caches and threads are there
    before = [process.resident() for process in processes]
    started = time.monotonic()
    storm(processes, setting.rng, EACH)
    slow.join(60)
    harness.expect(not failed, "; ".join(failed))
    for process, was in zip(processes, before):
        process.alive()
        grown = process.resident() - was
        print(f"{process.name}: {was / MIB:.1f} MiB resident, {grown / MIB:+.1f} MiB after {EACH} clumsy, {LEAVING} leaving, {PIPELINED} pipelined requests", flush=True)
        harness.expect(grown < GROWTH, f"the {process.name} grew by {grown / MIB:.1f} MiB")
        expect_answer(process, "HTTP/1.0")
    print(f"in {time.monotonic() - started:.0f} s")
    harness.expect(cluster.search("abc").whole, "a search afterwards")
    cluster.stop()
    harness.end(service.process, "the service")


def slow_headers(processes):
    try:
        on_threads(len(processes), lambda number: by_the_byte(processes[number]))
    except harness.Failure as error:
        return [str(error)]
    return []


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
