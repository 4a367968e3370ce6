#!/usr/bin/env python3
"""The indexer keeps --memory-limit, within a tenth, for any input: a small file with a huge window, long pages, long records in
several formats, more distinct terms than fit, 400,000 small documents. Input that cannot be read within the limit is refused by
name.

The limit is of resident memory; the test reads each build's peak from the system. --only CASE runs one case.
"""
import itertools
import json
import lzma
import multiprocessing
import os
import random
import shutil
import struct
import time

import harness

MIB = 1 << 20
LIMIT = 128 * MIB
TOLERANCE = 1.1
WIDE_WINDOW_LOG = 31  # of zstd --long=31


def spans(rng, words, count, length):
    """So many pieces of a text of these words, with their numbers; the text comes again where pieces are longer."""
    weights = list(itertools.accumulate(1 / (place + 1) for place in range(len(words))))
    text = " ".join(rng.choices(words, cum_weights=weights, k=300_000)) + " "
    text *= length // len(text) + 2
    for number in range(count):
        at = text.index(" ", rng.randrange(len(text) - length - 32)) + 1
        yield number, text[at:at + length]


def made_up_words(rng, letters, lengths, count):
    return ["".join(rng.choices(letters, k=rng.choice(lengths))) for _ in range(count)]


def latin(rng, count):
    return made_up_words(rng, "abcdefghijklmnopqrstuvwxyz", range(3, 10), count)


# Inputs. Each makes a file or folder and says its path.

def wide_window(rng, folder):
    """76 KiB that become 2.4 GB: lines of spaces, in a frame whose window is as long as zstd's --long=31 has it."""
    path = os.path.join(folder, "wide.jsonl.zst")

    def block(kind, size, content):
        return struct.pack("<I", size << 3 | kind << 1)[:3] + content

    with open(path, "wb") as file:
        file.write(b"\x28\xb5\x2f\xfd\x00" + bytes([WIDE_WINDOW_LOG - 10 << 3]))
        for number in range(190):
            head, end = b'{"id":"%d","body":"' % number, b'word"}\n'
            file.write(block(0, len(head), head) + 100 * block(1, 128 << 10, b" ") + block(0, len(end), end))
        file.write(b"\x01\x00\x00")
    return path


