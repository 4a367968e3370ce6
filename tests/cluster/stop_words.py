#!/usr/bin/env python3
"""Stop words of a language and of a file are dropped by indexer, broker and snippets alike; a query of stop words only finds
nothing; `add` keeps those of the collection; a file that cannot be used ends the build with exit 2 and nothing published.
"""
import json
import os
import re
import subprocess

import document_sets as sets
import harness

DOCUMENTS = {"chat": "Le chat dort sur un lit", "chien": "Un chien et des chats", "or": "L'or des Incas"}


def write(path, documents):
    with open(path, "w", encoding="utf-8") as file:
        for name, body in documents.items():
            file.write(json.dumps({"id": name, "title": "", "body": body}) + "\n")
    return path


def analyzer(setting, collection):
    with open(setting.path(f"repository/{collection}/generations/{harness.current(setting.path('repository'), collection)}.json"),
              encoding="utf-8") as file:
        return json.load(file)["manifest"]["analyzer"]


def check_language(setting):
    source = write(setting.path("french.jsonl"), DOCUMENTS)
    # The stemmer's language is the default.
    for name, flags in {"french": ("--stemmer", "french"), "named": ("--stemmer", "french", "--stop-words", "french")}.items():
        found = sets.Found(setting, name, [source], *flags)
        sets.same(analyzer(setting, name)["stop_words"], "french", f"{name}: the manifest's stop words")
        sets.same(found.summary["tokens"], 7, f"{name}: tokens")  # chat dort lit, chien chats, or incas
        sets.same(found.ids("le chat"), ["chat", "chien"], "an article does not matter")
        sets.same(found.ids("des"), [], "a query of stop words only")
        answer = found.cluster.search("le des sur", mode="or", k=10)
        sets.same((answer.status, answer.total), (200, (0, "eq")), "a query of stop words only")
        for words, told in (("le des sur", "The query has only stop words"), ("!!", "The query has no words"), ("chien", "1 document"), ("qqq", "0 documents")):
            done = subprocess.run([setting.program("frond"), "search", "--broker", f"http://127.0.0.1:{found.cluster.http}", "--mode", "and", words],
                                  capture_output=True, text=True, timeout=60)
            harness.expect(done.returncode == 0 and told in done.stdout and ("only stop words" in done.stdout) == (words == "le des sur"), f"{words}: {done.stdout}{done.stderr}")
        sets.same(found.ids("l’or"), ["or"], "elided articles")
        marked = re.findall("<[a-z]+>([^<]*)</", found.hits("le lit")[0]["snippet"])
        sets.same(marked, ["lit"], "what a snippet marks")
        found.stop()
    added = subprocess.run([setting.program("frond-indexer"), "add", "--repository", setting.path("repository"), "--collection", "french",
                            "--json", "--input", write(setting.path("more.jsonl"), {"plus": "Le rat et les souris"})],
                           capture_output=True, text=True, timeout=100)
    sets.same(added.returncode, 0, f"add: {added.stderr}")
    sets.same(analyzer(setting, "french"), analyzer(setting, "named"), "the analyzer after add")
    sets.same(json.loads(added.stdout.splitlines()[-1])["tokens"], 9, "tokens after add")


def check_file(setting):
    source = write(setting.path("own.jsonl"), DOCUMENTS)
    path = setting.path("words.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# mine\nCHAT dort | two of them\r\n\nincas|\n")
    found = sets.Found(setting, "own", [source], "--stemmer", "none", "--stop-words", path)
    sets.same(analyzer(setting, "own")["stop_words"], ["CHAT", "dort", "incas"], "the manifest's stop words")
    sets.same(found.ids("le chat dort"), ["chat"], "the rest of the query")
    sets.same(found.ids("chat"), [], "a stop word")
    sets.same(found.ids("chats"), ["chien"], "another word")
    found.stop()


def check_refused(setting):
    source = write(setting.path("refused.jsonl"), DOCUMENTS)
    for number, (content, reason) in enumerate({"a\nb e-mail\n": "line 2: 'e-mail' is more than one word", "a\n--\n": "line 2: '--' is no word",
                                                "# nothing\n": "no stop words",
                                                "\n".join(f"w{n}" for n in range(1001)): "more than 1000 stop words"}.items()):
        path = setting.path(f"bad{number}.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        code, _, told = sets.build(setting, "refused", [source], "--stop-words", path)
        harness.expect(code == 2 and reason in told and path in told, f"{content[:20]!r}: exit {code}, {told!r}")
    code, _, told = sets.build(setting, "refused", [source], "--stop-words", "klingon")
    harness.expect(code == 2 and "'klingon' is none of auto|none|english|danish" in told, f"exit {code}, {told!r}")
    harness.expect(not os.path.exists(setting.path("repository/refused")), "something was published")


sets.run_checks(__doc__, [check_language, check_file, check_refused])
