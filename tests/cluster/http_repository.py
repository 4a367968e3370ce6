#!/usr/bin/env python3
"""A leaf that reads its repository over HTTP serves what one that reads the directory serves, and follows it."""
import functools
import http.server
import threading

import harness
import random_text


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    sources = [random_text.Collection(rng, 3000, words, name=name).write(setting.path(name + ".jsonl")) for name in "ab"]
    queries = random_text.queries(rng, words, 30)
    repository = setting.path("repository")
    setting.build(repository, "c", [sources[0]], 2)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=repository))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    near = harness.Cluster(setting, repository, "c", 1, name="directory")
    far = harness.Cluster(setting, f"http://127.0.0.1:{server.server_address[1]}", "c", 1, name="http")
    for number, source in enumerate((None, sources[1])):
        if source:
            setting.build(repository, "c", [source], 2)
        generation = harness.current(repository, "c")
        for cluster in (near, far):
            harness.eventually(lambda c=cluster: c.search(words[0], cache="off").generation == generation,
                               f"generation {generation} is served", 60)
        for query in queries:
            a, b = near.search(query, cache="off"), far.search(query, cache="off")
            harness.expect(a.hits == b.hits, f"{query!r}: {b.hits} over HTTP, {a.hits} from the directory")
        print(f"generation {generation}: {len(queries)} answers, all the same", flush=True)
    server.shutdown()
    harness.expect(far.search(queries[0], cache="off").whole, "the leaf depends on the repository's server to answer")
    near.stop()
    far.stop()


harness.run(test, harness.arguments(__doc__).parse_args())
