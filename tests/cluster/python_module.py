#!/usr/bin/env python3
"""tools/python/frond.py against `frond up`: documents in, searches, all matches, changes, a run file, and errors as exceptions."""
import io
import os
import sys

import harness

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python"))
import frond  # noqa: E402

DOCUMENTS = 3000


def served(setting):
    """The address of `frond up`, and its key."""
    http, api = harness.free_ports(2)  # with the Elasticsearch API a broker serves collections as they are made
    setting.spawn("up", "frond", "up", "--data", setting.path("state"), "--http", f"127.0.0.1:{http}", "--elasticsearch-api", f"127.0.0.1:{api}")
    harness.eventually(lambda: harness.fetch(http, "/livez")[0] == 200 and os.path.exists(setting.path("state", "api.key")), "the broker is up", 60)
    return f"http://127.0.0.1:{http}", setting.path("state", "api.key")


def refused(status, action, *args, **more):
    try:
        action(*args, **more)
    except frond.RequestRefused as error:
        harness.expect(error.status == status and error.message, f"{error}, not {status}")
        return error
    raise harness.Failure(f"not refused with {status}")


def await_count(client, q, wanted):
    def there():
        try:
            return client.count(q, cache="off")["count"] == wanted
        except frond.RequestRefused as error:
            raise harness.Refused(str(error)) from error
    harness.eventually(there, f"{wanted} documents have {q}", 60)


def test(setting):
    url, key_file = served(setting)
    with frond.Client(url, collection="books", key_file=key_file, timeout=60) as client:
        client.create_collection(schema={"fields": {"title": {"type": "text"}, "body": {"type": "text"}, "year": {"type": "integer"}}})
        refused(409, client.create_collection)
        given = [{"id": f"b{number}", "title": f"title {number}", "body": "common rare" if number % 100 == 0 else "common", "year": 1000 + number}
                 for number in range(DOCUMENTS)]
        result = client.index(given, chunk_documents=700)
        harness.expect((result.sent, result.accepted) == (DOCUMENTS, DOCUMENTS), f"{result}")
        client.refresh()
        await_count(client, "common", DOCUMENTS)

        answer = client.search(query={"words": {"text": "rare"}}, k=5, fields=["id", "year"], sort="year:desc", facets={"years": {"stats": {"field": "year"}}})
        harness.expect([hit["year"] for hit in answer["hits"]] == [3900, 3800, 3700, 3600, 3500], f"{answer['hits']}")
        harness.expect(answer["facets"]["years"]["count"] == 30, f"{answer['facets']}")
        ids = [hit["id"] for hit in client.matches("common", page=250, fields="id")]
        harness.expect(len(ids) == DOCUMENTS and set(ids) == {one["id"] for one in given}, f"{len(ids)} matches")
        answers = list(client.msearch(["rare", {"q": "common", "k": 0}, {"q": "rare", "count": True}]))
        harness.expect(answers[1].status == 400 and answers[1].parameter == "k" and answers[2]["count"] == 30, f"{answers}")
        harness.expect(client.document("b7")["title"] == "title 7", "the document")
        harness.expect(refused(404, client.document, "none").parameter == "id", "what is missing")
        harness.expect(refused(400, client.search, "x", mode="xor").parameter == "mode", "which parameter")

        out = io.StringIO()
        harness.expect(client.run([("1", "rare"), ("2", "nothing of this")], out) == 30, "lines of the run")
        harness.expect(out.getvalue().splitlines()[0].split()[:2] == ["1", "Q0"], out.getvalue()[:100])

        some = client.index([{"id": "new", "body": "fresh"}, "[]", {"id": "newer", "body": "fresh"}], raise_refused=False)
        harness.expect((some.accepted, [one.place for one in some.refused]) == (2, [1]), f"{some}")
        with frond.Client("unix:" + setting.path("state", "run", "indexer.sock"), collection="books", key_file=key_file) as service:
            changed = service.change([frond.Change("create", "b1", {"id": "b1", "body": "fresh"}), frond.Change("create", "made", {"id": "made", "body": "fresh"})])
        harness.expect([one["result"] for one in changed.answers] == ["conflict", "created"], f"{changed.answers}")
        client.remove(["b0", "unknown"])
        client.refresh()
        await_count(client, "fresh", 3)
        await_count(client, "rare", 29)
        client.delete_collection("books")
    with frond.Client(url, collection="books", key="0" * 40) as client:
        refused(401, client.index, [{"id": "1"}])


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
