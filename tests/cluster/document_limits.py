#!/usr/bin/env python3
"""No file is skipped silently, and no document is too large: files without text are counted by reason and named, hidden files are
skipped, a NUL does not lose a text. Ids, titles and URLs have limits that lose no word. A text that grows too long is a bad record."""
import gzip
import io
import json
import os
import subprocess
import tarfile
import zipfile

import document_sets as sets
import harness


def tar(name, content):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as file:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        file.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zipped(**entries):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return packed.getvalue()


SKIPPED = {
    "pdf": {"a.pdf": b"%PDF-1.4 text"},
    "archive": {"b.zip": zipped(x="words"), "c.tar.gz": gzip.compress(tar("x.txt", b"words"))},
    "office": {"d.docx": zipped(**{"[Content_Types].xml": "<x/>"}), "e.epub": zipped(mimetype="application/epub+zip")},
    "rtf": {"f.rtf": rb"{\rtf1 words}"},
    "xml": {"g.xml": "<?xml version='1.0'?><note>words</note>", "h.svg": "<svg xmlns='x'><text>words</text></svg>"},
    "empty": {"i.txt": "", "j.txt": " \n\n"},
    "image": {"k.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"},
    "program": {"l": b"\x7fELF\2\1\1" + bytes(60)},
    "binary": {"m.dat": bytes(range(256)) * 20},
    "hidden": {".git/config": "words", ".hidden.txt": "words hiddenword"},
}


def warc_record(kind, block, **fields):
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"WARC/1.0\r\nWARC-Type: {kind}\r\n{head}Content-Length: {len(block)}\r\n\r\n{block}\r\n\r\n".encode()


def answer(content_type, body):
    return f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n{body}"


HTTP = {"WARC_Target_URI": "http://example.org/x", "Content_Type": "application/http; msgtype=response"}
ARCHIVE = {"crawl.warc.gz": b"".join(gzip.compress(record) for record in (
    warc_record("warcinfo", "software: x"),
    warc_record("response", answer("text/html", "<title>Title</title>warcword"), WARC_Record_ID="<urn:uuid:1>", **HTTP),
    warc_record("response", answer("application/pdf", "%PDF-1.4"), WARC_Record_ID="<urn:uuid:2>", **HTTP)))}
TEXTS = {"nul.txt": b"one stray\0 nulword in a text of some length", "wide.txt": "wideword in UTF-16".encode("utf-16-le"),
         "korean.txt": ("\ud55c\uad6d\uc5b4 \ubb38\uc11c \uc785\ub2c8\ub2e4 " * 20).encode("utf-16-be"), "good.txt": "goodword"}


def check_skipped(setting):
    folder = sets.write(setting.path("mixed"), {**TEXTS, **{n: c for files in SKIPPED.values() for n, c in files.items()}})
    os.symlink("good.txt", os.path.join(folder, "link.txt"))
    wanted = {reason: len(files) for reason, files in SKIPPED.items()} | {"symbolic_link": 1}
    found = sets.Found(setting, "mixed", [folder])
    counts = {reason: told["count"] for reason, told in found.summary.get("skipped", {}).items()}
    sets.same(counts, wanted, "files skipped, by reason")
    sets.same((found.summary["files_skipped"], found.summary["documents"]), (sum(wanted.values()), len(TEXTS)), "skipped, documents")
    for reason, files in SKIPPED.items():
        first = sorted({n.split("/")[0] for n in files})
        sets.same(found.summary["skipped"][reason]["examples"], [os.path.join(folder, n) for n in first], f"examples of {reason}")
    for word, name in (("nulword", "nul.txt"), ("wideword", "wide.txt"), ("\ubb38\uc11c", "korean.txt"), ("goodword", "good.txt")):
        sets.same(found.ids(word), [name], f"the text with {word}")
    found.stop()
    hidden = sets.Found(setting, "hidden", [folder], "--hidden")
    sets.same(hidden.ids("hiddenword"), [".hidden.txt"], "hidden files with --hidden")
    hidden.stop()
    told = subprocess.run([setting.program("frond-indexer"), "build", "--repository", setting.path("repository"), "--collection", "text",
                           "--input", folder], capture_output=True, text=True, timeout=300).stdout
    harness.expect(f"files skipped: {sum(wanted.values())}" in told and "1 pdf (PDF; convert" in told and "a.pdf" in told,
                   f"the summary on the terminal: {told}")
    for name in ("a.pdf", "b.zip", "i.txt"):
        code, _, told = sets.build(setting, "alone", [os.path.join(folder, name)])
        harness.expect(code == 1 and name in told and "skipped" in told, f"{name} alone: exit {code}: {told[-500:]}")
    found = sets.Found(setting, "archive", [sets.write(setting.path("archive"), ARCHIVE)])
    sets.same([(hit["id"], hit["url"], hit["title"]) for hit in found.hits("warcword")], [("urn:uuid:1", "http://example.org/x", "Title")],
              "the page of a web archive")
    sets.same((found.summary["files_read"], found.summary["records_skipped"], sorted(found.summary["skipped_records"])),
              ({"warc": 1}, 2, ["pdf", "warc_other"]), "records of a web archive skipped")
    found.stop()
    print(f"{sum(wanted.values())} files skipped for {len(wanted)} reasons, each named; {len(TEXTS)} odd texts kept")


