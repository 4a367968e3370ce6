"""Random collections with awkward cases: ties, empty documents, words in every document and in only one."""
import json


def vocabulary(rng, size):
    """Words that no stemmer or stop list touches: digits and consonants."""
    words = set()
    while len(words) < size:
        words.add("".join(rng.choice("bcdfgklmpqrtvwxz0123456789") for _ in range(rng.randint(3, 7))))
    return sorted(words)


class Collection:
    """`count` documents over `words`, the earlier ones far more often."""

    def __init__(self, rng, count, words, longest=40, name="d"):
        self.words = words
        weights = [1 / (rank + 1) for rank in range(len(words))]
        self.documents = []
        for number in range(count):
            kind = rng.random()
            if kind < 0.02:
                body = []
            elif kind < 0.2 and self.documents:
                body = list(rng.choice(self.documents)[1])  # the same text again: a tie
            else:
                body = rng.choices(words, weights, k=rng.randint(1, longest))
            self.documents.append((f"{name}{number}", body))

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            for name, body in self.documents:
                file.write(json.dumps({"id": name, "title": "", "body": " ".join(body)}) + "\n")
        return path


def queries(rng, words, count):
    """Frequent and rare words mixed, some twice, some unknown."""
    made = []
    while len(made) < count:
        query = [rng.choice(words[:10] if rng.random() < 0.4 else words) for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.1:
            query.append(query[0])
        if rng.random() < 0.1:
            query.append("unknownword")
        made.append(" ".join(query))
    return made
