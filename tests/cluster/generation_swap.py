#!/usr/bin/env python3
"""The collection is rebuilt with other content while it is searched: every answer is of one generation and whole."""
import harness
import random_text

REBUILDS = 6


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 300)
    contents = [random_text.Collection(rng, 4000, words, name=name).write(setting.path(name + ".jsonl")) for name in "ab"]
    queries = [(q, mode, k) for q in random_text.queries(rng, words, 12) for mode in ("and", "or", "auto") for k in (3, 20)]
    repository = setting.path("repository")
    setting.build(repository, "c", [contents[0]], 4)
    cluster = harness.Cluster(setting, repository, "c", 2)
    first = harness.current(repository, "c")

    references = {first: {q: cluster.search(q[0], mode=q[1], k=q[2], cache="off").hits for q in queries}}
    watch = harness.Watch(cluster, queries, threads=3, seed=rng.randrange(2**32))
    for number in range(1, REBUILDS + 1):
        setting.build(repository, "c", [contents[number % 2]], 4)
        generation = harness.current(repository, "c")
        # By every thread of the broker, if it has several.
        harness.eventually(lambda g=generation: all(cluster.search(words[0], cache="off").generation == g for _ in range(20)),
                           f"generation {generation} is served", 60)
        if number == 1:
            references[generation] = {q: cluster.search(q[0], mode=q[1], k=q[2], cache="off").hits for q in queries}
    watch.stop()
    newest = harness.current(repository, "c")
    by_content = [references[first], references[first + 1]]
    harness.expect(by_content[0] != by_content[1], "the two contents answer alike: this test would prove nothing")
    right = watch.judge(lambda g, query, mode, k: by_content[(g - first) % 2][query, mode, k])
    harness.expect(watch.degraded == 0, f"{watch.degraded} answers were degraded by a swap")
    harness.expect(watch.errors == 0, f"{watch.errors} requests failed during swaps")
    seen = sorted({entry[0] for entry in watch.seen})
    cluster.stop()
    print(f"generations {first}..{newest}: {watch.asked} answers, {right} different, of generations {seen}, all right")


harness.run(test, harness.arguments(__doc__).parse_args())
