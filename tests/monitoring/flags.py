#!/usr/bin/env python3
"""docs/operations.md lists every flag of the programs with its true default, and names no flag that does not exist.

A heading that is a command (frond-leaf, frond bench query) opens its section; the rows of the section's tables are
| flags | default | meaning |. A default may be followed by a colon and words. Flags under "All programs" belong to all. The compose files are checked too: each
flag and each FROND_ variable there must be one of its program. Exit 1 and a list of what is wrong.
"""
import argparse
import os
import re
import subprocess
import sys

from expressions import ROOT, read

MANUAL = "docs/operations.md"
COMMANDS = ("frond-leaf", "frond-broker", "frond-indexer",
            *(f"frond-indexer {c}" for c in ("build", "publish", "add", "remove", "compact", "check", "rollback", "switch", "prune", "accept-loss", "serve", "import-ciff", "export-ciff")),
            "frond", *(f"frond {c}" for c in ("search", "run", "load", "probe", "keygen", "synth")),
            *(f"frond bench {c}" for c in ("codec", "query", "cache", "schedule")), "frond-papers")
ALL = "All programs"
OPTION = re.compile(r"^  (?:-\w,)?--([a-z0-9-]+)(?:\{false\})? ?(.*?) *(?:\(Env:.*)?$")
DEFAULT = re.compile(r"=(\[[^\]]*\]|[^\s=]+)(?: \.\.\.)?(?: REQUIRED)?$")
CORES = {"cores": os.cpu_count(), "a third of the cores": max(1, os.cpu_count() // 3),
         "a quarter of the cores (1 to 8)": min(max(1, os.cpu_count() // 4), 8),
         "1 + cores / 8 (up to 4)": min(4, 1 + os.cpu_count() // 8)}
UNITS = {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
# Flags of other programs that the manual shows.
FOREIGN = set("addext bin ccache cert data-binary disable-eviction fresh-base generate key link-dest long namespace old set tag target values".split())


def helped(programs, command):
    """{flag: default, None where the help names none} of a command."""
    program, *words = command.split()
    done = subprocess.run([os.path.join(programs, program), *words, "--help"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{command} --help exited {done.returncode}: {done.stderr}")
    flags = {}
    for line in done.stdout.splitlines():
        if found := OPTION.match(line):
            default = DEFAULT.search(found[2].split(" (Env:")[0])
            flags[found[1]] = default[1] if default else None
    return {flag: default for flag, default in flags.items() if flag not in ("help", "version")}


def value(text):
    """A default in one spelling: numbers without separators and units, lists without brackets and spaces."""
    text = re.sub(r", (?=\d)", ",", text.strip().strip("`").strip("[]"))
    if text in CORES:
        return str(CORES[text])
    if found := re.fullmatch(r"(\d{1,3}(?:,\d{3})+|\d+) ?(KiB|MiB|GiB|)", text):
        return str(int(found[1].replace(",", "")) * UNITS[found[2]])
    return text


def sections(manual):
    """{command: {flag: default as written}} of the tables below headings that are commands, with commas between."""
    found, at = {}, ()
    for line in manual.splitlines():
        if heading := re.match(r"#+ (.*)$", line):
            at = [name for name in heading[1].split(", ") if name in (ALL, *COMMANDS)]
        elif row := re.match(r"\| (`--.*?) \| (.*?) \| ", line):
            for command in at:
                found.setdefault(command, {}).update({flag: row[2] for flag in re.findall(r"`--([a-z0-9-]+)`", row[1])})
    return found


def compare(command, real, written, shared):
    for flag, default in real.items():
        if flag not in written and flag not in shared:
            yield f"{command}: --{flag} is not in its table"
            continue
        said = written.get(flag, shared.get(flag))
        said = said if said.startswith("`") and said.endswith("`") else said.split(":")[0]
        if default is not None and value(said) != value(default):
            yield f"{command}: the default of --{flag} is {default}, not {said!r}"
        if default is None and re.match(r"`?[0-9]", said):
            yield f"{command}: --{flag} has no default, not {said!r}"
    for flag in written:
        if flag not in real:
            yield f"{command}: there is no --{flag}"


def compose(flags):
    for name in ("deploy/compose.yaml", "deploy/compose.gpu.yaml"):
        program = None
        for line in read(os.path.join(ROOT, name)).splitlines():
            if found := re.match(r" +- (frond[a-z-]*)$", line):
                program = found[1]
            elif (found := re.match(r" +- --([a-z0-9-]+)=", line)) and program:
                if found[1] not in flags[program]:
                    yield f"{name}: {program} has no --{found[1]}"
            elif re.match(r"  \S", line):
                program = None
            elif found := re.match(r" +FROND_(\w+):", line):
                if found[1].lower().replace("_", "-") not in flags["frond-leaf"]:
                    yield f"{name}: frond-leaf has no --{found[1].lower().replace('_', '-')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", help="the folder of the programs")
    programs = parser.parse_args().bin
    manual = read(os.path.join(ROOT, MANUAL))
    real = {command: helped(programs, command) for command in COMMANDS}
    written = sections(manual)
    shared = written.pop(ALL, {})
    wrong = [w for command in COMMANDS for w in compare(command, real[command], written.get(command, {}), shared)]
    known = {flag for flags in real.values() for flag in flags} | FOREIGN | {"help", "version"}
    wrong += [f"{MANUAL}: no program has --{flag}" for flag in sorted(set(re.findall(r"(?<![\w-])--([a-z][a-z0-9-]*)", manual)) - known)]
    of_program = {p: {f for command in COMMANDS if command.split()[0] == p for f in real[command]} for p in {c.split()[0] for c in COMMANDS}}
    wrong += compose(of_program)
    print(f"{len(COMMANDS)} commands, {sum(map(len, real.values()))} flags")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
