#!/usr/bin/env python3
"""Random orders of hits, pages behind cursors, and facets, against what a few lines of Python say of the same documents: on
one partition, and on five over two leaves, before and after documents are added and removed."""
import collections
import datetime
import functools
import json
import subprocess

import harness

DOCUMENTS, ROUNDS = 1500, 25
TYPES = {"tag": "keyword", "lang": "keyword", "year": "integer", "nums": "integer", "price": "float", "published": "date",
         "open": "boolean"}
SCHEMA = {"fields": {"title": {"type": "text"}, **{name: {"type": kind, "many": name in ("tag", "nums")} for name, kind in TYPES.items()}}}
EXTREMES = [-2**63, 2**63 - 1, 0, -1, 5, 7, 1000]


def moment(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def document(rng, number):
    """Values as lists, by field; keywords as bytes, dates as milliseconds."""
    def some(share, values):
        return sorted(set(values)) if rng.random() < share else []
    return {"id": f"d{number:05}", "words": rng.sample(["red", "fox", "deer", "owl"], rng.randint(1, 3)),
            "tag": some(0.8, rng.sample([b"red", b"Blue Sky", "日本".encode(), b""], rng.randint(1, 3))),
            "lang": some(0.7, [rng.choice([b"en", b"a\0b", b"a", b"ab", b"zz"])]), "year": some(0.9, [rng.randint(1985, 2030)]),
            "nums": some(0.6, [rng.choice(EXTREMES) for _ in range(rng.randint(1, 4))]), "price": some(0.7, [round(rng.uniform(-9, 99), 2)]),
            "published": some(0.7, [1000 * rng.randint(-10**9, 2 * 10**9)]), "open": some(0.6, [rng.random() < 0.5])}


def shown(field, value):
    if value is None:
        return None
    return value.decode() if isinstance(value, bytes) else moment(value) if field == "published" else value


def written(one):
    out = {"id": one["id"], "title": " ".join(one["words"])}
    for field in TYPES:
        values = [shown(field, value) for value in one[field]]
        if values:
            out[field] = values if field in ("tag", "nums") else values[0]
    return json.dumps(out) + "\n"


def in_order(matches, keys):
    """Of (place, document): ids and the values of the keys, in the order of (field, descending, missing first)."""
    def before(a, b):
        for (_, down, first), x, y in zip(keys, a[0], b[0]):
            if (x is None) != (y is None):
                return -1 if (x is None) == first else 1
            if x != y:
                return -1 if (x < y) != down else 1
        return a[1] - b[1]
    rows = [([(max if down else min)(one[field], default=None) for field, down, _ in keys], place, one["id"]) for place, one in matches]
    rows.sort(key=functools.cmp_to_key(before))
    return [(one, [shown(field, value) for (field, _, _), value in zip(keys, values)]) for values, _, one in rows]


def buckets(matches, field, bucket):
    counts = collections.Counter()
    for _, one in matches:
        counts.update({bucket(value) for value in one[field]})
    return counts


def start_of(unit, ms):
    day = datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).replace(hour=0, minute=0, second=0)
    first = {"day": day, "week": day - datetime.timedelta(days=day.weekday()), "month": day.replace(day=1),
             "quarter": day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1), "year": day.replace(month=1, day=1)}[unit]
    return first.strftime("%Y-%m-%dT%H:%M:%SZ")


