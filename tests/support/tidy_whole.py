#!/usr/bin/env python3
"""clang-tidy's checks over all of our sources, by clangd: that looks at declarations of a source only, not again at
those of every header, and takes a tenth of the time. It leaves out the static analyzer and headers, which
tests/support/tidy runs on what changed. After the release build, whose flags it uses. Exit 1 and a list of findings.

The sources of a library that may be one unit (cmake/FrondTargets.cmake) are put one behind the other and checked as one
file, so that what they include is read once.

usage: tests/support/tidy_whole.py [PATH…]     what sources begin with; default: all
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

COMMANDS = "build/commands"  # tests/support/compile_commands writes them
OURS = "build/tidy"
MAX_SOURCES = 12  # a unit, as in the presets
# Of one unit the includes are repeated, and a name may be declared twice for its use.
NOT_OF_UNITS = "readability-duplicate-include,misc-unused-using-decls,misc-unused-alias-decls"
# g++ has warnings that clang does not know, and says itself what is unused: clangd does not see what templates of headers use. What
# Highway compiles once an instruction set is read once.
EXTRA = ["-Wno-unknown-warning-option", "-Wno-unused-function", "-DHWY_COMPILE_ONLY_STATIC"]
FINDING = re.compile(r"^E\[[^\]]*\] \[([^\]]+)\] Line (\d+): (.*)")
ALONE = ("tests/", "common/codec/", "leaf/cpu/", "tools/bench/", "tools/papers/", "tools/synth/")  # UNITY_BUILD OFF there


def commands():
    """(source, its compile command), for what the release build compiles with the C++ compiler."""
    with open(f"{COMMANDS}/compile_commands.json", encoding="utf-8") as file:
        for entry in json.load(file):
            source = os.path.relpath(entry["file"])
            if source.endswith(".cc") and not source.startswith("build/"):
                yield source, entry["command"]


def flags_of(command, source):
    words = shlex.split(command)
    at = words.index("-o")
    kept = words[:at] + words[at + 2:]
    return [w for w in kept if w != "-c" and not w.endswith(source) and "ccache" not in w]


def units(folders):
    """[(flags, [source…])]"""
    together, alone, seen = {}, [], set()
    for source, command in commands():
        if source in seen or not any(source.startswith(f) for f in folders):
            continue
        seen.add(source)
        flags = flags_of(command, source)
        if source.startswith(ALONE):
            alone.append((flags, [source]))
        else:
            together.setdefault((os.path.dirname(source), tuple(flags)), []).append(source)
    for (_, flags), sources in together.items():
        for i in range(0, len(sources), MAX_SOURCES):
            alone.append((list(flags), sources[i:i + MAX_SOURCES]))
    return alone


def check(number, flags, sources):
    folder = f"{OURS}/{number}"
    os.makedirs(folder, exist_ok=True)
    file, starts = os.path.abspath(sources[0]), [(0, sources[0])]
    if len(sources) > 1:
        file = os.path.abspath(f"{folder}/{sources[0].replace('/', '_')}")
        lines, starts = [], []
        for source in sources:
            starts.append((len(lines), source))
            with open(source, encoding="utf-8") as text:
                lines += text.read().split("\n")
        with open(file, "w", encoding="utf-8") as text:
            text.write("\n".join(lines))
    with open(f"{folder}/compile_commands.json", "w", encoding="utf-8") as database:
        json.dump([{"directory": os.getcwd(), "file": file,
                    "arguments": flags + EXTRA + ["-c", file]}], database)
    if len(sources) > 1:
        with open(f"{folder}/.clang-tidy", "w", encoding="utf-8") as config, open(".clang-tidy", encoding="utf-8") as ours:
            names = "".join(f",-{name}" for name in NOT_OF_UNITS.split(","))
            config.write(re.sub(r"(readability-duplicate-include)$", r"\1" + names, ours.read(), flags=re.M))
    output = subprocess.run(["clangd-14", f"--check={file}", "--clang-tidy", "--check-lines=1-1", "--log=error",
                             "--background-index=0", f"--compile-commands-dir={folder}"],
                            capture_output=True, text=True, check=False).stderr
    findings = []
    for line in output.splitlines():
        finding = FINDING.match(line)
        if finding:
            at = int(finding[2])
            start, source = max(s for s in starts if s[0] < at)
            findings.append(f"{source}:{at - start}: {finding[3]} [{finding[1]}]")
        else:
            findings.append(f"{sources[0]}: {line}")
    return findings


def main():
    if not shutil.which("clangd-14"):
        sys.exit("tests/support/tidy_whole.py: no clangd-14 (Debian's package of that name)")
    folders = sys.argv[1:] or [""]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        work = [pool.submit(check, i, *unit) for i, unit in enumerate(units(folders))]
        for done in concurrent.futures.as_completed(work):
            for finding in done.result():
                wrong += 1
                print(finding, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
