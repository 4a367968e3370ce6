#!/usr/bin/env python3
"""How good the rankings are: SciFact, CACM, MedQuAD and CISI through `frond run`, broker and leaves. Prints one JSON object.

For each set and analyzer one index, built with Porter and English stop words; k1 and b come with the queries. Published BM25 figures to meet
with `standard` and 0.9/0.4: SciFact nDCG@10 0.6789, recall@100 0.9253 and 838,128 tokens; CACM MAP 0.3123, P@30 0.1942.
"""
import json
import os
import subprocess
import tarfile

import data
import evaluate
import harness

MEASURES = ("ndcg@10", "map", "recall@100", "p@30")


def cacm_documents(folder):
    """Its HTML files as they are: our own reader takes the text out."""
    with tarfile.open(data.path("cacm", "cacm.tar.gz")) as tar:
        tar.extractall(folder)
    return folder


# name: its documents, made below a path; their format; topics and judgments; partitions and leaves
SETS = {
    "scifact": (lambda to: data.scifact_documents(to + ".jsonl"), "jsonl", "queries.test.tsv", "qrels.test.txt", 2, 2),
    "cacm": (cacm_documents, "files", "topics.cacm.txt", "qrels.cacm.txt", 3, 1),
    "medquad": (lambda to: data.path("medquad", "answers.jsonl.zst"), "jsonl", "topics.tsv", "qrels.txt", 2, 1),
    "cisi": (lambda to: data.path("cisi", "corpus.jsonl"), "jsonl", "topics.tsv", "qrels.txt", 2, 1),
}


def ranked(setting, cluster, topics, parameters):
    """The run of a collection's topics: {topic: [document, best first]}."""
    k1, b = parameters.split("/")
    output = setting.path("run")
    subprocess.run([setting.program("frond"), "run", "--topics", topics, "--broker", f"http://127.0.0.1:{cluster.http}", "--k", "1000",
                    "--fields", "id", "--k1", k1, "--b", b, "--mode", "or", "--timeout-ms", "20000", "--output", output], check=True)
    run = evaluate.read_run(output)
    return {topic: [os.path.basename(d).removesuffix(".html") for d in documents] for topic, documents in run.items()}


def same_top(run, reference, depth):
    """The share of the reference's topics whose first `depth` documents are the same set."""
    return sum(set(run.get(t, [])[:depth]) == set(d[:depth]) for t, d in reference.items()) / len(reference)


def measured(setting, name, source, analyzer, all_parameters):
    """{"tokens": …, "0.9/0.4": {measure: mean}, …}"""
    _, form, topics, judgments, partitions, leaves = SETS[name]
    repository = setting.path(f"{name}-{analyzer}")
    summary = setting.build(repository, name, [source], partitions, format=form, stemmer="porter", stop_words="on", analyzer=analyzer)
    cluster = harness.Cluster(setting, repository, name, leaves, name=name)
    qrels = evaluate.read_qrels(data.path(name, judgments))
    figures = {"tokens": summary["tokens"]}
    for parameters in all_parameters:
        run = ranked(setting, cluster, data.path(name, topics), parameters)
        figures[parameters] = {measure: round(evaluate.mean(run, qrels, measure), 4) for measure in MEASURES}
        if name == "cacm":
            reference = evaluate.read_run(data.path("cacm", "reference-bm25.run.txt"))
            figures[parameters]["same_top10_set"] = round(same_top(run, reference, 10), 4)
    cluster.stop()
    return figures


def test(setting):
    figures = {}
    for name in parsed.sets:
        source = SETS[name][0](setting.path(name))
        figures[name] = {analyzer: measured(setting, name, source, analyzer, parsed.parameters) for analyzer in parsed.analyzers}
    print(json.dumps(figures, indent=1))


parser = harness.arguments(__doc__)
parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
parser.add_argument("--analyzers", nargs="+", choices=("standard", "standard2", "standard3"), default=["standard"])
parser.add_argument("--parameters", nargs="+", default=["0.9/0.4"], help="of BM25, as k1/b")
parsed = parser.parse_args()
harness.run(test, parsed)
