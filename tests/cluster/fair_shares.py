#!/usr/bin/env python3
"""Clients share a leaf by weights: one with two connections does not wait behind the fifty of another, and of two that ask for the same
work, the one whose key has four times the weight gets about four times as much.
"""
import http.client
import multiprocessing
import subprocess
import threading
import time
import urllib.parse

import harness


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
    """`who`: an address and a key, which may be empty."""

    def __init__(self, cluster, seconds, who, connections, searches):
        self.told, self.seconds = multiprocessing.Queue(), seconds
        self.process = multiprocessing.Process(target=asks, args=(cluster.http, *who, connections, searches, time.monotonic() + seconds, self.told))
        self.process.start()

    def figures(self):
        took, statuses = self.told.get()
        self.process.join()
        at = lambda share: round(took[int(len(took) * share)], 2) if took else None
        return {"answers_per_second": round(len(took) / self.seconds, 1), "p50_ms": at(0.5), "p99_ms": at(0.99), "statuses": statuses}


def make_collection(setting, documents):
    """Searches of a rare word, and of 60 frequent ones."""
    repository, queries = setting.path("repository"), setting.path("queries")
    subprocess.run([setting.program("frond"), "synth", "--profile", "gov2", "--documents", str(documents), "--partitions", "2", "--order", "random",
                    "--repository", repository, "--collection", "c", "--queries", queries, "--seed", "1"], check=True, capture_output=True, timeout=600)
    with open(queries, encoding="ascii") as file:
        terms = sorted({term for line in file for term in line.split(":", 1)[1].split()})
    cheap = [{"q": setting.rng.choice(terms[len(terms) // 2:]), "timeout_ms": 20000} for _ in range(200)]
    dear = [{"q": " ".join(terms[number:number + 60]), "mode": "or", "timeout_ms": 20000} for number in range(40)]
    return repository, cheap, dear


def make_keys(setting, **weights):
    """The file of keys, and each key by its name."""
    keys, lines = {}, []
    for name, weight in weights.items():
        subprocess.run([setting.program("frond"), "keygen", "--api-key", name, "--scopes", "search,admin", "--weight", str(weight),
                        "--output", setting.path(name)], check=True, capture_output=True, timeout=60)
        with open(setting.path(name + ".key"), encoding="ascii") as file:
            keys[name] = file.read().strip()
        with open(setting.path(name + ".entry"), encoding="ascii") as file:
            lines.append(file.read())
    with open(setting.path("keys"), "w", encoding="ascii") as file:
        file.writelines(lines)
    return setting.path("keys"), keys


def test(setting):
    repository, cheap, dear = make_collection(setting, 60000)
    cluster = harness.Cluster(setting, repository, "c", 1)
    large, small = Client(cluster, 3, ("127.0.0.2", ""), 50, dear), Client(cluster, 3, ("127.0.0.3", ""), 2, cheap)
    large, small = large.figures(), small.figures()
    print(f"fifty connections of 60 words: {large}\ntwo of one word: {small}", flush=True)
    harness.expect(list(small["statuses"]) == [200], f"the small client got {small['statuses']}")
    harness.expect(small["p50_ms"] * 5 < large["p50_ms"], "the small client waits as the large one does")
    harness.expect(harness.metric(cluster.http, "frond_broker_clients") == 0, "clients are not forgotten")
    cluster.stop()
    file, keys = make_keys(setting, one=1, four=4)
    cluster = harness.Cluster(setting, repository, "c", 1, name="k", broker_flags=("--api-keys", file))
    one, four = (Client(cluster, 3, ("127.0.0.1", keys[name]), 20, dear) for name in ("one", "four"))
    one, four = one.figures(), four.figures()
    print(f"weight 1: {one}\nweight 4: {four}", flush=True)
    ratio = four["answers_per_second"] / one["answers_per_second"]
    harness.expect(2 < ratio < 8, f"the heavier key got {ratio:.1f} times as much")
    cluster.stop()


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
