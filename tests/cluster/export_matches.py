#!/usr/bin/env python3
"""frond export-matches and the tables of frond search on a whole cluster: every match once, in order, in CSV and JSON Lines, with
values as they were given; nothing is left under the file's name where it is not all; facets and cursors as people see them.
"""
import csv
import io
import json
import os
import re
import subprocess

import harness

SCHEMA = {"fields": {"title": {"type": "text"}, "body": {"type": "text"}, "tag": {"type": "keyword", "many": True}, "year": {"type": "integer"},
                     "price": {"type": "float"}, "published": {"type": "date"}, "note": {"type": "keyword"}}}
NOTES = ["plain", "with, comma", 'say "hi"', "two\nlines", "=1+1", "-2", " spaces ", "ünïcode 日本", "\\back\\", "'"]


def documents(rng, count):
    for number in range(count):
        document = {"id": f"d{number}", "title": f"Title {number}", "body": "common " + ("rare" if number % 50 == 0 else "other")}
        if rng.random() < 0.8:
            document["tag"] = rng.sample(["red", "green", "blue, sky"], rng.randint(1, 3))
        if rng.random() < 0.9:
            document["year"] = rng.randint(1990, 2030)
        if rng.random() < 0.9:
            document["price"] = rng.choice([0.1, 1e300, -2.5, 3.0, rng.random()])
        if rng.random() < 0.9:
            document["note"] = rng.choice(NOTES)
        yield document


def main():
    parsed = harness.arguments(__doc__).parse_args()

    def test(setting):
        given = list(documents(setting.rng, 4000))
        source, schema = setting.path("documents.jsonl"), setting.path("schema.json")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(document) + "\n" for document in given)
        with open(schema, "w", encoding="utf-8") as file:
            json.dump(SCHEMA, file)
        repository = setting.path("repository")
        setting.build(repository, "docs", [source], 3, schema=schema, order="input")
        cluster = harness.Cluster(setting, repository, "docs", 2, broker_flags=("--default-timeout", "20000"))

        def frond(*args):
            return subprocess.run([setting.program("frond"), args[0], "--broker", f"http://127.0.0.1:{cluster.http}", *args[1:]],
                                  capture_output=True, timeout=120)

        def export(*args):
            done = frond("export-matches", *args)
            harness.expect(done.returncode == 0, f"export-matches {args}: exit {done.returncode}: {done.stderr.decode()}")
            return done.stdout.decode()

        fields = ("id", "title", "year", "price", "tag", "note")
        lines = [json.loads(line) for line in export("--fields", ",".join(fields), "--k", "300", "common").splitlines()]
        wanted = [{field: document[field] for field in fields if field in document} for document in given]
        for one in wanted + lines:
            if "tag" in one:
                one["tag"] = sorted(one["tag"])
        by_id = {one["id"]: one for one in wanted}
        harness.expect(len(lines) == len(given) and all(by_id[one["id"]] == one for one in lines), f"JSON Lines: {len(lines)} of {len(given)}, or other values")
        harness.expect(len({one["id"] for one in lines}) == len(given), "JSON Lines: a match is there twice")

        rows = list(csv.DictReader(io.StringIO(export("--format", "csv", "--fields", "id,note,year,tag", "common"), newline="")))
        harness.expect([row["id"] for row in rows] == [one["id"] for one in lines], "CSV has another order than JSON Lines")
        for row in rows:
            one = by_id[row["id"]]
            harness.expect((row["note"], row["year"]) == (one.get("note", ""), str(one.get("year", ""))), f"CSV: {row} of {one}")
            harness.expect(sorted(json.loads(row["tag"] or "[]")) == one.get("tag", []), f"CSV: {row} of {one}")
        escaped = list(csv.DictReader(io.StringIO(export("--format", "csv", "--escape-formulas", "--fields", "note", "common"), newline="")))
        harness.expect({row["note"] for row in escaped} == {"", *NOTES} - {"=1+1", "-2"} | {"'=1+1", "'-2"}, "formulas are not escaped")

        years = [json.loads(line).get("year") for line in export("--fields", "id,year", "--sort", "year:desc", "--k", "100", "--filter", "tag:red", "common").splitlines()]
        known = [year for year in years if year is not None]
        red = [document for document in given if "red" in document.get("tag", [])]
        harness.expect(len(years) == len(red) and known == sorted(known, reverse=True) and years[:len(known)] == known, "not in the order of years")
        source_of = export("--fields", "source", "rare")
        harness.expect(sorted(json.loads(line)["source"]["id"] for line in source_of.splitlines()) == sorted(d["id"] for d in given[::50]), "sources")

        told = frond("search", "--k", "3", "--sort", "year:desc", "--facets", "tag:2,year:[2000,2010],price:stats", "common").stdout.decode()
        count = {tag: sum(tag in document.get("tag", []) for document in given) for tag in ("red", "green", "blue, sky")}
        best = max(count.values())
        harness.expect(re.search(rf"^tag\n  .*  {best}\n", told, re.M) and re.search(r"^  \(missing\) +\d+$", told, re.M), told)
        harness.expect(re.search(r"^  2000 to below 2010 +" + str(sum(2000 <= d.get("year", 0) < 2010 for d in given)) + "$", told, re.M), told)
        cursor = re.search(r"^The next page: --search-after (\S+)$", told, re.M)
        harness.expect(cursor, told)
        second = json.loads(frond("search", "--k", "3", "--sort", "year:desc", "--search-after", cursor[1], "--json", "common").stdout)
        six = json.loads(frond("search", "--k", "6", "--sort", "year:desc", "--json", "common").stdout)
        harness.expect([hit["id"] for hit in second["hits"]] == [hit["id"] for hit in six["hits"][3:]], "the cursor leads elsewhere")

        # What is not whole gets no name.
        output = setting.path("matches.csv")
        harness.kill9(cluster.leaves[1])
        done = frond("export-matches", "--retries", "0", "--output", output, "common")
        harness.expect(done.returncode == 1 and not os.path.exists(output), f"exit {done.returncode}: {done.stderr.decode()}")
        harness.expect(not [name for name in os.listdir(setting.folder) if name.startswith("matches")], "a draft is left")
        cluster.start_leaf(1)
        done = frond("export-matches", "--output", output, "common")  # tried again until the leaf is back
        with open(output, encoding="utf-8") as file:
            harness.expect(done.returncode == 0 and len(file.readlines()) == len(given), f"exit {done.returncode}: {done.stderr.decode()}")

    harness.run(test, parsed)


main()
