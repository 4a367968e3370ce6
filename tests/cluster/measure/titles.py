#!/usr/bin/env python3
"""How many pages of a crawl are found by their own title: success@1 and @10 of known items. Prints one JSON object.

The pages have no suffix, so the indexer must recognise HTML by how they begin. A page is searched for if Python's HTML parser finds a
title in it, and no more pages share that title than an answer has hits. `titled` counts hits that show this title. `markup_hits`
counts documents that match words of markup and scripts, which happens if a page is read as plain text.
"""
import collections
import html.parser
import json
import os
import subprocess

import data
import harness

MARKUP = ("href", "valign", "cellpadding", "doctype", "nbsp", "stylesheet")


class Titles(html.parser.HTMLParser):
    """The text of the first <title>; nothing where it is never closed."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.inside, self.text, self.found = False, [], None

    def handle_starttag(self, tag, _):
        self.inside = self.inside or (tag == "title" and self.found is None)

    def handle_endtag(self, tag):
        if tag == "title" and self.inside:
            self.inside, self.found = False, " ".join("".join(self.text).split())

    def handle_data(self, text):
        if self.inside:
            self.text.append(text)


def title_of(file):
    with open(file, "rb") as page:
        content = page.read()
    parser = Titles()
    try:
        parser.feed(content.decode("utf-8"))
    except UnicodeDecodeError:
        parser = Titles()
        parser.feed(content.decode("cp1252", errors="replace"))
    return parser.found or ""


def test(setting):
    pages = setting.path("pages")
    os.mkdir(pages)
    subprocess.run(["tar", "--zstd", "-xf", data.path("crawl", "pages.tar.zst"), "-C", pages], check=True)
    titles = {}
    for folder, _, names in os.walk(pages):
        for name in names:
            file = os.path.join(folder, name)
            titles[os.path.relpath(file, pages)] = title_of(file)
    shared = collections.Counter(titles.values())
    wanted = {page: title for page, title in titles.items() if title and shared[title] <= 10}
    summary = setting.build(setting.path("repository"), "crawl", [pages], 1, format="auto")
    cluster = harness.Cluster(setting, setting.path("repository"), "crawl", 1)
    ranks, titled = {}, 0
    for page, title in wanted.items():
        hits = json.loads(cluster.search(title, mode="or", k=10).hits)
        for rank, hit in enumerate(hits, 1):
            if hit["id"] == page:
                ranks[page] = rank
                titled += hit["title"] == title
    markup = {word: cluster.search(word, mode="or", k=1).total[0] for word in MARKUP}
    cluster.stop()
    print(json.dumps({"pages": len(titles), "documents": summary["documents"], "terms": summary["terms"], "asked": len(wanted),
                      "success@1": sum(rank == 1 for rank in ranks.values()), "success@10": len(ranks), "titled": titled,
                      "markup_hits": markup, "not_found": sorted(wanted.keys() - ranks.keys())}, indent=1))


harness.run(test, harness.arguments(__doc__).parse_args())
