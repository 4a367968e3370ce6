#!/usr/bin/env python3
"""What one client with two connections and cheap searches gets while another asks for dear ones on fifty connections: alone, beside it, and
what two clients with fifty and five connections get of the same work. Clients are told apart by address, then by key. Prints a line each.

usage: fair.py [--seconds 5] [--documents 300000] [--rounds 3]
"""
import http.client
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402

parser = harness.arguments(__doc__)
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--documents", type=int, default=300000)
parser.add_argument("--rounds", type=int, default=3)
LARGE, SMALL, FEW = 50, 2, 5


def asks(port, address, key, connections, searches, end, told):
    """A client, in a process of its own: as many connections, each one search after the other."""
    took, statuses, lock = [], {}, threading.Lock()

    def run(number):
        headers = {"Authorization": "Bearer " + key} if key else {}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120, source_address=(address, 0))
        for turn in range(1_000_000):
            begin = time.monotonic()
            if begin >= end:
                return
            connection.request("GET", "/v1/search?" + urllib.parse.urlencode({"cache": "off", **searches[(7 * number + turn) % len(searches)]}), headers=headers)
            reply = connection.getresponse()
            reply.read()
            with lock:
                statuses[reply.status] = statuses.get(reply.status, 0) + 1
                if reply.status == 200:
                    took.append((time.monotonic() - begin) * 1000)
            if reply.status == 429:
                time.sleep(0.05)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told.put((sorted(took), statuses))


class Client:
    def __init__(self, cluster, parsed, who, connections, searches):
        self.told, self.seconds = multiprocessing.Queue(), parsed.seconds
        self.process = multiprocessing.Process(target=asks, args=(cluster.http, *who, connections, searches, time.monotonic() + parsed.seconds, self.told))
        self.process.start()

    def figures(self):
        took, statuses = self.told.get()
        self.process.join()
        at = lambda share: round(took[int(len(took) * share)], 2) if took else None
        return {"answers_per_second": round(len(took) / self.seconds, 1), "p50_ms": at(0.5), "p99_ms": at(0.99), "statuses": statuses}


def kinds(setting, queries):
    with open(queries, encoding="ascii") as file:
        terms = sorted({term for line in file for term in line.split(":", 1)[1].split()})
    cheap = [{"q": setting.rng.choice(terms[len(terms) // 2:]), "timeout_ms": 20000} for _ in range(200)]
    dear = [{"q": " ".join(terms[number:number + 60]), "mode": "or"} for number in range(40)]
    return cheap, {"60 frequent words": dear, "1,000 hits of 60 words": [{**one, "k": 1000, "timeout_ms": 20000} for one in dear]}


def compare(setting, parsed, cluster, by, large, small, queries):
    cheap, dear = kinds(setting, queries)
    for number in range(parsed.rounds):
        print(json.dumps({"by": by, "round": number, "small alone": Client(cluster, parsed, small, SMALL, cheap).figures()}), flush=True)
        for name, searches in dear.items():
            clients = {"large": Client(cluster, parsed, large, LARGE, searches), "small": Client(cluster, parsed, small, SMALL, cheap)}
            print(json.dumps({"by": by, "round": number, "large asks for": name, **{who: one.figures() for who, one in clients.items()}}), flush=True)
            clients = {f"{LARGE} connections": Client(cluster, parsed, large, LARGE, searches), f"{FEW} connections": Client(cluster, parsed, small, FEW, searches)}
            print(json.dumps({"by": by, "round": number, "both ask for": name, **{who: one.figures() for who, one in clients.items()}}), flush=True)


def test(setting, parsed):
    repository, queries = setting.path("repository"), setting.path("queries")
    subprocess.run([setting.program("frond"), "synth", "--profile", "gov2", "--documents", str(parsed.documents), "--partitions", "2", "--order", "random",
                    "--repository", repository, "--collection", "c", "--queries", queries, "--seed", "1"], check=True, capture_output=True, timeout=600)
    cluster = harness.Cluster(setting, repository, "c", 1)
    compare(setting, parsed, cluster, "address", ("127.0.0.2", ""), ("127.0.0.3", ""), queries)
    cluster.stop()
    keys, lines = {}, []
    for name in ("large", "small"):
        subprocess.run([setting.program("frond"), "keygen", "--api-key", name, "--scopes", "search,admin", "--output", setting.path(name)],
                       check=True, capture_output=True, timeout=60)
        with open(setting.path(name + ".key"), encoding="ascii") as file:
            keys[name] = file.read().strip()
        with open(setting.path(name + ".entry"), encoding="ascii") as file:
            lines.append(file.read())
    with open(setting.path("keys"), "w", encoding="ascii") as file:
        file.writelines(lines)
    cluster = harness.Cluster(setting, repository, "c", 1, name="k", broker_flags=("--api-keys", setting.path("keys")))
    compare(setting, parsed, cluster, "key", ("127.0.0.1", keys["large"]), ("127.0.0.1", keys["small"]), queries)
    cluster.stop()


parsed_arguments = parser.parse_args()
harness.run(lambda setting: test(setting, parsed_arguments), parsed_arguments)
