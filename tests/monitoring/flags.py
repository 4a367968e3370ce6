#!/usr/bin/env python3
"""Flags and where they are written: docs/flags.md is what the programs say (docs/generate-flags); --help of a command shows at most 20
flags; those of the first steps in README.md are among these; operations.md and the other pages name no flag that does not exist,
nor do the compose files, where each FROND_ variable has to be a flag as well; what operations.md says of a leaf's memory has all caches. Exit 1 and a list of what is wrong.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

from expressions import ROOT, read

PROGRAMS = ("frond-leaf", "frond-broker", "frond-indexer", "frond", "frond-bench", "frond-papers")
PAGES = ("README.md", *(f"docs/{page}.md" for page in ("operations", "writing", "logs", "kubernetes", "terms", "metrics", "measuring", "input-formats", "http-api")))
MOST = 20  # flags that --help shows of a command, those of every program (--help, --config …) not counted
GENERAL = {"help", "help-all", "version", "config", "generate"}
# Flags of other programs that pages show.
FOREIGN = set("addext bin build ccache cert data-binary disable-eviction fresh-base key link-dest long namespace old out preset retry "
              "retry-all-errors retry-delay sanitizers set tag target values".split())


def said(programs):
    """{command: {flag: "needed", "shown" or "hidden"}}."""
    found = {}
    for program in PROGRAMS:
        lines = subprocess.run([os.path.join(programs, program), "--generate", "flags"], capture_output=True, text=True, check=True,
                               timeout=60)
        for line in lines.stdout.splitlines():
            command, name, shown = line.split("\t")[:3]
            if name.startswith("--"):
                found.setdefault(command, {})[name.removeprefix("--").removesuffix("{false}")] = shown
    return found


def helps(programs, flags):
    """What is wrong with --help and --help-all of each command."""
    for command, of_command in flags.items():
        program, *words = command.split()
        for flag, wanted in (("--help", {f for f, shown in of_command.items() if shown != "hidden"}), ("--help-all", set(of_command))):
            done = subprocess.run([os.path.join(programs, program), *words, flag], capture_output=True, text=True, timeout=60)
            shown = set(re.findall(r"^  (?:-\w,)?--([a-z0-9-]+)", done.stdout, re.M)) - GENERAL
            if flag == "--help-all" and not words:
                shown &= wanted  # it goes on with the commands
            if done.returncode != 0 or shown != wanted:
                yield f"{command} {flag}: shows {sorted(shown - wanted)}, and not {sorted(wanted - shown)}"
            if flag == "--help" and len(shown) > MOST:
                yield f"{command} --help shows {len(shown)} flags, more than {MOST}: mark fewer with group()"


def first_steps(flags):
    """Flags of commands in README.md that --help hides."""
    for block in re.findall(r"^```\w*\n(.*?)^```", read(os.path.join(ROOT, "README.md")), re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            for command in sorted(flags, key=len, reverse=True):
                if found := re.search(rf"(?:^|[/ ]){command} (.*)", line.split(" #")[0]):
                    for flag in re.findall(r"--([a-z0-9-]+)", found[1]):
                        if flags[command].get(flag, "shown") == "hidden":
                            yield f"README.md: {command} --help hides --{flag}"
                    break


def memory_of_leaves(flags):
    """Caches in a leaf's memory that its row in operations.md does not add up."""
    row = re.search(r"^\| a leaf's memory \|.*$", read(os.path.join(ROOT, "docs/operations.md")), re.M)[0]
    return [f"docs/operations.md: a leaf's memory has no --{flag}" for flag in flags
            if flag.endswith("-cache") and flag != "gpu-cache" and f"`--{flag}`" not in row]


def compose(of_program):
    for path in sorted(glob.glob(os.path.join(ROOT, "deploy/compose*.yaml"))):
        name, program = os.path.relpath(path, ROOT), None
        for line in read(path).splitlines():
            if found := re.match(r" +- (frond[a-z-]*)$", line):
                program = found[1]
            elif (found := re.match(r" +- --([a-z0-9-]+)=", line)) and program:
                if found[1] not in of_program[program]:
                    yield f"{name}: {program} has no --{found[1]}"
            elif re.match(r"  \S", line):
                program = None
            elif found := re.match(r" +FROND_(\w+):", line):
                if found[1].lower().replace("_", "-") not in of_program["frond-leaf"]:
                    yield f"{name}: frond-leaf has no --{found[1].lower().replace('_', '-')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", help="the folder of the programs")
    programs = parser.parse_args().bin
    flags = said(programs)
    wrong = [*helps(programs, flags), *first_steps(flags), *memory_of_leaves(flags["frond-leaf"])]
    known = {flag for of_command in flags.values() for flag in of_command} | FOREIGN | GENERAL
    for page in PAGES:
        named = set(re.findall(r"(?<![\w!-])--([a-z][a-z0-9-]*)", read(os.path.join(ROOT, page))))
        wrong += [f"{page}: no program has --{flag}" for flag in sorted(named - known)]
    wrong += compose({program: {flag for command, of_command in flags.items() if command.split()[0] == program for flag in of_command}
                      for program in PROGRAMS})
    for command, of_command in flags.items():
        print(f"{command}: --help shows {sum(shown != 'hidden' for shown in of_command.values())} of {len(of_command)} flags")
    page = subprocess.run([os.path.join(ROOT, "docs/generate-flags"), "--check", "--bin", programs], capture_output=True, text=True,
                          timeout=60)
    if page.returncode != 0:
        wrong.append(page.stdout + page.stderr)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
