#!/usr/bin/env python3
"""How many requests `frond-indexer serve` makes to an object store to publish a document, and how long that takes if each request takes a
while. Fails if it makes more than it needs, or waits for more answers one after the other. Also what the compactor's look after a publication
takes. With --also, other programs take turns.
"""
import os
import re
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402
import writing  # noqa: E402
from store import PLACE, faulty  # noqa: E402

LOOK = re.compile(r"prefix=deep%2Fprefix%2F(c%2F)?(&|$)")  # which collections there are
MOST = {"add": 20, "replace": 20, "remove": 20}  # requests
MOST_STEPS = 8  # answers that are waited for one after the other
STEP_MS = 15  # from one step to the next, at least, if the store takes longer for a request


class Served:
    """One folder of programs, with a store and a service."""

    def __init__(self, setting, programs, keys, key_file, number):
        self.label = programs
        own = harness.Setting(os.path.abspath(programs), setting.folder, setting.rng)
        self.store = faulty(own, PARSED.server, name=f"store{number}", conditions=PARSED.conditions)
        self.service = writing.Service(own, PLACE, keys, "--state", setting.path(f"state{number}"), *self.store.arguments(), "--api-keys", key_file,
                                       "--memory-limit", "128MiB", "--refresh-ms", "3600000", "--lease-seconds", "60", name=f"service{number}")
        setting.processes += own.processes
        self.service.expect(201, "PUT", "/v1/collections/c", key="admin")
        self.counts, self.times, self.steps, self.looks, self.published = {}, {}, {}, [], None
        self.store.say("log on")
        self.store.say(f"delay {PARSED.delay_ms}")

    def quiet(self):
        """No compaction is under way, and none begins."""
        harness.eventually(lambda: not any("/c/" in target for _, _, target in self.since(2.5)), "the store is quiet", 60)
        made = self.own(self.store.requests()[self.published:]) if self.published else []
        held = [at for at, _, target in made if "writers" in target]
        if held:
            self.looks.append((len(made), (held[-1] - held[0]) / 1000))
        if PARSED.show:
            self.show("after it", made)

    @staticmethod
    def own(requests):
        """Those of the lease, and of the looks at which collections there are, are not the publication's."""
        return [one for one in requests if "holders" not in one[2] and not LOOK.search(one[2])]

    @staticmethod
    def show(what, made):
        for at, verb, target in made:
            print(f"  {what} {at - made[0][0]:6} {verb} {target[:150]}")

    def since(self, seconds):
        now = time.monotonic()
        return [one for one in self.store.requests() if one[0] >= (now - seconds) * 1000]

    def publish(self, kind, method, path, body):
        self.quiet()
        before = len(self.store.requests())
        self.service.expect(200, method, path, body, key="write")
        begin = time.monotonic()
        self.service.refresh()
        took = time.monotonic() - begin
        self.published = len(self.store.requests())
        made = self.own(self.store.requests()[before:])
        given_up = max((number for number, (_, verb, _) in enumerate(made) if verb == "DELETE"), default=len(made))
        times = [at for at, _, _ in made[:given_up + 1]]
        steps = 1 + sum(after - at > STEP_MS for at, after in zip(times, times[1:]))
        self.counts.setdefault(kind, []).append(len(made))
        self.times.setdefault(kind, []).append(took)
        self.steps.setdefault(kind, []).append(steps)
        if PARSED.show:
            self.show("", made)
        print(f"{self.label}: {kind}: {len(made)} requests in {steps} steps, {took:.2f} s", flush=True)


def test(setting):
    keys, key_file = writing.make_keys(setting)
    all_served = [Served(setting, programs, keys, key_file, number) for number, programs in enumerate([PARSED.bin, *PARSED.also])]
    documents = "/v1/collections/c/documents"
    for number in range(PARSED.rounds):
        for served in all_served:
            served.publish("first" if number == 0 else "add", "POST", documents, writing.line(f"n{number}", ["word", f"w{number}"]))
            served.publish("replace", "POST", documents, writing.line(f"n{number}", ["word", "again"]))
            if number % 2 == 1:
                served.publish("remove", "DELETE", f"{documents}/n{number}", None)
    for served in all_served:
        for kind, counts in served.counts.items():
            print(f"{served.label}: {kind}: median {statistics.median(counts):.0f} requests, most {max(counts)}; median "
                  f"{statistics.median(served.steps[kind]):.0f} steps; median {statistics.median(served.times[kind]):.2f} s")
        if served.looks:
            print(f"{served.label}: after a publication: at most {max(one[0] for one in served.looks)} requests; the right to write is held "
                  f"{max(one[1] for one in served.looks):.2f} s")
        harness.end(served.service.process, "the service")
    for kind, most in MOST.items():
        harness.expect(statistics.median(all_served[0].counts[kind]) <= most, f"{kind}: {all_served[0].counts[kind]} requests, more than {most}")
        if PARSED.delay_ms > STEP_MS:
            steps = all_served[0].steps[kind]
            harness.expect(statistics.median(steps) <= MOST_STEPS, f"{kind}: {steps} steps, more than {MOST_STEPS}")


if __name__ == "__main__":
    parser = harness.arguments(__doc__)
    parser.add_argument("--also", nargs="*", default=[], metavar="BIN", help="folders of other programs that take turns with --bin")
    parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
    parser.add_argument("--conditions", choices=("on", "off"), default="on", help="whether the store obeys conditional writes")
    parser.add_argument("--delay-ms", type=int, default=30, help="that the store takes for a request")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="show each request")
    PARSED = parser.parse_args()
    harness.run(test, PARSED)
