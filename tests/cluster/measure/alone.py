#!/usr/bin/env python3
"""A search alone, and with eight clients: latency, throughput, and the servers' processor time for it.

usage: alone.py --queries FILE --mode and --frond build/release/bin/frond NAME=URL=PID,PID ...

Brokers and leaves run already; PIDs are theirs. FILE has a query a line. Where several are named, short turns of each
follow one another, so that what else the machine does falls on all of them: the best turn, the quarter and the median
are printed. With --mode and or or; k = 10, ids and titles, no result cache. Linux (/proc/PID/task/*/schedstat)."""
import argparse
import json
import os
import socket
import subprocess
import time
import urllib.parse

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--queries", required=True)
parser.add_argument("--mode", default="and")
parser.add_argument("--frond", required=True)
parser.add_argument("--turns", type=int, default=14)
parser.add_argument("servers", nargs="+")
args = parser.parse_args()


def processor_us(pids):
    total = 0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            try:
                with open(f"/proc/{pid}/task/{task}/schedstat") as file:
                    total += int(file.read().split()[0])
            except OSError:  # the thread has ended
                pass
    return total / 1e3


class Client:
    def __init__(self, url):
        self.host = urllib.parse.urlsplit(url).netloc
        name, port = self.host.rsplit(":", 1)
        self.socket = socket.create_connection((name, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, path):
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())
        got = b""
        while b"\r\n\r\n" not in got:
            got += self.socket.recv(1 << 16)
        head, body = got.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200"), head
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        while len(body) < length:
            body += self.socket.recv(1 << 16)


with open(args.queries) as file:
    queries = [line.strip() for line in file if line.strip()]
fixed = {"mode": args.mode, "cache": "off", "k": 10, "fields": "id,title"}
paths = ["/v1/search?" + urllib.parse.urlencode(fixed | {"q": query}) for query in queries]
servers = {}
for server in args.servers:
    name, url, pids = server.split("=")
    servers[name] = (url, pids.split(","), Client(url))
load = ["--queries", args.queries, "--mode", args.mode, "--k", "10", "--fields", "id,title", "--cache", "off",
        "--concurrency", "8", "--seconds", "0.4", "--warmup", "0", "--json"]
found = {}
for turn in range(-2, args.turns):
    for name, (url, pids, client) in servers.items():
        before, took = processor_us(pids), []
        for path in paths:
            begun = time.perf_counter()
            client.ask(path)
            took.append((time.perf_counter() - begun) * 1e6)
        alone = (processor_us(pids) - before) / len(paths)
        before = processor_us(pids)
        run = subprocess.run([args.frond, "load", "--broker", url, *load], capture_output=True, text=True, check=True)
        eight = json.loads(run.stdout)
        if turn < 0:  # caches fill
            continue
        figures = {"alone, median us": sorted(took)[len(took) // 2], "alone, processor us": alone,
                   "eight, processor us": (processor_us(pids) - before) / eight["answers"],
                   "eight, us between answers": 1e6 / eight["queries_per_second"]}
        for what, figure in figures.items():
            found.setdefault((what, name), []).append(figure)
for (what, name), figures in sorted(found.items()):
    figures.sort()
    print(f"{args.mode:4} {what:26} {name:10} best {figures[0]:7.1f}  quarter {figures[len(figures) // 4]:7.1f}  "
          f"median {figures[len(figures) // 2]:7.1f}")
