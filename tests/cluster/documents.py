#!/usr/bin/env python3
"""Files as people have them become documents: HTML pages however they begin, JSON, CSV, wikiextractor's files, single files. A file
that cannot be read is refused with the reason and the flag that helps."""
import json
import lzma
import os
import subprocess

import document_sets as sets
import harness

BODY = "<script>var scriptword = 1;</script><table valign=top><tr><td>visible {0}</td></tr></table></body></html>"
PAGES = {  # what a page begins with; its title is "Heading <name>"
    "doctype": "<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 3.2//EN'><html><head><title>{0}</title></head><body>",
    "mark": "\ufeff\r\n<html><head><title>{0}</title></head><body>",
    "declaration": "<?xml version='1.0' encoding='utf-8'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'>"
                   "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>{0}</title></head><body>",
    "declaration-only": "<?xml version='1.0'?>\n<?xml-stylesheet href='a.xsl'?>\n<html><head><title>{0}</title></head><body>",
    "comment": "<!-- Begin header.tpl -->\n<!-- saved from url=(0044)x -->\n<html><head><title>{0}</title></head><body>",
    "head": "  \n<head>\n<title>{0}</title></head><body>",
    "nul": "\0\0<html><head><title>{0}</title></head><body>",
    "meta": "<meta http-equiv='Content-Type' content='text/html; charset=utf-8'><title>{0}</title><body>",
    "title": "<TITLE>{0}</TITLE>\r\n<body>",
    "paragraph": "<p>Hello</p><title>{0}</title>",
    "script": "<script>var scriptword = 2;</script><title>{0}</title>",
    "junk": "s<HTML>\r\n<HEAD><title>{0}</title></HEAD><body>",
    "bracket": "!DOCTYPE HTML PUBLIC '-//IETF//DTD HTML//EN'>\r\n<html><head><title>{0}</title></head><body>",
    "named.txt": "<!DOCTYPE html><title>{0}</title><body>",
    "page.html": "no tag first <title>{0}</title>",
}


def pages():
    files = {}
    for name, head in PAGES.items():
        files[name] = (head + BODY).format("heading" + name.replace(".", "").replace("-", ""))
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le"):
        files[encoding] = files["head"].replace("headinghead", "heading" + encoding.replace("-", "")).encode(encoding)
    return files


def check_pages(setting):
    files = pages()
    found = sets.Found(setting, "pages", [sets.write(setting.path("pages"), files)])
    for name in files:
        word = "heading" + name.replace(".", "").replace("-", "")
        titles = [(hit["id"], hit["title"]) for hit in found.hits(word)]
        sets.same(titles, [(name, word)], f"the page {name} by its title")
    for word in ("scriptword", "valign", "href"):
        sets.same(found.ids(word), [], f"pages with the markup {word}")
    found.stop()
    single = sets.write(setting.path("single"), {"comment": files["comment"]}) + "/comment"
    found = sets.Found(setting, "single", [single])
    sets.same([hit["title"] for hit in found.hits("visible")], ["headingcomment"], "a single page without a suffix")
    found.stop()
    print(f"{len(files)} pages, however they begin")


def check_single_files(setting):
    folder = sets.write(setting.path("files"), {
        "notes.txt": "just a line about walruses\n", "tab.txt": "Date:\ttoday\nnothing else has a tab here\nor there\n",
        "page.html": "<title>Penguins</title>swim", "read.md": "# Seals\n\ndive", "plain": "otters without a suffix",
        "packed.txt.xz": lzma.compress(b"narwhals in xz")})
    found = sets.Found(setting, "files", [f"{folder}/{name}" for name in
                                         ("notes.txt", "tab.txt", "page.html", "read.md", "plain", "packed.txt.xz")])
    for word, name in (("walruses", "notes.txt"), ("nothing", "tab.txt"), ("penguins", "page.html"), ("seals", "read.md"),
                       ("otters", "plain"), ("narwhals", "packed.txt.xz")):
        sets.same(found.ids(word), [name], f"the single file with {word}")
    found.stop()
    print("single files of text, HTML, Markdown and xz")


