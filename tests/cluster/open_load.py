"""Searches that come at a rate, whether or not those before were answered, at any of several brokers; every answer is judged."""
import collections
import http.client
import json
import queue
import random
import threading
import time
import urllib.parse

import harness

DEADLINE_MS = 1000
LATE_MS = 250  # a busy machine's share of what a client sees after the deadline


class Reference:
    """What each generation answers, once it was asked for while nothing was wrong."""

    def __init__(self, queries):
        self.queries, self.content_of, self.contents = queries, {}, {}

    def learn(self, port, content):
        """Asks for all answers. `content` names what the current generation holds."""
        pages, scores = {}, {}
        for query, mode, k in self.queries:
            answers = [ask(port, query, mode, wanted, "off", 20000)[1] for wanted in (k, 1000)]
            harness.expect(not any(answer["coverage"]["degraded"] for answer in answers), "the reference is not whole")
            pages[query, mode, k] = page(answers[0])
            scores[query, mode, k] = dict(page(answers[1]))
        self.contents[content] = pages, scores
        self.content_of[int(answers[0]["generation"])] = content

    def verdict(self, query, answer):
        content = self.content_of.get(int(answer["generation"]))
        if content is None:
            return "wrong", f"generation {answer['generation']} was never published"
        pages, scores = self.contents[content]
        coverage, hits = answer["coverage"], page(answer)
        if len(coverage["degraded"]) + int(coverage["partitions_answered"]) != int(coverage["partitions_total"]):
            return "wrong", f"coverage {coverage}"
        if not coverage["degraded"] and not answer["timed_out"]:
            return ("whole", "") if hits == pages[query] else ("wrong", f"{query}: {hits} instead of {pages[query]}")
        known = all(scores[query].get(name) == score for name, score in hits)
        reasons = ",".join(sorted({lack["reason"] for lack in coverage["degraded"]}))
        return ("partial", reasons) if known else ("wrong", f"{query}: {hits} of a partial answer")


def page(answer):
    return [(hit["id"], hit["score"]) for hit in answer["hits"]]


def ask(port, query, mode, k, cache, timeout_ms, connection=None):
    connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/v1/collections/s/search?" + urllib.parse.urlencode(
        {"q": query, "mode": mode, "k": k, "cache": cache, "timeout_ms": timeout_ms}))
    reply = connection.getresponse()
    body = reply.read()
    return reply.status, json.loads(body, parse_float=str, parse_int=str)


Search = collections.namedtuple("Search", "due took_ms kind why")


class OpenLoad:
    def __init__(self, ports, reference, rate, rng, threads=96):
        self.ports, self.reference, self.rate, self.rng = ports, reference, rate, rng
        self.done, self.other_broker, self._due, self._ended = [], 0, queue.SimpleQueue(), threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(random.Random(rng.random()),), daemon=True) for _ in range(threads)]
        self._pacer = threading.Thread(target=self._pace, daemon=True)
        for thread in [*self._threads, self._pacer]:
            thread.start()

    def _pace(self):
        due = time.monotonic()
        while not self._ended.wait(max(0, due - time.monotonic())):
            self._due.put((due, self.rng.choice(self.reference.queries), self.rng.choice(("on", "off", "off", "off")), self.rng.randrange(len(self.ports))))
            due += self.rng.expovariate(self.rate)
        for _ in self._threads:
            self._due.put(None)

    def _work(self, _):
        connections = {}
        while (one := self._due.get()) is not None:
            due, query, cache, first = one
            kind, why = self._ask(connections, query, cache, first)
            took_ms = (time.monotonic() - due) * 1000
            if kind in ("whole", "partial") and took_ms > DEADLINE_MS + LATE_MS:
                kind, why = "failed", f"after {took_ms:.0f} ms"
            self.done.append(Search(due, took_ms, kind, why))

    def _ask(self, connections, query, cache, first):
        """A broker that can't be reached, or says 503, is passed over, as a load balancer does; each is tried once on a connection that was open, and once on a new one."""
        why = ""
        for attempt in range(2 * len(self.ports)):
            port = self.ports[(first + attempt // 2) % len(self.ports)]
            self.other_broker += attempt == 2
            connection = connections.pop(port, None) or http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            try:
                status, answer = ask(port, *query, cache, DEADLINE_MS, connection)
            except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
                why = f"{type(error).__name__} {error}"
                connection.close()
                continue
            connections[port] = connection
            if status == 200:
                return self.reference.verdict(query, answer)
            why = f"{status} {answer.get('detail', '')}"
            if status != 503:  # of a broker that starts or ends
                break
        return "failed", why

    def stop(self):
        self._ended.set()
        for thread in self._threads:
            thread.join(60)

    def between(self, begin, end):
        return [search for search in list(self.done) if begin <= search.due < end]


def p99(searches):
    took = sorted(search.took_ms for search in searches)
    return took[min(len(took) - 1, int(len(took) * 0.99))] if took else float("nan")
