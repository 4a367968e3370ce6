#!/usr/bin/env python3
"""How good the rankings are: SciFact and CACM through `frond run`, broker and leaves. Prints one JSON object.

k1 0.9, b 0.4, the analyzer standard, Porter, English stop words. Published BM25 figures to meet: SciFact nDCG@10 0.6789, recall@100 0.9253 and
838,128 tokens; CACM MAP 0.3123, P@30 0.1942.
"""
import json
import os
import subprocess
import tarfile

import data
import evaluate
import harness


def cacm_documents(folder):
    """Its HTML files as they are: our own reader takes the text out."""
    with tarfile.open(data.path("cacm", "cacm.tar.gz")) as tar:
        tar.extractall(folder)
    return folder


def ranked(setting, name, source, topics, k, partitions, leaves, form="jsonl"):
    """(the build's summary, the run) of a collection's topics."""
    repository, output = setting.path(name), setting.path(name + ".run")
    summary = setting.build(repository, name, [source], partitions, format=form, stemmer="porter", stop_words="on", analyzer="standard", k1=0.9, b=0.4)
    cluster = harness.Cluster(setting, repository, name, leaves, name=name)
    subprocess.run([setting.program("frond"), "run", "--topics", topics, "--broker", f"http://127.0.0.1:{cluster.http}",
                    "--k", str(k), "--mode", "or", "--timeout-ms", "10000", "--output", output], check=True)
    cluster.stop()
    run = evaluate.read_run(output)
    return summary, {topic: [os.path.basename(d).removesuffix(".html") for d in documents] for topic, documents in run.items()}


def same_top(run, reference, depth):
    """The share of the reference's topics whose first `depth` documents are the same set."""
    return sum(set(run.get(t, [])[:depth]) == set(d[:depth]) for t, d in reference.items()) / len(reference)


def test(setting):
    summary, run = ranked(setting, "scifact", data.scifact_documents(setting.path("scifact.jsonl")),
                          data.path("scifact", "queries.test.tsv"), 1000, 2, 2)
    qrels = evaluate.read_qrels(data.path("scifact", "qrels.test.txt"))
    figures = {"scifact": {"tokens": summary.get("tokens"), **{m: round(evaluate.mean(run, qrels, m), 4) for m in ("ndcg@10", "recall@100", "map")}}}
    summary, run = ranked(setting, "cacm", cacm_documents(setting.path("cacm-html")),
                          data.path("cacm", "topics.cacm.txt"), 1000, 3, 1, form="files")
    qrels = evaluate.read_qrels(data.path("cacm", "qrels.cacm.txt"))
    reference = evaluate.read_run(data.path("cacm", "reference-bm25.run.txt"))
    figures["cacm"] = {"tokens": summary.get("tokens"), **{m: round(evaluate.mean(run, qrels, m), 4) for m in ("map", "p@30")},
                       "same_top10_set": round(same_top(run, reference, 10), 4),
                       "reference_map": round(evaluate.mean(reference, qrels, "map"), 4)}
    print(json.dumps(figures, indent=1))


harness.run(test, harness.arguments(__doc__).parse_args())