def facets_of(rng, matches):
    """What to ask for, and the answer."""
    field, size, unit, step = rng.choice(list(TYPES)), rng.choice([1, 3, 1000]), rng.choice(["day", "week", "month", "quarter", "year"]), rng.choice([1, 3, 1000])
    bounds = sorted(rng.sample(range(-5, 1100), rng.randint(1, 5)))
    by_value = sorted(buckets(matches, field, lambda value: value).items(), key=lambda item: (-item[1], item[0]))
    ranges = buckets(matches, "nums", lambda value: sum(value >= bound for bound in bounds))
    nums = [value for _, one in matches for value in one["nums"]]
    asked = {"v": {"values": {"field": field, "size": size}}, "d": {"dates": {"field": "published", "interval": unit}},
             "h": {"histogram": {"field": "nums", "interval": step}}, "r": {"ranges": {"field": "nums", "bounds": bounds}},
             "s": {"stats": {"field": "nums"}}, "n": {"distinct": {"field": field}}}
    def missing(name):
        return sum(not one[name] for _, one in matches)
    wanted = {"v": {"buckets": [{"value": shown(field, value), "count": count} for value, count in by_value[:size]],
                    "other": sum(count for _, count in by_value[size:]), "missing": missing(field)},
              "d": {"buckets": [{"from": key, "count": count} for key, count in sorted(buckets(matches, "published", lambda ms: start_of(unit, ms)).items())],
                    "missing": missing("published")},
              "h": {"buckets": [{"from": key, "count": count} for key, count in sorted(buckets(matches, "nums", lambda n: max(n // step * step, -2**63)).items())],
                    "missing": missing("nums")},
              "r": [ranges[i] for i in range(len(bounds) + 1)], "n": {"value": len(by_value)},
              "s": [len(nums), min(nums, default=None), max(nums, default=None), float(sum(nums))]}
    return asked, wanted


def check(rng, cluster, documents):
    ask = functools.partial(post, cluster)
    for _ in range(ROUNDS):
        word, matches = rng.choice(["red", "fox", None]), list(enumerate(documents))
        query = {"words": {"text": word}} if word else {"all": {}}
        matches = [(place, one) for place, one in matches if word is None or word in one["words"]]
        keys = [(field, rng.random() < 0.5, rng.random() < 0.5) for field in rng.sample(list(TYPES), rng.randint(1, 3))]
        sort = [f"{field}:{'desc' if down else 'asc'}:{'first' if first else 'last'}" for field, down, first in keys]
        wanted, got, cursor = in_order(matches, keys), [], None
        while True:
            answer = ask({"query": query, "sort": sort, "k": rng.randint(100, 1000), **({"search_after": cursor} if cursor else {})})
            got += [(hit["id"], hit["sort"]) for hit in answer["hits"]]
            harness.expect(answer["total"] == {"value": len(matches), "relation": "eq"}, f"{query} by {sort}: total {answer['total']}, not {len(matches)}")
            cursor = answer.get("cursor")
            if cursor is None or len(got) > len(wanted):
                break
        at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), None)
        harness.expect(got == wanted, f"{query} by {sort}: {len(got)} hits of {len(wanted)}, the first wrong one {at}: {at is not None and (got[at], wanted[at])}")
        asked, counts = facets_of(rng, matches)
        answer = ask({"query": query, "k": 1, "facets": asked, **({"sort": sort} if rng.random() < 0.5 else {})})["facets"]
        answer["r"] = [bucket["count"] for bucket in answer["r"]["buckets"]]
        answer["s"] = [answer["s"]["count"], answer["s"]["min"], answer["s"]["max"], float(answer["s"]["sum"])]
        for name, want in counts.items():
            harness.expect(answer[name] == want, f"{query}, facet {asked[name]}: {answer[name]}, not {want}")


def post(cluster, body):
    status, answer = harness.fetch(cluster.http, "/v1/search", method="POST", timeout=60,
                                   body=json.dumps({"timeout_ms": 30000, **body}).encode())
    harness.expect(status == 200, f"{body}: {status} {answer[:300]}")
    return json.loads(answer)


def test(setting):
    rng = setting.rng
    documents = [document(rng, i) for i in range(DOCUMENTS)]
    fresh = [document(rng, i) for i in range(DOCUMENTS - 100, DOCUMENTS + 100)]
    gone = {one["id"] for one in rng.sample(documents + fresh, 200)}
    paths = {name: setting.path(name) for name in ("schema", "base.jsonl", "fresh.jsonl", "gone")}
    with open(paths["schema"], "w", encoding="ascii") as out:
        json.dump(SCHEMA, out)
    for name, lines in (("base.jsonl", map(written, documents)), ("fresh.jsonl", map(written, fresh)), ("gone", (one + "\n" for one in sorted(gone)))):
        with open(paths[name], "w", encoding="utf-8") as out:
            out.writelines(lines)
    renewed = {one["id"] for one in fresh}
    changed = [one for one in [one for one in documents if one["id"] not in renewed] + fresh if one["id"] not in gone]
    for partitions, leaves in ((1, 1), (5, 2)):
        repository = setting.path(f"repository{partitions}")
        setting.build(repository, "c", [paths["base.jsonl"]], partitions, schema=paths["schema"])
        cluster = harness.Cluster(setting, repository, "c", leaves, name=f"c{partitions}")
        check(rng, cluster, documents)
        for command in (["add", "--input", paths["fresh.jsonl"]], ["remove", "--ids", paths["gone"]]):
            subprocess.run([setting.program("frond-indexer"), command[0], "--repository", repository, "--collection", "c", *command[1:]],
                           check=True, capture_output=True, timeout=300)
        newest = harness.current(repository, "c")
        harness.eventually(lambda: post(cluster, {"query": {"all": {}}, "k": 1})["generation"] == newest, "the change is served", 60)
        check(rng, cluster, changed)
        cluster.stop()
    print(f"{4 * ROUNDS} orders and {24 * ROUNDS} facets of {DOCUMENTS} documents")


harness.run(test, harness.arguments(__doc__).parse_args())
