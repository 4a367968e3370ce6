#!/usr/bin/env python3
"""Who may include whom: the dependency rule, checked on the source text of every tracked and new file.

An entry "a/b": ["c/d"] reads "a/b may include c/d, and what c/d may". Everything may include common/base. Exit 1 and a list
of what is wrong.
"""
import os
import re
import subprocess
import sys

MAY_INCLUDE = {
    "common/files": [],
    "common/net": [],
    "common/config": ["common/files", "common/net", "common/objects"],
    "common/metrics": [],
    "common/tls": ["common/files"],
    "common/http": ["common/metrics", "common/net", "common/tls"],
    "common/keys": ["common/config", "common/files", "common/http", "common/metrics", "common/tls"],
    "common/text": [],
    "common/schema": ["common/text"],
    "common/query": ["common/schema", "common/scoring", "common/text"],
    "common/codec": [],
    "common/scoring": [],
    "common/elasticsearch": ["common/http", "common/query", "common/schema", "common/scoring", "common/text"],
    "common/postings": ["common/codec", "common/scoring"],
    "common/topk": ["common/scoring"],
    "common/cache": [],
    "common/partition": ["common/cache", "common/files", "common/postings", "common/schema", "common/text"],
    "common/objects": ["common/files", "common/metrics", "common/net", "common/tls"],
    "common/repository": ["common/files", "common/http", "common/net", "common/objects", "common/partition", "common/schema", "common/scoring", "common/text"],
    "common/device": [],
    "common/device_codec": ["common/codec", "common/device"],
    "common/zmtp": ["common/net"],
    "common/wire": ["common/files", "common/net", "common/query", "common/schema", "common/scoring", "common/text", "common/topk", "common/zmtp"],
    "leaf/families": [],
    "leaf/lists": [],
    "leaf/engine": ["leaf/lists"],
    "leaf/cpu": ["leaf/engine", "leaf/lists"],
    "leaf/clauses": ["leaf/cpu", "leaf/engine", "leaf/lists"],
    "leaf/collect": ["leaf/clauses", "leaf/engine"],
    "leaf/gpu": ["leaf/engine", "leaf/lists"],
    "leaf/schedule": ["leaf/engine", "leaf/families"],
    "leaf/generation": ["leaf/families"],
    "leaf/warm": ["leaf/serve", "leaf/generation", "leaf/engine", "leaf/lists", "leaf/families"],
    "leaf/serve": ["leaf/clauses", "leaf/collect", "leaf/generation", "leaf/schedule", "leaf/engine", "leaf/lists", "leaf/families"],
}
PROCESSES = ("indexer", "leaf", "broker", "tools")
# Inside these, the parts of a process may include each other's headers; leaf has the finer rule above.
FREE_INSIDE = ("indexer", "broker", "tools", "tests")
# Processes know nothing of each other, but benchmarks run parts of them in the tool's own process.
ACROSS = {
    "tools/bench": ["leaf", "leaf/clauses", "leaf/collect", "leaf/engine", "leaf/generation", "leaf/gpu", "leaf/lists", "leaf/schedule",
                    "leaf/serve"],
    "tools/papers": ["leaf", "leaf/engine", "leaf/gpu", "leaf/lists", "leaf/schedule",
                     "indexer/build", "indexer/invert", "indexer/pipeline", "indexer/runs"],
    "tools/synth": ["indexer/pipeline", "indexer/publish"],  # publishes as the indexer does
}

THIRD_PARTY = [  # what, its only folder
    (re.compile(r"rocksdb/"), ("common/partition", "indexer/write")),  # partitions; the log of changes
    (re.compile(r"capnp/|kj/"), ("common/wire",)),
    (re.compile(r"zmq\.hp?p?|zmq_addon"), ("tests",)),  # peers that are not ours
    (re.compile(r"sodium\.h"), ("common/zmtp",)),
    (re.compile(r"boost/beast"), ("common/http",)),
    (re.compile(r"openssl/"), ("common/tls",)),
    (re.compile(r"curl/|expat"), ("common/objects",)),
    (re.compile(r"cuda_runtime|cuda\.h"), ("common/device", "common/device_codec")),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def files():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True).stdout
    return [f for f in out.splitlines() if f.endswith((".cc", ".h", ".cu", ".cuh")) and os.path.exists(f)]


def folder(path):
    parts = os.path.dirname(path).split("/")
    return "/".join(parts[:2])


def reach(start):
    """All folders that `start` may include."""
    seen, todo = {start, "common/base"}, [start]
    while todo:
        for other in MAY_INCLUDE.get(todo.pop(), []):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def allowed(source, target):
    """May a file of folder `source` include one of folder `target`?"""
    top, other = source.split("/")[0], target.split("/")[0]
    if top == "tests":
        return True
    if other == "tests":
        return False
    if top == "common":
        return target in reach(source)
    if other == "common":
        return True
    if top != other:
        return target in ACROSS.get(source, [])
    if top in FREE_INSIDE or source == top:  # main.cc and the tables beside it see all parts
        return True
    return target in reach(source)


def check(path, text):
    own = folder(path)
    if path.endswith((".h", ".cuh")) and "#pragma once" not in text:
        yield "no #pragma once"
    for kind, name in INCLUDE.findall(text):
        if kind == '"':
            generated = name.endswith(".capnp.h") or os.path.exists(name + ".in")
            if not generated and not os.path.exists(name):
                yield f'includes "{name}", which is no path from the root of the repository'
                continue
            if not allowed(own, folder(name)):
                yield f'may not include "{name}": {own} does not depend on {folder(name)}'
            if name.endswith(".cuh") and not path.endswith((".cu", ".cuh")):
                yield f'includes "{name}": only .cu files include .cuh'
        elif own.split("/")[0] != "tests":
            for pattern, homes in THIRD_PARTY:
                if pattern.match(name) and own not in homes:
                    yield f"includes <{name}>, whose only place is {', '.join(homes)}"


def main():
    wrong = 0
    for path in files():
        with open(path, encoding="utf-8") as file:
            for what in check(path, file.read()):
                print(f"{path}: {what}")
                wrong += 1
    sys.exit(1 if wrong else 0)


main()