RECORDS = {
    "beir/corpus.jsonl": '{"_id": "s1", "title": "Beir title", "text": "lynx", "metadata": {"a": [1]}}\n',
    "lines/part-0": '{"id": 17, "title": ["two", "parts"], "contents": ["first ocelot", 2, true, null, 1.5]}\n',
    "array.json": json.dumps([{"id": "a1", "text": "caracal [x] \\"}, {"id": "a2", "text": "serval {"}], indent=1),
    "pretty.json": '{\n "id": "p1",\n "body": "margay"\n}\n{\n "id": "p2",\n "body": "kodkod"\n}\n',
    "table.csv": 'ID,Title,Text,other\r\nc1,"A ""quoted"", title","two\r\nlines of puma",x\r\nc2,,jaguar,\r\n',
    "semicolon.csv": "id;text\nc3;bobcat, with comma\n",
    "header.tsv": "id\ttitle\ttext\nh1\tHeader title\tcheetah\n",
    "marco.tsv": "D1\thttps://example.org/lion\tLion title\tlion text\nD2\thttp://example.org/\t\ttiger text\n",
    "passages.tsv": "7\tleopard passage\n8\tpanther passage\n",
    "wiki/AA/wiki_00": '<doc id="12" revid="9" url="https://w/?curid=12" title="&quot;Cats&quot; &amp; dogs">\n"Cats" & dogs\n\nCougar '
                       'text &lt;b&gt;.\n</doc>\n<doc id="13" url="https://w/?curid=13" title="Manul">\nManul\n\nPallas\n</doc>\n',
    "config/package.json": '{\n "name": "settingword",\n "version": "1"\n}\n',
    "README.md": "# About these files\n\nreadmeword",
}
WANTED = {"lynx": "s1", "ocelot": "17", "caracal": "a1", "serval": "a2", "margay": "p1", "kodkod": "p2", "puma": "c1", "jaguar": "c2",
          "bobcat": "c3", "cheetah": "h1", "lion": "D1", "tiger": "D2", "leopard": "7", "panther": "8", "cougar": "12",
          "pallas": "13", "settingword": "config/package.json", "readmeword": "README.md"}


def check_records(setting):
    found = sets.Found(setting, "records", [sets.write(setting.path("records"), RECORDS)])
    for word, wanted in WANTED.items():
        sets.same(found.ids(word), [wanted], f"documents with {word}")
    sets.same(found.summary["documents"], len(WANTED), "documents")
    sets.same(found.summary["files_read"], {"jsonl": 2, "json": 2, "tsv": 2, "csv": 3, "wikiextractor": 1, "files": 2}, "files read")
    by_id = {hit["id"]: (hit["title"], hit["url"]) for word in ("puma", "lion", "cougar", "ocelot") for hit in found.hits(word)}
    sets.same(by_id, {"c1": ('A "quoted", title', ""), "D1": ("Lion title", "https://example.org/lion"),
                      "12": ('"Cats" & dogs', "https://w/?curid=12"), "17": ("two parts", "")}, "titles and URLs")
    found.stop()
    print(f"{len(RECORDS)} files of records, of all formats, in one folder")


def check_ids(setting):
    lines = ['{"text": "gecko one"}', '{"text": "gecko two"}', '{"text": "gecko one"}', '{"id": "own", "text": "gecko"}']
    path = sets.write(setting.path("ids"), {"noids.jsonl": "\n".join(lines) + "\n"}) + "/noids.jsonl"
    code, _, told = sets.build(setting, "ids", [path], "--max-bad-records", "1")
    harness.expect(code == 1 and "record 2 at byte 22" in told and "--make-ids" in told and path in told,
                   f"records without ids: exit {code}: {told[-500:]}")
    table = sets.write(setting.path("ids"), {"noids.csv": "text\ngecko three\n"}) + "/noids.csv"
    found = sets.Found(setting, "ids", [path, table], "--make-ids")
    ids = found.ids("gecko")
    sets.same((len(ids), found.summary["duplicate_ids"], "own" in ids), (4, 1, True), "documents, duplicates, an id of its own")
    found.stop()
    again = sets.Found(setting, "again", [table, path], "--make-ids")
    sets.same(again.ids("gecko"), ids, "ids made anew, in another order")
    again.stop()
    print("ids made from the content")


HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
ODD = {  # files that other readers take, or of which most is whole
    "numbers.jsonl": '{"id": 115792089237316195423570985008687907853, "text": "ibex", "wei": 115792089237316195423570985008687907853}\n'
                     '{"id": "half", "text": "tahr \\ud83d", "preview": "\\ude00", "e": [1e400, NaN]}\n',
    "banner.jsonl": 'Exporting 1 document...\n{"id": "banner", "text": "markhor"}\n',
    "open.csv": "id,text\nopen1,argali\nopen2,\"never closed\n" + "".join(f"open{i},urial\n" for i in range(3, 1001)),
    "cranfield.xml": "<doc>\n<docno>cran1</docno>\n<title>wing</title>\n<text>chamois</text>\n</doc>\n",
    "crawl.arc": f"filedesc://x.arc 0.0.0.0 20080101000000 text/plain 8\n1 0 Org\n\nhttp://x.org/1 1.2.3.4 20080101000000 text/html "
                 f"{len(HEAD) + 5}\n{HEAD}serow\n",
    "torn.json": '[\n{"id": "torn1", "text": "goral"\n,\n{"id": "torn2", "text": "takin"}\n]',
}