def check_fields(setting):
    title = "firstword " + "middle " * 300000 + "lastword"
    records = [{"id": "long", "title": title, "body": "bodyword", "url": "http://x/" + "u" * 3000},
               {"id": "fits", "title": "t" * 1024, "body": "fitsword", "url": "http://x/" + "u" * 2000},
               {"id": "i" * 513, "body": "refusedword"}, {"id": "i" * 512, "body": "longid"},
               {"id": "utf8", "title": "\u00e9" * 600, "body": "accents"}]
    path = sets.write(setting.path("fields"), {"f.jsonl": "\n".join(json.dumps(r) for r in records) + "\n"}) + "/f.jsonl"
    found = sets.Found(setting, "fields", [path])
    sets.same((found.summary["documents"], found.summary["bad_records"]), (4, 1), "documents, bad records")
    sets.same(found.summary["titles_cut"], {"count": 2, "examples": [f"{path}: record 1", f"{path}: record 5"]}, "titles cut")
    sets.same(found.summary["urls_dropped"], {"count": 1, "examples": [f"{path}: record 1"]}, "URLs left out")
    harness.expect("the id has 513 bytes" in found.log, f"the long id is not reported: {found.log[-500:]}")
    for word in ("firstword", "lastword", "bodyword"):
        hit = found.hits(word)[0]
        sets.same((hit["id"], hit["url"], hit["title"]), ("long", "", ("firstword " + "middle " * 145).strip()), f"the hit for {word}")
    sets.same([len(hit["title"].encode()) <= 1024 and set(hit["title"]) == {"\u00e9"} for hit in found.hits("accents")], [True],
              "a title cut between characters")
    sets.same([(len(hit["title"]), len(hit["url"])) for hit in found.hits("fitsword")], [(1024, 2009)], "fields within the limits")
    sets.same(found.ids("longid"), ["i" * 512], "an id of 512 bytes")
    found.stop()
    print("ids, titles and URLs are held to their limits; every word is found")


UNCLOSED = {
    "tags.html": "<html><head><title>Quokka page\n<meta name=a></head><body><p>tagsbody</p></body></html>",
    "twice.html": "<title>Wombat page<title></head><body><h1>x</h1>twicebody</body>",
    "line.html": "<title>\n Numbat page\nlinebody without any tag",
    "typo.html": "<title>Bilby page</titel><body>typobody" + " filler" * 400 + "</title>",
    "svg.html": "<title>Dingo page</head><body>svgbody" + "<p>filler" * 400 + "<svg><title>drawing</title></svg>",
    "fine.html": "<title>How the <body> and <p> tags work</title><body>finebody",
}


def check_titles(setting):
    found = sets.Found(setting, "titles", [sets.write(setting.path("titles"), UNCLOSED)])
    for name, word in (("tags", "Quokka page"), ("twice", "Wombat page"), ("line", "Numbat page"), ("svg", "Dingo page"),
                       ("typo", "Bilby page"), ("fine", "How the <body> and <p> tags work")):
        hits = found.hits(name + "body")
        sets.same([(hit["id"], hit["title"]) for hit in hits], [(name + ".html", word)], f"the page {name}.html")
        harness.expect("body" in hits[0]["snippet"], f"the text of {name}.html is not its body: {hits}")
    found.stop()
    print("an unclosed title is not the page")


def check_growth(setting):
    russian = "\u0441\u043b\u043e\u0432\u043e ".encode("cp1251")
    folder = sets.write(setting.path("growth"), {"a.txt": "goodword", "large.txt": russian * (39 * 2**20 // len(russian)), "z.txt": "goodword"})
    code, summary, told = sets.build(setting, "growth", [folder])
    sets.same(code, 0, f"a build with a text that grows past the limit: {told[-500:]}")
    sets.same((summary["documents"], summary["bad_records"]), (2, 1), "documents, bad records")
    harness.expect("large.txt" in told and "longer than the limit of 64 MiB in UTF-8" in told, f"the report: {told[-500:]}")
    code, _, told = sets.build(setting, "growth", [folder], "--max-bad-records", "0")
    harness.expect(code == 1 and "--max-bad-records" in told, f"no bad record allowed: exit {code}: {told[-500:]}")
    print("39 MiB of windows-1251 are one bad record")


sets.run_checks(__doc__, [check_skipped, check_fields, check_titles, check_growth])
