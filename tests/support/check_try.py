#!/usr/bin/env python3
"""Where FROND_TRY and FROND_EXPECT_OK must not stand: behind something in a braced initializer or in a lambda's captures.

They return out of the middle of an expression. What a call was given so far is destroyed then, as g++ and clang have
it, but the parts of an object that was being made from braces, or from captures, are not: what they own is never released.
So there they may only come first; else its value is taken before. Every tracked and new source file is read. Exit 1 and
a list of what is wrong.
"""
import os
import re
import subprocess
import sys

# Numbers (with their quotes), comments, literals, then the tokens that matter.
TOKEN = re.compile(r"\b\d(?:'?[\w.])*|" + r'//[^\n]*|/\*.*?\*/|R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|\b(?:FROND_TRY|FROND_EXPECT_OK)\b|[{}()\[\],;]', re.S)
RETURNING = ("FROND_TRY", "FROND_EXPECT_OK")
CLOSING = {"{": "}", "(": ")", "[": "]"}


class Bracket:
    def __init__(self, kind):
        self.kind = kind
        self.is_block = False  # a brace with a statement in it
        self.tries = []  # (line, whether something stands before it here)
        self.has_comma = False


def faults(text):
    """Lines on which a FROND_TRY stands behind a part that would not be destroyed."""
    found, open_brackets = set(), [Bracket("")]
    for token in TOKEN.finditer(text):
        what, top = token.group(), open_brackets[-1]
        if what in RETURNING:
            line = text.count("\n", 0, token.start()) + 1
            if text.rfind("#define", text.rfind("\n", 0, token.start()) + 1, token.start()) >= 0:
                continue
            # Told to each bracket around it, up to the nearest block: which one that is, its end tells.
            for bracket in reversed(open_brackets):
                bracket.tries.append((line, bracket.has_comma and bracket.kind in ("{", "[")))
        elif what in CLOSING:
            open_brackets.append(Bracket(what))
        elif what == ",":
            top.has_comma = True
        elif what == ";":
            top.is_block = top.is_block or top.kind == "{"
            top.has_comma = False
        elif what in "})]" and len(open_brackets) > 1 and CLOSING[top.kind] == what:
            open_brackets.pop()
            if top.is_block:  # what it holds is none of what is around it
                for bracket in open_brackets:
                    del bracket.tries[len(bracket.tries) - len(top.tries):]
            else:
                found.update(line for line, behind in top.tries if behind)
    return sorted(found)


def files():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True).stdout
    return [f for f in out.splitlines() if f.endswith((".cc", ".h", ".cu", ".cuh")) and os.path.exists(f)]


def main():
    wrong = 0
    for path in files():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for line in faults(text) if any(macro in text for macro in RETURNING) else ():
            print(f"{path}:{line}: {' or '.join(RETURNING)} behind a part of a braced initializer, or of captures, that would not be destroyed: "
                  "take its value before")
            wrong += 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
