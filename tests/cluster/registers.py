"""Checks that what clients saw of documents is what one register a document would have shown.

Two kinds of looks: `read` asks the service that writes, and must see every change that was answered before. `seen` is a search, and must
see what was answered some time before, and no less than an earlier one of the same viewer. Each document is checked alone: linearizability
is local. The search is Wing and Gong's, which remembers where it was, as Lowe does.
"""
import collections
import math

# kind: `put`, `create`, `swap` (if the value is `expected`), `remove`, `read`, `seen`. `value`: what was written, or what a look found;
# None: no document. `result`: what the service said of a change, None where no answer came. `begin`, `end`: when it was sent and answered;
# without an answer inf. `visible`: from when on searches must show it. `viewer`: who searched.
Operation = collections.namedtuple("Operation", "kind value result begin end visible viewer expected", defaults=(math.inf, None, None))
LOOKS = ("read", "seen")


def after(operation, value):
    """What a document is after an operation that found `value`, as (fits, value): whether the answer is right for that."""
    kind, result = operation.kind, operation.result
    if kind in LOOKS:
        return operation.value == value, value
    made = {"put": True, "create": value is None, "swap": value is not None and value == operation.expected, "remove": value is not None}[kind]
    right = ("conflict" if kind in ("create", "swap") else "missing") if not made else \
        "removed" if kind == "remove" else "created" if value is None else "updated"
    left = value if not made else None if kind == "remove" else operation.value
    return result in (None, right), left


def comes_before(one, other):
    """Whether `one` must have its place before `other`."""
    if other.kind == "seen":
        if one.kind != "seen":
            return one.visible < other.begin
        return one.viewer == other.viewer and one.end < other.begin
    return one.end < other.begin


def explain(operations):
    """None: the operations on one document have an order that explains all of them. Else the longest that explains some, as a text."""
    operations = sorted(operations, key=lambda one: one.begin)
    before = [sum(1 << i for i, one in enumerate(operations[:at]) if comes_before(one, other)) for at, other in enumerate(operations)]
    needed = sum(1 << i for i, one in enumerate(operations) if one.end < math.inf)
    written = {one.value: 1 << i for i, one in enumerate(operations) if one.kind not in LOOKS}  # each value once
    longest, known, open_ends = (0, None), set(), [(0, None)]

    def next_ones(done):
        """Those that may come next. What began behind the first change that is not done, and is to be seen by then, may not."""
        first, horizon = (~done & (done + 1)).bit_length() - 1, math.inf
        for i in range(first, len(operations)):
            one = operations[i]
            if one.begin > horizon:
                return
            if done >> i & 1:
                continue
            if one.kind not in LOOKS:
                horizon = min(horizon, max(one.end, one.visible))
            if before[i] & ~done == 0:
                yield i, one

    while open_ends:
        done, value = open_ends.pop()
        looked = True
        while looked:  # a look that fits may come at once: it changes nothing
            looks = sum(1 << i for i, one in next_ones(done) if one.kind in LOOKS and one.value == value)
            looked, done = looks != 0, done | looks
        if done & needed == needed:
            return None
        if (done, value) in known:
            continue
        known.add((done, value))
        longest = max(longest, (bin(done).count("1"), (done, value)), key=lambda one: one[0])
        nexts = list(next_ones(done))
        if any(one.kind in LOOKS and one.value is not None and done & written.get(one.value, 0) for _, one in nexts):
            continue  # what it saw is gone
        for i, one in sorted(nexts, key=lambda one: -one[1].end):  # the one that was answered first is tried first
            if one.kind not in LOOKS:
                fits, left = after(one, value)
                if fits:
                    open_ends.append((done | 1 << i, left))
    done, value = longest[1] or (0, None)
    gone = [one for _, one in next_ones(done) if one.kind in LOOKS and one.value is not None and done & written.get(one.value, 0)]
    rest = [f"{'->' if before[i] & ~done == 0 else '  '} {one}" for i, one in enumerate(operations) if not done >> i & 1]
    return (f"{bin(done).count('1')} of {len(operations)} operations are explained, after which it is {value!r}" +
            "".join(f"; that is gone: {one}" for one in gone) + "; then:\n" + "\n".join(rest[:12]))
