#!/usr/bin/env python3
"""A backup made with the commands of docs/operations.md, while a generation is published, gives the answers of its generation. A
build continues from the restored backup, and older generations can be pruned.
"""
import os
import re
import subprocess

import harness
import random_text

MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "operations.md")


def shown_commands():
    """The lines of the block that begins with `from=`."""
    with open(MANUAL, encoding="utf-8") as file:
        blocks = re.findall(r"^```sh\n(.*?)^```$", file.read(), re.M | re.S)
    found = [block for block in blocks if block.startswith("from=")]
    harness.expect(len(found) == 1, "docs/operations.md shows no backup")
    return found[0].splitlines()


def shell(setting, lines, **folders):
    environment = {**os.environ, **folders, "PATH": f"{setting.programs}:{os.environ['PATH']}"}
    return subprocess.Popen(["bash", "-euc", "\n".join(lines)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def succeed(process):
    output = process.communicate(timeout=120)[0]
    harness.expect(process.returncode == 0, f"exit {process.returncode}: {output}")


def back_up_around(setting, repository, backup, meanwhile):
    """The commands, with `meanwhile` after the one that copies CURRENT."""
    lines = shown_commands()
    first = next(i for i, line in enumerate(lines) if "CURRENT" in line)
    hold = ["touch copied", "while ! [ -e go ]; do sleep 0.05; done"]
    process = shell(setting, [f"cd {setting.folder}", "rm -f copied go", *lines[:first + 1], *hold, *lines[first + 1:]],
                    R=repository, B=backup)
    harness.eventually(lambda: os.path.exists(setting.path("copied")) or process.poll() is not None, "CURRENT is copied")
    meanwhile()
    with open(setting.path("go"), "w", encoding="ascii"):
        pass
    succeed(process)


def answers(setting, repository, name, queries):
    cluster = harness.Cluster(setting, repository, "docs", 2, name=name)
    found = {q: cluster.search(q[0], mode=q[1], k=q[2]).hits for q in queries}
    cluster.stop()
    return found


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    contents = [random_text.Collection(rng, 1500, words, name=name).write(setting.path(name + ".jsonl")) for name in "abc"]
    queries = [(q, mode, 10) for q in random_text.queries(rng, words, 10) for mode in ("and", "or", "auto")]
    repository, backup, restored = (setting.path(name) for name in ("repository", "backup", "restored"))
    setting.build(repository, "docs", [contents[0]], 3)
    first = answers(setting, repository, "original", queries)

    back_up_around(setting, repository, backup, lambda: setting.build(repository, "docs", [contents[1]], 3))
    harness.expect(harness.current(repository, "docs") == 2, "the second generation is not published")
    harness.expect(harness.current(backup, "docs") == 1, "the backup is not of the generation that was current when it began")
    succeed(shell(setting, shown_commands(), R=backup, B=restored))  # back, by the same commands
    harness.expect(answers(setting, restored, "restored", queries) == first, "the restored generation answers otherwise")

    setting.build(restored, "docs", [contents[2]], 3)
    for command in (["check"], ["prune", "--keep", "0"], ["check"]):
        done = subprocess.run([setting.program("frond-indexer"), *command, "--repository", restored, "--collection", "docs"],
                              capture_output=True, text=True, timeout=120)
        harness.expect(done.returncode == 0, f"{command} after the next build: {done.stdout}{done.stderr}")
    left = len(os.listdir(os.path.join(restored, "docs", "partitions")))
    harness.expect(left == 3, f"{left} partitions are left after pruning, of the 3 that are needed")
    print(f"{len(first)} answers are the same; the next build there is generation {harness.current(restored, 'docs')}")


harness.run(test, harness.arguments(__doc__).parse_args())