def pages(rng, folder):
    path = os.path.join(folder, "pages")
    os.mkdir(path)
    words = latin(rng, 20_000)
    for page in range(2):
        with open(os.path.join(path, f"{page}.html"), "w", encoding="ascii") as file:
            file.write("<!DOCTYPE html><html><head><title>A long page</title></head><body>\n")
            for number, text in spans(rng, words, 15 * MIB // 180, 100):
                file.write(f'<div class="row"><p>{text[:70]} <a href="/x/{number}">{text[70:90]}</a> <b>{text[90:]}</b></p></div>\n')
            file.write("</body></html>\n")
    with open(os.path.join(path, "short.html"), "w", encoding="ascii") as file:
        file.write("<!DOCTYPE html><title>A short page</title><p>among long ones\n")
    return path


def wide_dictionary(rng, folder):
    """xz as xz -9 has it."""
    path = os.path.join(folder, "wide.jsonl.xz")
    with lzma.open(path, "wt", preset=9, encoding="ascii") as file:
        file.write('{"id":"1","body":"word"}\n')
    return path


def write_documents(path, texts):
    with open(path, "w", encoding="utf-8") as file:
        for number, text in texts:
            file.write('{"id":"%d","body":"%s"}\n' % (number, text))
    return path


def long_records(rng, folder):
    texts = itertools.chain(spans(rng, latin(rng, 50_000), 8, 47_000_000), [(8, "a short one")])
    return write_documents(os.path.join(folder, "long.jsonl"), texts)


def records_at_the_limit(rng, folder):
    return write_documents(os.path.join(folder, "limit.jsonl"), spans(rng, latin(rng, 50_000), 8, LIMIT // 16 - 4096))


def characters_of_words(rng, folder):
    """Texts without a space, of characters that are words to the analyzer, or become them."""
    return write_documents(os.path.join(folder, "characters.jsonl"),
                           ((number, one * ((LIMIT // 16 - 4096) // len(one.encode()))) for number, one in enumerate("\u3316\u00bd\u4e2d")))


def json_array(rng, folder):
    path = os.path.join(folder, "array.json")
    with open(path, "w", encoding="ascii") as file:
        file.write("[")
        for number, text in spans(rng, latin(rng, 50_000), 8, LIMIT // 16 - 4096):
            file.write(", " * (number > 0) + json.dumps({"id": number, "body": text}, indent=1))
        file.write("]\n")
    return path


def csv_rows(rng, folder):
    """Rows at the limit: of text, and of nothing but columns."""
    path = os.path.join(folder, "rows.csv")
    with open(path, "w", encoding="ascii") as file:
        file.write("id,body\n")
        for number, text in spans(rng, latin(rng, 50_000), 8, LIMIT // 16 - 4096):
            file.write(f'{number},"{text}"\n')
            if number % 2:
                file.write("," * (LIMIT // 16 - 4096) + "\n")
    return path


def wide_texts(rng, folder):
    """UTF-16 whose characters take three bytes each in UTF-8. The longest are longer than a document may be then."""
    path = os.path.join(folder, "texts")
    os.mkdir(path)
    words = made_up_words(rng, [chr(code) for code in range(0x4e00, 0x9f00, 5)], [1, 2, 2, 3], 50_000)
    for number, text in spans(rng, words, 8, 5 * MIB // 2):
        with open(os.path.join(path, f"{number}.txt"), "w", encoding="utf-16") as file:
            file.write(text if number % 4 else text + text[:MIB])
    return path


def distinct_terms(rng, folder):
    per_document = 500
    # Multiplied by an odd number, they come in no order.
    texts = (" ".join("x%07xq" % (n * 2654435761 % (1 << 28)) for n in range(first, first + per_document))
             for first in range(0, 8_000_000, per_document))
    return write_documents(os.path.join(folder, "terms.jsonl"), enumerate(texts))


def korean_articles(rng, folder):
    syllables = [chr(code) for code in range(0xac00, 0xd7a4, 7)]
    words = made_up_words(rng, syllables, [2, 2, 3, 3, 4], 200_000)
    texts = ((number, f"{text} 낱말{rng.randrange(1 << 22):x} 낱말{rng.randrange(1 << 22):x}")
             for number, text in spans(rng, words, 400_000, 120))
    return write_documents(os.path.join(folder, "korean.jsonl"), texts)


# name: input, documents and bad records (None: the build fails), what is said on stderr
CASES = {
    "wide_window": (wide_window, None, "a window of 2048 MiB, more than an eighth of --memory-limit"),
    "wide_dictionary": (wide_dictionary, None, "xz: a dictionary that takes 65 MiB, more than an eighth of --memory-limit (128 MiB)"),
    "pages": (pages, (1, 2), "longer than the limit of 8 MiB, a 16th of --memory-limit"),
    "long_records": (long_records, (1, 8), "longer than the limit of 8 MiB, a 16th of --memory-limit"),
    "records_at_the_limit": (records_at_the_limit, (8, 0), ""),
    "characters_of_words": (characters_of_words, (3, 0), ""),
    "json_array": (json_array, (8, 0), ""),
    "csv_rows": (csv_rows, (8, 4), "of memory to parse, more than --memory-limit allows"),
    "wide_texts": (wide_texts, (6, 2), "more than --memory-limit allows"),
    "distinct_terms": (distinct_terms, (16_000, 0), ""),
    "korean_articles": (korean_articles, (400_000, 0), ""),
}


def made_elsewhere(make, folder):
    """The input's path. Made in a process of its own: the peak of a process counts what its parent held when it started."""
    with multiprocessing.Pool(1) as pool:
        return pool.apply(make, (random.Random(7), folder))


def build(setting, source):
    """Exit status, peak of resident bytes, summary or None, stderr."""
    repository = setting.path("repository")
    command = setting.build_command(repository, "c", [source], 1, format="auto", memory_limit=f"{LIMIT // MIB}MiB",
                                    max_bad_records=1000)
    out, err = setting.path("out"), setting.path("err")
    with open(out, "wb") as to_out, open(err, "wb") as to_err:
        child = os.posix_spawn(command[0], command, os.environ,
                               file_actions=[(os.POSIX_SPAWN_DUP2, to_out.fileno(), 1), (os.POSIX_SPAWN_DUP2, to_err.fileno(), 2)])
        _, status, usage = os.wait4(child, 0)
    shutil.rmtree(repository, ignore_errors=True)
    with open(out, encoding="utf-8") as file:
        lines = file.read().strip().splitlines()
    with open(err, encoding="utf-8") as file:
        said = file.read()
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024, json.loads(lines[-1]) if lines else None, said


def check(setting, name):
    make, wanted, words = CASES[name]
    folder = setting.path(name)
    os.mkdir(folder)
    source = made_elsewhere(make, folder)
    started = time.monotonic()
    code, peak, summary, said = build(setting, source)
    shutil.rmtree(folder)
    counted = (summary["documents"], summary["bad_records"]) if code == 0 else None
    found = f"{counted[0]} documents, {counted[1]} bad records" if counted else f"exit {code}"
    print(f"{name}: {peak / MIB:.0f} MiB, {found}, {time.monotonic() - started:.0f} s", flush=True)
    problems = []
    if peak > TOLERANCE * LIMIT:
        problems.append(f"{name}: {peak / MIB:.0f} MiB resident at a limit of {LIMIT // MIB} MiB")
    if words not in said:
        problems.append(f"{name}: does not say “{words}”: {said[-500:]}")
    if counted != wanted or code not in (0, 1):
        problems.append(f"{name}: {found}; wanted {wanted or 'exit 1'}: {said[-500:]}")
    return problems


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--only", choices=CASES, help="one case")
    parsed = parser.parse_args()

    def test(setting):
        problems = [problem for name in ([parsed.only] if parsed.only else CASES) for problem in check(setting, name)]
        harness.expect(not problems, "\n".join(problems))

    harness.run(test, parsed)


main()
