"""The data that measurements read, and where they find it: FROND_DATA, else ../shared/data from the repository's root."""
import itertools
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))

import harness  # noqa: E402

FOLDER = os.path.abspath(os.environ.get("FROND_DATA", "../shared/data"))


def path(*parts):
    """A file of the data; ends the program with the code for "skipped" where there is none."""
    file = os.path.join(FOLDER, *parts)
    if not os.path.exists(file):
        print(f"skipped: no {file}")
        sys.exit(harness.SKIPPED)
    return file


def queries(count):
    """Real queries, half of them short and half longer."""
    found = []
    for name, share in (("terabyte05-efficiency.txt", count // 2), ("million-query-1-10000.txt", count - count // 2)):
        with open(path("queries", name), encoding="utf-8", errors="replace") as file:
            found += [line.split(":", 1)[1].strip() for line in itertools.islice(file, share)]
    return found


def scifact_documents(to):
    with open(path("scifact", "corpus.jsonl"), encoding="utf-8") as source, open(to, "w", encoding="utf-8") as out:
        for line in source:
            document = json.loads(line)
            out.write(json.dumps({"id": document["_id"], "title": document["title"], "body": document["text"]}) + "\n")
    return to


def wiki_articles():
    return path("wiki-articles.jsonl.zst")


def made_once(folder, name, command):
    """What the shell command that command() returns prints, kept in `folder`."""
    file = os.path.abspath(os.path.join(folder, name))
    if not os.path.exists(file):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["bash", "-o", "pipefail", "-c", f"{command()} > {file}.part"], check=True)
        os.rename(file + ".part", file)
    return file


def unpacked_articles(folder):
    return made_once(folder, "wiki-articles.jsonl", lambda: f"zstd -dcq --long=27 {wiki_articles()}")


def wiki_passages(folder):
    return made_once(folder, "wiki-passages.jsonl",
                     lambda: f"zstd -dcq --long=27 {wiki_articles()} | python3 {path('make-passages')}")
