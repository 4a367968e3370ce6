#!/usr/bin/env python3
"""How good a ranking is: nDCG, average precision, recall and precision of a TREC run against judgments.

usage: evaluate.py QRELS RUN [--measures ndcg@10,map,recall@100,p@30] [--topics] [--json]

QRELS: "topic iteration document grade" a line; a grade above 0 is relevant, an unjudged document is not. RUN: "topic Q0
document rank score tag" a line. Documents are taken in the order of their scores, ties in the order of their ranks.
Means are over the topics that have a relevant document; a topic without answers counts as 0 (what trec_eval calls -c).
nDCG: gain = grade, discount log2(rank + 1), ideal over the judged (Jarvelin and Kekalainen 2002).
"""
import argparse
import json
import math
import sys


def read_qrels(path):
    """{topic: {document: grade}}"""
    grades = {}
    for fields in rows(path, 4):
        grades.setdefault(fields[0], {})[fields[2]] = int(fields[3])
    return grades


def read_run(path):
    """{topic: [document, best first]}"""
    lines = {}
    for fields in rows(path, 6):
        lines.setdefault(fields[0], []).append((-float(fields[4]), int(fields[3]), fields[2]))
    return {topic: [document for _, _, document in sorted(found)] for topic, found in lines.items()}


def rows(path, columns):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            fields = line.split()
            if not fields:
                continue
            if len(fields) != columns:
                sys.exit(f"{path}:{number}: {len(fields)} columns, {columns} wanted")
            yield fields


def dcg(grades):
    return sum(max(grade, 0) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def ndcg(ranked, grades, k):
    ideal = dcg(sorted(grades.values(), reverse=True)[:k])
    return dcg([grades.get(document, 0) for document in ranked[:k]]) / ideal


def average_precision(ranked, grades, k):
    good, found, total = relevant(grades), 0, 0.0
    for rank, document in enumerate(ranked[:k], 1):
        if document in good:
            found += 1
            total += found / rank
    return total / len(good)


def recall(ranked, grades, k):
    good = relevant(grades)
    return len(good.intersection(ranked[:k])) / len(good)


def precision(ranked, grades, k):
    return len(relevant(grades).intersection(ranked[:k])) / k


def relevant(grades):
    return {document for document, grade in grades.items() if grade > 0}


MEASURES = {"ndcg": ndcg, "map": average_precision, "recall": recall, "p": precision}


def by_topic(run, qrels, measure):
    """{topic: value}; `measure` is "ndcg@10", "map", …"""
    name, _, cutoff = measure.partition("@")
    k = int(cutoff) if cutoff else sys.maxsize
    return {topic: MEASURES[name](run.get(topic, []), grades, k) for topic, grades in qrels.items() if relevant(grades)}


def mean(run, qrels, measure):
    values = by_topic(run, qrels, measure)
    return sum(values.values()) / len(values) if values else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("run")
    parser.add_argument("--measures", default="ndcg@10,map,recall@100,p@30")
    parser.add_argument("--topics", action="store_true", help="every topic's values too")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    measures = arguments.measures.split(",")
    for measure in measures:
        name, _, cutoff = measure.partition("@")
        if name not in MEASURES or (cutoff and not (cutoff.isdigit() and int(cutoff))) or (name == "p" and not cutoff):
            sys.exit(f"unknown measure {measure}")
    qrels, run = read_qrels(arguments.qrels), read_run(arguments.run)
    means = {measure: mean(run, qrels, measure) for measure in measures}
    if arguments.json:
        print(json.dumps(means))
        return
    if arguments.topics:
        values = {measure: by_topic(run, qrels, measure) for measure in measures}
        for topic in values[measures[0]]:
            print(topic, *(f"{measure} {values[measure][topic]:.4f}" for measure in measures))
    for measure, value in means.items():
        print(f"{measure:<12}{value:.4f}")


if __name__ == "__main__":
    main()
