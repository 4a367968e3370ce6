#!/usr/bin/env python3
"""Words that no document has, and what is like them: compared with every distance computed here, the same of 1, 2, 3 and 16
partitions and of one and two leaves; what the query becomes; nothing where all words are known or nothing is like them."""
import collections
import json
import urllib.parse

import harness

LETTERS = "abcdeéł"


def edits(a, b):
    cells = [[i + j if i == 0 or j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cells[i][j] = min(cells[i - 1][j] + 1, cells[i][j - 1] + 1, cells[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                cells[i][j] = min(cells[i][j], cells[i - 2][j - 2] + 1)
    return cells[-1][-1]


def like(word, frequencies):
    """As the answer has it: the 32 nearest, and as many of one edit; of these those with the fewest edits, in most documents."""
    most = 1 if len(word) < 6 else 2
    found = [(term, edits(word, term)) for term in frequencies if term[0] == word[0] and abs(len(term) - len(word)) <= most]
    found = sorted(((1 - e / min(len(word), len(term)), e, term) for term, e in found if 0 < e <= most), key=lambda one: (-one[0], one[2].encode()))
    kept = found[:32] + [one for one in [one for one in found if one[1] == 1][:32] if one not in found[:32]]
    kept = sorted(kept, key=lambda one: (-one[0], one[2].encode()))
    kept.sort(key=lambda one: (one[1], -frequencies[one[2]]))
    return [{"word": term, "documents": frequencies[term], "edits": e} for _, e, term in kept[:5]]


def search(cluster, query, **parameters):
    status, body = harness.fetch(cluster.http, "/v1/search?" + urllib.parse.urlencode({"q": query, "timeout_ms": 20000, **parameters}))[:2]
    harness.expect(status == 200, f"{query}: status {status}: {body[:300]!r}")
    return json.loads(body)


def test(setting):
    rng = setting.rng
    word = lambda: "".join(rng.choices(LETTERS, k=rng.randint(3, 8)))  # noqa: E731
    words = [word() for _ in range(400)]
    bodies = [" ".join(rng.choices(words, k=8)) for _ in range(300)]
    frequencies = collections.Counter(one for body in bodies for one in set(body.split()))
    source = setting.write_numbered("d", len(bodies), lambda number: bodies[number])
    known = next(iter(frequencies))
    asked = [one for one in (word() for _ in range(60)) if one not in frequencies] + ["zzzzzz", "ab"]
    for partitions in (1, 2, 3, 16):
        setting.build(setting.path("repository"), f"c{partitions}", [source], partitions, stemmer="none", stop_words="off")
        for leaves in (1, 2):
            if leaves > partitions:
                continue
            cluster = harness.Cluster(setting, setting.path("repository"), f"c{partitions}", leaves, f"c{partitions}-{leaves}")
            for one in asked:
                wanted = like(one, frequencies) if len(one) > 2 else []
                answer = search(cluster, f"{known} {one.upper()}!", did_you_mean="true")
                if not wanted:
                    harness.expect("did_you_mean" not in answer, f"{one} is like {answer.get('did_you_mean')}")
                    continue
                harness.expect(answer["did_you_mean"] == {"q": f"{known} {wanted[0]['word']}!", "words": [{"word": one, "documents": 0, "like": wanted}]},
                               f"{one} in {partitions} partitions: {answer['did_you_mean']}, not {wanted}")
            harness.expect("did_you_mean" not in search(cluster, " ".join(list(frequencies)[:20]), did_you_mean="true"), "all words are known")
            harness.expect("did_you_mean" not in search(cluster, asked[0]), "nobody asked")
            cluster.stop()


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
