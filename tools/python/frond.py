"""A client of Frond's HTTP API, of Python's standard library alone (3.11 and later).

    with frond.Client("http://127.0.0.1:8080", collection="books", key=key) as client:
        client.index([{"id": "1", "title": "Emma", "body": "handsome, clever, and rich"}])
        client.refresh()
        for hit in client.search("clever", k=3)["hits"]:
            print(hit["score"], hit["title"])

Answers are what the server sends as JSON (docs/http-api.md). A client has one connection and is for one thread. Requests that
the server had no room or no time for (429, 503, and 504 of changes) are sent again, as are those whose connection broke, until
`retry_seconds` are over.
"""
from __future__ import annotations

import contextlib
import dataclasses
import decimal
import gzip
import http.client
import io
import itertools
import json
import os
import random
import re
import socket
import ssl
import time
import urllib.parse
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

Json = dict[str, Any]

MAX_SEARCHES, MAX_MSEARCH_BYTES = 10_000, 8 << 20  # of a request
MAX_ANSWER_BYTES = 512 << 20
MAX_QUERY_BYTES = 4096
MAX_WAIT = 30.0  # seconds between two attempts
BUSY = frozenset({429, 503})


class FrondError(Exception):
    """Whatever this module raises."""


class Unreachable(FrondError):
    """No whole answer came: the server is away, the connection broke, or the time was over."""


class RequestRefused(FrondError):
    """An answer with an error's status. `message` is the server's own, `parameter` and `position` what it is about, if it says so."""

    def __init__(self, status: int, body: bytes, retry_after: float | None = None):
        try:
            problem = dict(json.loads(body))
        except (ValueError, TypeError):
            problem = {}
        self.status, self.retry_after = status, retry_after
        self.message: str = str(problem.get("detail") or body[:300].decode("utf-8", "replace").strip() or http.client.responses.get(status, ""))
        self.parameter: str | None = problem.get("parameter")
        self.position: int | None = problem.get("position")
        super().__init__(f"{status}: {self.message}")


@dataclasses.dataclass(frozen=True)
class Refused:
    """A document or change that was not taken: its place among those given, from 0, and why."""

    place: int
    id: str | None
    detail: str


class DocumentsRefused(FrondError):
    """Some documents were not taken, the others were. `result` has both."""

    def __init__(self, result: BulkResult):
        self.result = result
        first = result.refused[0]
        super().__init__(f"{len(result.refused)} of {result.sent} documents were refused; the first: number {first.place}, id {first.id!r}: {first.detail}")


