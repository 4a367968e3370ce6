#!/usr/bin/env python3
"""Checks that every relative link of every Markdown file has a target, that every directory with a build target has a section in
docs/architecture.md, that this page names no directory and no file that does not exist, that tables are whole: each has a header, and each
row as many cells as that (a `|` in a cell is written `\\|`), and that figures are those of docs/measurements/figures.json: in Markdown
a figure is followed by its key, `54.8<!--index-stored-->`. The page of each constant of tools/plan/constants.json names its commit. Each decision has a status, and is in their index. A folder of the product has so few files that one sees them at a glance. Exit 1 and a list of what is wrong.
"""
import collections
import json
import os
import re
import subprocess
import sys

MAP = "docs/architecture.md"
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
AREAS = ("common", "indexer", "leaf", "broker")
MOST_FILES, MORE_FILES = 30, {"leaf/gpu": 40}
DECISIONS = "docs/adr/"
FIGURES = "docs/measurements/figures.json"
CONSTANTS = "tools/plan/constants.json"
NAMED_FILE = re.compile(r"`([\w./-]+\.(?:h|cc|cu|cuh|py|mjs|js|json|md|yml|yaml|capnp|txt))`")
FIGURE = re.compile(r"([^\s|;(]*)<!--([\w-]+)-->")


def tracked():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True).stdout
    return [f for f in out.splitlines() if os.path.exists(f)]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path):
    text = re.sub(r"^```.*?^```", "", read(path), flags=re.M | re.S)
    return {anchor(h) for h in re.findall(r"^#+ (.*)$", text, re.M)}


def broken_links(path):
    for target in LINK.findall(without_code(read(path))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(there):
            yield f"{path}: link to {target}: no such file"
        elif fragment and there.endswith(".md") and fragment not in anchors(there):
            yield f"{path}: link to {target}: no such heading"


def broken_tables(path):
    """A row without a header is shown as text; a cell too many is not shown at all."""
    lines = re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), read(path), flags=re.M | re.S).split("\n")
    cells = 0
    for number, line in enumerate(lines, 1):
        if not line.startswith("|"):
            cells = 0
        elif cells == 0 and not re.fullmatch(r"\|[ :|-]+\|", lines[number] if number < len(lines) else ""):
            yield f"{path}:{number}: a row of a table without a header"
            cells = -1
        else:
            has = len(re.findall(r"(?<!\\)\|", line))
            cells = cells or has
            if cells > 0 and has != cells:
                yield f"{path}:{number}: {has - 1} cells in a table of {cells - 1}"


def wrong_figures(pages, figures):
    """`pages`: the text of each page by its path; `figures`: what the file has."""
    known = {f["key"]: f for f in figures}
    seen = set()
    for page, text in pages.items():
        for shown, key in FIGURE.findall(without_code(text)):
            seen.add((page, key))
            if key not in known:
                yield f"{page}: {shown} has the key {key}, which {FIGURES} has not"
            elif shown != known[key]["value"]:
                yield f"{page}: {key} is {shown}, and {known[key]['value']} in {FIGURES}"
    if len(known) != len(figures):
        yield f"{FIGURES}: a key is there twice"
    for key, figure in known.items():
        page = "docs/measurements/" + figure["page"]
        for place in (page, "README.md"):
            if (place, key) not in seen:
                yield f"{FIGURES}: {key} is not in {place}"
        if figure["commit"] not in pages.get(page, ""):
            yield f"{FIGURES}: {page} does not name {figure['commit']}, the commit of {key}"
        if not (figure["unit"] and figure["date"] and figure["machine"]):
            yield f"{FIGURES}: {key} has no unit, date or machine"


def wrong_constants(pages, constants):
    for one in [*constants["constants"], {"name": "work", **constants["work"]}]:
        if one["commit"] not in pages.get("docs/measurements/" + one["page"], ""):
            yield f"{CONSTANTS}: {one['page']} is no page of docs/measurements that names {one['commit']}, the commit of {one['name']}"


def decisions_without_status(pages):
    index = pages.get(DECISIONS + "README.md", "")
    for page, text in pages.items():
        if page.startswith(DECISIONS + "0"):
            if not re.search(r"^Status: (holds|replaced by \[)", text, re.M):
                yield f"{page}: no line Status: holds, or replaced by [ADR N](...)"
            if f"]({os.path.basename(page)})" not in index:
                yield f"{DECISIONS}README.md: {page} is not in it"


def directories(files):
    """The directories that need a section: each part of each area, and the top folders of everything else."""
    wanted = set()
    for file in files:
        parts = file.split("/")
        if parts[0] in AREAS and len(parts) > 2:
            wanted.add("/".join(parts[:2]))
        elif parts[0] in ("cmake", "deploy", "docs", "tools", "tests") and len(parts) > 1:
            wanted.add(parts[0])
            if parts[0] == "tests" and len(parts) > 2:
                wanted.add("/".join(parts[:2]))
    return wanted


def crowded(files):
    count = collections.Counter(os.path.dirname(f) for f in files if f.split("/")[0] in (*AREAS, "tools"))
    for folder, has in count.items():
        most = MORE_FILES.get(folder, MOST_FILES)
        if has > most:
            yield f"{folder} has {has} files of its own, more than {most}: subfolders by subject"


def main():
    files = tracked()
    wrong = [w for f in files if f.endswith(".md") for w in (*broken_links(f), *broken_tables(f))]
    pages = {f: read(f) for f in files if f.endswith(".md")}
    wrong += [*wrong_figures(pages, json.loads(read(FIGURES))), *wrong_constants(pages, json.loads(read(CONSTANTS))),
              *decisions_without_status(pages), *crowded(files)]
    named = set(re.findall(r"`([\w./-]+)/`", "\n".join(re.findall(r"^#+ .*$", read(MAP), re.M))))
    wrong += [f"{MAP}: no section for {d}/" for d in sorted(directories(files) - named)]
    wrong += [f"{MAP}: has a section for {d}/, which does not exist" for d in sorted(named) if not os.path.isdir(d)]
    base_names = {os.path.basename(f) for f in files}
    wrong += [f"{MAP}: names {name}, which does not exist" for name in sorted(set(NAMED_FILE.findall(pages[MAP])))
              if name not in (files if "/" in name else base_names)]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


main()
