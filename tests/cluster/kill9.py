#!/usr/bin/env python3
"""kill -9 of a leaf, of the broker and of the indexer, at ten random instants each, under load: no wrong answer, no lost generation. A
whole answer must equal the reference for its generation, to the byte; an answer with unsearched partitions must list them.
"""
import subprocess
import time

import harness
import random_text


def kill_leaves(setting, cluster, probe, times):
    for _ in range(times):
        time.sleep(setting.rng.uniform(0, 0.6))
        number = setting.rng.randrange(len(cluster.leaves))
        harness.kill9(cluster.leaves[number])
        time.sleep(setting.rng.uniform(0, 0.3))
        cluster.start_leaf(number)
        harness.eventually(lambda: probe().whole, f"whole answers after the death of leaf {number}", 30)


def kill_brokers(setting, cluster, probe, times):
    for _ in range(times):
        time.sleep(setting.rng.uniform(0, 0.6))
        harness.kill9(cluster.broker)
        cluster.start_broker()
        harness.eventually(lambda: probe().whole, "whole answers after the death of the broker", 30)


def kill_builds(setting, repository, contents, content_of, length, times):
    """Builds the contents in turn and kills each build. Returns how many had published."""
    published = 0
    for _ in range(times):
        before = harness.current(repository, "c")
        content = 1 - content_of[before]
        # Until one of them is published, every build is of the same content, whatever number it takes.
        content_of.update({before + ahead: content for ahead in range(1, times + 2)})
        process = subprocess.Popen(setting.build_command(repository, "c", [contents[content]], 4),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(setting.rng.uniform(0, 0.8 * length))
        harness.kill9(process)
        now = harness.current(repository, "c")
        harness.expect(now is not None and before <= now, f"generation {before} was current, a killed build left {now}")
        published += now != before
        check = subprocess.run([setting.program("frond-indexer"), "check", "--repository", repository, "--collection", "c"],
                               capture_output=True, text=True, timeout=300)
        harness.expect(check.returncode == 0, f"after a killed build, check says: {check.stdout[-500:]}{check.stderr[-500:]}")
    return published


def test(setting, times):
    rng = setting.rng
    words = random_text.vocabulary(rng, 300)
    contents = [random_text.Collection(rng, 8000, words, name=name).write(setting.path(name + ".jsonl")) for name in "ab"]
    queries = [(q, mode, k) for q in random_text.queries(rng, words, 10) for mode in ("and", "or", "auto") for k in (3, 20)]
    repository = setting.path("repository")
    setting.build(repository, "c", [contents[0]], 4)
    cluster = harness.Cluster(setting, repository, "c", 2)

    def probe():
        return cluster.search(words[0], cache="off", timeout_ms=2000)

    def ask_all():
        return {q: cluster.search(q[0], mode=q[1], k=q[2], cache="off").hits for q in queries}

    references = [ask_all()]
    started = time.monotonic()
    setting.build(repository, "c", [contents[1]], 4)
    length = time.monotonic() - started
    generation = harness.current(repository, "c")
    harness.eventually(lambda: probe().generation == generation, "the second generation is served", 60)
    references.append(ask_all())
    harness.expect(references[0] != references[1], "the two contents answer alike: this test would prove nothing")
    content_of = {generation - 1: 0, generation: 1}

    watch = harness.Watch(cluster, queries, threads=2, seed=rng.randrange(2**32), timeout_ms=2000)
    kill_leaves(setting, cluster, probe, times)
    print(f"leaves: {times} kills", flush=True)
    kill_brokers(setting, cluster, probe, times)
    print(f"broker: {times} kills", flush=True)
    published = kill_builds(setting, repository, contents, content_of, length, times)
    print(f"indexer: {times} kills, {published} builds had published", flush=True)
    last = harness.current(repository, "c")
    harness.eventually(lambda: probe().generation == last and probe().whole, f"generation {last} is served", 60)
    watch.stop()
    final = ask_all()
    harness.expect(final == references[content_of[last]], "the last generation's answers are not its own")
    right = watch.judge(lambda g, query, mode, k: references[content_of[g]][query, mode, k])
    cluster.stop()
    print(f"{watch.asked} answers under fire, {watch.degraded} of them degraded and saying so, {watch.errors} requests refused; "
          f"{right} different whole answers, none wrong; generation {last} served")


parser = harness.arguments(__doc__)
parser.add_argument("--times", type=int, default=10, help="kills of each kind of process")
parsed = parser.parse_args()
harness.run(lambda setting: test(setting, parsed.times), parsed)