def check_odd_files(setting):
    found = sets.Found(setting, "odd", [sets.write(setting.path("odd"), ODD)])
    for word, wanted in (("ibex", ["115792089237316195423570985008687907853"]), ("tahr", ["half"]), ("markhor", ["banner"]),
                         ("argali", ["open1"]), ("chamois", ["cran1"]), ("serow", ["20080101000000/http://x.org/1"]),
                         ("takin", ["torn2"])):
        sets.same(found.ids(word), wanted, f"documents with {word}")
    sets.same((found.summary["documents"], found.summary["bad_records"]), (1005, 3), "documents and bad records")
    found.stop()
    print("numbers of any size, half surrogates, banners, values without an end, ARC, tags in small letters")


def check_inputs(setting):
    """Several inputs, a repository below one, standard input, and the list of what is skipped."""
    folder = sets.write(setting.path("inputs"), {"a/x.txt": "wombat a", "b/x.txt": "wombat b", "b/y.pdf": "%PDF-1.7"})
    skipped = setting.path("skipped")
    for repository in (os.path.join(folder, "b/repository"),) * 2:
        done = subprocess.run([setting.program("frond-indexer"), "build", "--repository", repository, "--collection", "c", "--json",
                               "--skipped", skipped, "--input", folder + "/a", folder + "/b"], capture_output=True, text=True, timeout=60)
        summary = json.loads(done.stdout)
        sets.same(summary["documents"], 2, "documents of two inputs")
        sets.same(open(skipped).read(), f"repository\t{repository}/c\npdf\t{folder}/b/y.pdf\n", "the list of skipped files")
    found = sets.Found(setting, "inputs", [folder + "/a", folder + "/b"])
    sets.same(found.ids("wombat"), ["b/x.txt", "x.txt"], "ids of files of two inputs")
    found.stop()
    done = subprocess.run([setting.program("frond-indexer"), "build", "--repository", setting.path("piped"), "--collection", "c", "--json",
                           "--input", "-", "--id-field", "meta.key", "--title-field", "name", "--text-field", "parts.text",
                           "--text-field", "note", "--url-field", "link"], timeout=60, capture_output=True, text=True,
                          input='{"meta": {"key": 7}, "name": "n", "parts": [{"text": "quokka"}, {"text": "bilby"}], "note": "numbat"}\n')
    sets.same(json.loads(done.stdout)["documents"], 1, "documents from standard input")
    cluster = harness.Cluster(setting, setting.path("piped"), "c", 1, name="piped")
    for word in ("quokka", "bilby", "numbat"):
        hits = json.loads(cluster.search(word, mode="and", k=10).hits)
        sets.same([(hit["id"], hit["title"]) for hit in hits], [("7", "n")], f"the document with {word}")
    cluster.stop()
    print("several inputs, a repository among them, standard input, fields by name")


def check_refusals(setting):
    for name, content, wanted, *flags in (
            ("nested.jsonl", '{"id": "a", "text": {"en": "x"}}\n', ['"text" holds an object', "record 1 at byte 0"]),
            ("fields.jsonl", '{"id": "a", "message": "x"}\n', ['none of "contents"', "--format files", "record 1 at byte 0"]),
            ("columns.csv", "a,b\n1,2\n", ["columns (", "columns.csv"]),
            ("wide.jsonl", '{"id": "a", "text": "x"}\n'.encode("utf-16"), ["wide_records (", "wide.jsonl"]),
            ("feed.xml", "<?xml version='1.0'?><rss><channel/></rss>", ["xml (", "feed.xml"]),
            ("words.txt", "no tag\n", ["no_records (", "words.txt", "of which none begins there"], "--format", "trec"),
            ("words.jsonl", "no object\n", ["no_records (", "words.jsonl"]),
            ("torn.json", '[{"id": "a", "text": "x"', ["ends inside a JSON value"])):
        path = sets.write(setting.path("refused"), {name: content}) + "/" + name
        code, _, told = sets.build(setting, "refused", [path], *flags)
        told = told.replace('\\"', '"')
        harness.expect(code == 1 and all(word in told for word in wanted), f"{name}: exit {code}: {told[-700:]}")
    print("what cannot be read is refused, with the file and the reason")


sets.run_checks(__doc__, [check_pages, check_single_files, check_records, check_ids, check_odd_files, check_inputs, check_refusals])
