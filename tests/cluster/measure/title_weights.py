#!/usr/bin/env python3
"""What a title's weight (the schema's `weight`) does to rankings: SciFact, CACM, MedQuAD and CISI through `frond run`, broker and leaf.
Prints one JSON object: by set and weight nDCG@10 and MAP of every second topic, by which a weight may be chosen, and of the others.

CACM's documents have no marked title; the first paragraph stands for it. Porter, English stop words, the default analyzer, k1 and b.
"""
import html
import json
import os
import re
import subprocess
import tarfile

import data
import evaluate
import harness

MEASURES = ("ndcg@10", "map")


def cacm_documents(to):
    with tarfile.open(data.path("cacm", "cacm.tar.gz")) as tar, open(to, "w", encoding="utf-8") as out:
        for member in tar:
            if not member.isfile():
                continue
            text = html.unescape(re.sub(r"<[^>]*>", " ", tar.extractfile(member).read().decode("latin-1"))).strip()
            title, _, body = text.partition("\n\n")
            out.write(json.dumps({"id": os.path.basename(member.name).removesuffix(".html"), "title": title, "body": body}) + "\n")
    return to


# name: its documents, made at a path; topics and judgments
SETS = {
    "scifact": (data.scifact_documents, "queries.test.tsv", "qrels.test.txt"),
    "cacm": (cacm_documents, "topics.cacm.txt", "qrels.cacm.txt"),
    "medquad": (lambda to: data.path("medquad", "answers.jsonl.zst"), "topics.tsv", "qrels.txt"),
    "cisi": (lambda to: data.path("cisi", "corpus.jsonl"), "topics.tsv", "qrels.txt"),
}


def run_of(setting, name, source, weight):
    schema = setting.path(f"{name}-{weight}.schema.json")
    with open(schema, "w", encoding="utf-8") as file:
        json.dump({"fields": {"title": {"type": "text", "weight": weight}, "body": {"type": "text"}}}, file)
    repository, output = setting.path(f"{name}-{weight}"), setting.path("run")
    setting.build(repository, name, [source], 2, schema=schema, stemmer="porter", stop_words="on")
    cluster = harness.Cluster(setting, repository, name, 1, name=f"{name}-{weight}")
    subprocess.run([setting.program("frond"), "run", "--topics", data.path(name, SETS[name][1]), "--broker", f"http://127.0.0.1:{cluster.http}",
                    "--k", "1000", "--fields", "id", "--mode", "or", "--timeout-ms", "20000", "--output", output], check=True)
    cluster.stop()
    return evaluate.read_run(output)


def halves(run, qrels):
    """{measure: [mean over every second topic, mean over the others]}"""
    means = {}
    for measure in MEASURES:
        values = evaluate.by_topic(run, qrels, measure)
        topics = sorted(values)
        means[measure] = [round(sum(values[t] for t in topics[i::2]) / len(topics[i::2]), 4) for i in (0, 1)]
    return means


def test(setting):
    figures = {}
    for name in parsed.sets:
        source, qrels = SETS[name][0](setting.path(name + ".jsonl")), evaluate.read_qrels(data.path(name, SETS[name][2]))
        figures[name] = {weight: halves(run_of(setting, name, source, weight), qrels) for weight in parsed.weights}
    print(json.dumps(figures, indent=1))


parser = harness.arguments(__doc__)
parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
parser.add_argument("--weights", nargs="+", type=int, default=[1, 2, 3, 5])
parsed = parser.parse_args()
harness.run(test, parsed)