@dataclasses.dataclass
class BulkResult:
    """What became of documents or changes: `accepted` were taken, `answers` has the server's line for each change."""

    sent: int = 0
    accepted: int = 0
    refused: list[Refused] = dataclasses.field(default_factory=list)
    answers: list[Json] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Change:
    """A change that may depend on what the document is: see "Changes that depend on a document" in docs/writing.md."""

    kind: str  # index, create or remove
    id: str
    document: Mapping[str, Any] | None = None
    if_change: int | None = None
    version: int | None = None
    counted: str | None = None

    def lines(self) -> bytes:
        asked = {name: value for name in ("id", "if_change", "version", "counted") if (value := getattr(self, name)) is not None}
        return _line({self.kind: asked}) + (_line(self.document) if self.document is not None else b"")


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Client(contextlib.AbstractContextManager["Client"]):
    """A connection to a broker, or to an indexer's service.

    `url`: http://HOST:PORT, https://HOST:PORT, or unix:PATH. `collection`: the one that is meant where a call names none; without,
    the broker's first. `key`: an API key; `key_file` a file with one, else the environment's FROND_API_KEY. `tls_ca`: a PEM file
    of the authorities to trust, in place of the system's. `timeout`: seconds for each step of a request.
    """

    def __init__(self, url: str, *, collection: str | None = None, key: str | None = None, key_file: str | os.PathLike[str] | None = None,
                 tls_ca: str | None = None, timeout: float = 60.0, retry_seconds: float = 60.0):
        self._url, self.collection, self._retry_seconds, self._prefix = url, collection, retry_seconds, ""
        if key_file is not None:
            with open(key_file, encoding="ascii") as file:
                key = file.read().strip()
        key = key or os.environ.get("FROND_API_KEY")
        self._headers = {"Accept-Encoding": "gzip", **({"Authorization": f"Bearer {key}"} if key else {})}
        if url.startswith("unix:"):
            self._connection: http.client.HTTPConnection = _UnixConnection(url.removeprefix("unix:"), timeout)
            return
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
            raise ValueError(f"{url!r} is no http://HOST:PORT, https://HOST:PORT or unix:PATH")
        self._prefix = parts.path.rstrip("/")
        self._connection = (http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout) if parts.scheme == "http" else
                            http.client.HTTPSConnection(parts.hostname, parts.port, timeout=timeout, context=ssl.create_default_context(cafile=tls_ca)))

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def request(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None,
                again: frozenset[int] = BUSY, done: frozenset[int] = frozenset()) -> bytes:
        """The body of a 2xx answer. It is sent again where the status is in `again`, or the connection breaks; then a status in `done`
        says that the first attempt did it.

        Raises RequestRefused and Unreachable, the last one seen when the time for attempts was over."""
        end = time.monotonic() + self._retry_seconds
        lost = False
        for attempt in itertools.count():
            failure: RequestRefused | Unreachable
            try:
                return self._exchange(method, path, body, headers or {})
            except RequestRefused as refused:
                if lost and refused.status in done:
                    return b""
                if refused.status not in again:
                    raise
                failure, asked = refused, refused.retry_after
            except (OSError, EOFError, zlib.error, http.client.HTTPException) as broken:
                self._connection.close()
                lost = True
                if isinstance(broken, ssl.SSLCertVerificationError):
                    raise Unreachable(f"{self._url}: {broken}") from broken
                failure, asked = Unreachable(f"{self._url}: {broken or type(broken).__name__}"), None
            wait = min(MAX_WAIT, max(asked or 0.0, 0.1 * (2 ** min(attempt, 10) - 1) * random.uniform(0.5, 1.0)))
            if time.monotonic() + wait > end:
                raise failure
            time.sleep(wait)
        raise AssertionError

    def _exchange(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> bytes:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # who refuses a body may answer before it is read
            self._connection.request(method, self._prefix + path, body=body, headers={**self._headers, **({"Content-Type": "application/json"} if body else {}), **headers})
        reply = self._connection.getresponse()
        whole = reply.read(MAX_ANSWER_BYTES + 1)
        if reply.headers.get("Content-Encoding", "").lower() == "gzip":
            with gzip.GzipFile(fileobj=io.BytesIO(whole)) as file:
                whole = file.read(MAX_ANSWER_BYTES + 1)
        if len(whole) > MAX_ANSWER_BYTES:
            self._connection.close()
            raise FrondError(f"{path}: the answer has more than {MAX_ANSWER_BYTES} bytes")
        if 200 <= reply.status < 300:
            return whole
        raise RequestRefused(reply.status, whole, float(waits) if (waits := reply.headers.get("Retry-After", "")).isdigit() else None)

    def _path(self, route: str, collection: str | None) -> str:
        name = collection or self.collection
        return f"/v1/collections/{urllib.parse.quote(name, safe='')}/{route}" if name else f"/v1/{route}"

    # Searches.

    def search(self, q: str | None = None, *, collection: str | None = None, **parameters: Any) -> Json:
        """One search: `q` in the query language, or `query=` a clause; all parameters of docs/http-api.md by their names."""
        return json.loads(self.request("POST", self._path("search", collection), _line(_asked(q, parameters))))

    def count(self, q: str | None = None, *, collection: str | None = None, **parameters: Any) -> Json:
        """How many documents match, in `count`."""
        return json.loads(self.request("POST", self._path("count", collection), _line(_asked(q, parameters))))

    def fuse(self, search: Mapping[str, Any], ranking: Iterable[str], *, collection: str | None = None, **more: Any) -> Json:
        """A search's ranking fused with a ranked list of ids, by reciprocal ranks (`POST /v1/fuse`)."""
        asked = {"search": search, "ranking": list(ranking), **more}
        return json.loads(self.request("POST", self._path("fuse", collection), _line(asked)))

    def msearch(self, searches: Iterable[str | Mapping[str, Any]], *, collection: str | None = None) -> Iterator[Json | RequestRefused]:
        """The answer of each search, in order; of one that was refused the error, not raised. Each is a text or has the members of a
        search. They are sent in requests of at most 10,000 lines and 8 MiB."""
        lines = (_line({"q": one} if isinstance(one, str) else one) for one in searches)
        for chunk in _chunks(lines, MAX_SEARCHES, MAX_MSEARCH_BYTES):
            sent = b"".join(chunk)
            replies = self.request("POST", self._path("msearch", collection), sent, {"Content-Type": "application/x-ndjson"}).splitlines()
            if len(replies) != len(chunk):
                raise FrondError(f"{len(chunk)} searches were answered by {len(replies)} lines")
            for reply in replies:
                answer = json.loads(reply)
                yield RequestRefused(answer["status"], reply) if "hits" not in answer and "count" not in answer else answer

    def matches(self, q: str | None = None, *, page: int = 1000, collection: str | None = None, **parameters: Any) -> Iterator[Json]:
        """Every hit once, of one generation, page by page behind cursors; in the collection's order unless `sort` says another.

        Raises RequestRefused with status 410 if leaves have lost the generation meanwhile: begin again."""
        asked = {"sort": "_order", **parameters, "k": page, "allow_partial": False}
        while True:
            answer = self.search(q, collection=collection, **asked)
            yield from answer["hits"]
            if not (cursor := answer.get("cursor")):
                return
            asked["search_after"] = cursor
            asked.pop("facets", None)

    def document(self, identity: str, *, collection: str | None = None, body_bytes: int | None = None) -> Json:
        """A document as it is stored. RequestRefused with status 404: there is none."""
        asked = {"id": identity, **({"body_bytes": body_bytes} if body_bytes else {})}
        return json.loads(self.request("GET", self._path("documents", collection) + "?" + urllib.parse.urlencode(asked)))

    def schema(self, *, collection: str | None = None) -> Json:
        return json.loads(self.request("GET", self._path("schema", collection)))

    def run(self, topics: Mapping[str, str] | Iterable[tuple[str, str]], output: IO[str], *, tag: str = "frond", collection: str | None = None,
            **parameters: Any) -> int:
        """Asks every topic (an id and a text) and writes lines of a TREC run file, `id Q0 document rank score tag`. Returns how many.

        k is 1,000 and mode `or` unless they are given. Raises FrondError where an answer is refused or lacks partitions."""
        asked = {"k": 1000, "mode": "or", "fields": "id", **parameters, "allow_partial": False}
        pairs = list(topics.items() if isinstance(topics, Mapping) else topics)
        if len({_column(name) for name, _ in pairs}) != len(pairs):
            raise ValueError("two topics have one id")
        lines = 0
        answers = self.msearch(({"q": _cut(text), **asked} for _, text in pairs), collection=collection)
        for (name, _), answer in zip(pairs, answers, strict=True):
            if isinstance(answer, RequestRefused):
                raise FrondError(f"topic {name}: {answer}") from answer
            for rank, hit in enumerate(answer["hits"], 1):
                output.write(f"{_column(name)} Q0 {_column(hit['id'])} {rank} {decimal.Decimal(hit['score'])} {_column(tag)}\n")
            lines += len(answer["hits"])
        return lines

    # Collections and documents: of the indexer's service, or a broker with --indexer-service.

    def _collection(self, collection: str | None) -> str:
        if not (name := collection or self.collection):
            raise ValueError("which collection? Neither the client nor the call names one")
        return name

    def create_collection(self, collection: str | None = None, **settings: Any) -> None:
        """Makes a collection, with the settings of `PUT /v1/collections/{c}` (schema, stemmer …). RequestRefused with status 409: there is one."""
        path = self._path("", self._collection(collection)).rstrip("/")
        self.request("PUT", path, _line(settings), {"Idempotency-Key": uuid.uuid4().hex}, BUSY | {504})

    def delete_collection(self, collection: str) -> None:
        self.request("DELETE", self._path("", collection).rstrip("/"), done=frozenset({404}))

    def refresh(self, *, collection: str | None = None) -> Json:
        """Returns when all that was accepted before is published."""
        return json.loads(self.request("POST", self._path("refresh", self._collection(collection)), again=BUSY | {504}))

    def index(self, documents: Iterable[Mapping[str, Any] | str | bytes], *, collection: str | None = None, chunk_documents: int = 5000,
              chunk_bytes: int = 4 << 20, raise_refused: bool = True) -> BulkResult:
        """Adds documents, or replaces those with their ids: dicts, or lines of JSON. They are sent in requests of so many documents and
        bytes; each with a key, so that none is accepted twice, however often it is sent again. Raises DocumentsRefused when all are
        sent and some were refused, unless `raise_refused` is false."""
        lines = (_line(one) for one in documents)
        return self._send("documents", lines, collection, chunk_documents, chunk_bytes, raise_refused)

    def change(self, changes: Iterable[Change], *, collection: str | None = None, chunk_changes: int = 5000, chunk_bytes: int = 4 << 20,
               raise_refused: bool = True) -> BulkResult:
        """Changes that depend on documents, at the indexer's service alone. `answers` has what became of each: a conflict is no error. A
        change whose answer was lost is sent again: then a `create` that was done tells a conflict."""
        return self._send("changes", (one.lines() for one in changes), collection, chunk_changes, chunk_bytes, raise_refused)

    def remove(self, ids: Iterable[str], *, collection: str | None = None) -> None:
        """Removes documents, if they are there; one request each."""
        for identity in ids:
            path = self._path("documents/" + urllib.parse.quote(identity, safe=""), self._collection(collection))
            self.request("DELETE", path, None, {"Idempotency-Key": uuid.uuid4().hex}, BUSY | {504})

    def _send(self, route: str, lines: Iterable[bytes], collection: str | None, most: int, chunk_bytes: int, raise_refused: bool) -> BulkResult:
        path, result = self._path(route, self._collection(collection)), BulkResult()
        for chunk in _chunks(lines, most, chunk_bytes):
            self._send_chunk(path, chunk, result)
        if raise_refused and result.refused:
            raise DocumentsRefused(result)
        return result

    def _send_chunk(self, path: str, chunk: Sequence[bytes], result: BulkResult) -> None:
        try:
            reply = self.request("POST", path, b"".join(chunk), {"Content-Type": "application/x-ndjson", "Idempotency-Key": uuid.uuid4().hex},
                                 BUSY | {504})
        except RequestRefused as refused:
            if refused.status != 413:
                raise
            if len(chunk) == 1:  # else it goes in halves
                result.refused.append(Refused(result.sent, None, refused.message))
                result.sent += 1
                return
            half = len(chunk) // 2
            self._send_chunk(path, chunk[:half], result)
            self._send_chunk(path, chunk[half:], result)
            return
        answers = [json.loads(line) for line in reply.splitlines()]
        if len(answers) != len(chunk):
            raise FrondError(f"{len(chunk)} documents were answered by {len(answers)} lines")
        for place, answer in enumerate(answers, result.sent):
            if answer.get("status", 200) == 200 and answer.get("result") != "refused":
                result.accepted += 1
            else:
                result.refused.append(Refused(place, answer.get("id"), answer.get("detail", "more than 100 were refused: no reason is told")))
        result.sent += len(chunk)
        if path.endswith("/changes"):
            result.answers += answers


def frame(hits: Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    """Hits as a table, a row a hit, in their order: `answer["hits"]`, or what matches() gives. Needs pandas."""
    import pandas  # pylint: disable=import-outside-toplevel
    return pandas.DataFrame.from_records(list(hits))


def read_topics(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Topics of lines `id TAB text`, or JSON objects with an id and a query, as run() takes them. (`frond run` reads TREC's forms, too.)"""
    for number, line in enumerate(lines, 1):
        if not (line := line.strip("\r\n\ufeff")):
            continue
        if line.startswith("{"):
            try:
                topic = json.loads(line)
            except ValueError as wrong:
                raise ValueError(f"line {number}: {wrong}") from wrong
            name = next((topic[key] for key in ("id", "_id", "qid", "query_id") if key in topic), None)
            text = next((topic[key] for key in ("query", "text", "title") if key in topic), None)
        else:
            name, _, text = line.partition("\t")
        if name in (None, "") or not isinstance(text, str) or not text.strip():
            raise ValueError(f"line {number}: no id and text")
        yield str(name), text


def _asked(q: str | None, parameters: Mapping[str, Any]) -> Json:
    given = {name: value for name, value in parameters.items() if value is not None}
    if not isinstance(given.get("fields", ""), str):
        given["fields"] = ",".join(given["fields"])
    return given if q is None else {"q": q, **given}


def _line(one: Mapping[str, Any] | str | bytes) -> bytes:
    if isinstance(one, bytes):
        return one.rstrip(b"\r\n") + b"\n"
    return (one.rstrip("\r\n") if isinstance(one, str) else json.dumps(one, ensure_ascii=False, separators=(",", ":"))).encode() + b"\n"


def _chunks(lines: Iterable[bytes], most: int, most_bytes: int) -> Iterator[list[bytes]]:
    chunk: list[bytes] = []
    size = 0
    for line in lines:
        if chunk and (len(chunk) == most or size + len(line) > most_bytes):
            yield chunk
            chunk, size = [], 0
        chunk.append(line)
        size += len(line)
    if chunk:
        yield chunk


def _column(text: str) -> str:
    return re.sub(r"\s+", "_", str(text))


def _cut(text: str) -> str:
    whole = text.encode()
    return text if len(whole) <= MAX_QUERY_BYTES else whole[:MAX_QUERY_BYTES].rpartition(b" ")[0].decode("utf-8", "ignore")
