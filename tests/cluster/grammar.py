"""Requests as they should not be, made from a grammar by a seed: HTTP requests of every route, with numbers, names, trees and texts
out of all measure, damaged in places, framed rightly or not; and messages of the leaf's protocol that are nearly right.
"""
import json
import os
import struct
import urllib.parse

NUMBERS = [0, 1, -1, 2, 7, 10, 255, 256, 1000, 1001, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70,
           -2**31, -2**63, -2**63 - 1, 0.5, -0.0, 1e-300, 1e300, 1e308, 1.7976931348623157e308, 0.1, 3.4028235e38]
TEXTS = ["", " ", "the", "hard", "*", "?", "a*", "*a*", "\0", "\n", "\\", '"', "'", "%", "..", "/", "\u00e9", "e\u0301", "\ufffd", "\uffff", "\U0001f600", "\u202e", "\u3164",
         "x" * 300, "the " * 400, '"the hard', "a^", "a^1e9", "NOT", "AND OR NOT", "((((((((", "title:", "year:[1 TO", "year:>=", "now/d", "now-1y/M||+2h", "2020-13-45",
         "1970-01-01T00:00:00Z", "true", "null", "NaN", "Infinity", "1e400", "-", "_id", "_score", "_source", "_all", "_doc", "0x10", "a,b,,c", ",", "\ud7ff"]
FIELDS = ["body", "title", "year", "tag", "when", "body", "title", "year", "tag", "when", "missing", "*", "t*", "_id", "", "a.b.c", "title.keyword", "x" * 300]
COLLECTIONS = ["w", "x", "w", "x", "w", "x", "w,x", "w*", "w*", "missing", "%00", "%2e%2e", "%2a", "-w", "w,-w", "<w-{now/d}>", "x" * 255, ".hidden", "W", "w%2fx", "\u00fc"]
CHANGED = ["w", "x", "w", "x", "w", "x", "w2", "missing", "%2e%2e", "W", "w,x"]  # never all of them: one is the measure of others
OURS = """GET /v1/search|GET /v1/collections/{c}/search|GET /v1/count|GET /v1/collections/{c}/count|GET /v1/collections/{c}/documents/{i}|GET /v1/collections/{c}/documents|
GET /v1/schema|GET /v1/collections/{c}/schema|GET /v1/cluster|GET /v1/collections|GET /v1/slow-searches|GET /metrics|GET /livez|GET /readyz|GET /|GET /nowhere|
GET /v1/collections/{c}/generations|GET /v1/collections/{c}/jobs|POST /v1/search|POST /v1/collections/{c}/search|POST /v1/collections/{c}/count|POST /v1/msearch|
POST /v1/collections/{c}/msearch|POST /v1/collections/{c}/fuse|POST /v1/collections/{d}/documents|POST /v1/collections/{d}/changes|POST /v1/collections/{d}/latest|
DELETE /v1/collections/{d}/documents/{i}|PUT /v1/collections/{d}|DELETE /v1/collections/{d}|POST /v1/collections/{d}/refresh|POST /v1/collections/{d}/compact|
POST /v1/collections/{d}/rollback|POST /v1/collections/{d}/switch|OPTIONS /v1/search|TRACE /|PATCH /v1/search|HEAD /v1/search|HEAD /"""
THEIRS = """GET /|GET /_cluster/health|GET /_cat/indices|GET /_cat/count/{c}|GET /_nodes|GET /{c}/_stats|GET /{c}/_search|POST /{c}/_search|POST /_search|GET /{c}/_count|POST /{c}/_count|
POST /_msearch|POST /{c}/_msearch|POST /_bulk|POST /{d}/_bulk|POST /{d}/_doc|PUT /{d}/_doc/{i}|PUT /{d}/_create/{i}|POST /{d}/_update/{i}|GET /{c}/_doc/{i}|HEAD /{c}/_doc/{i}|GET /{c}/_source/{i}|
DELETE /{d}/_doc/{i}|POST /_mget|POST /{c}/_mget|PUT /{d}|DELETE /{d}|HEAD /{c}|GET /{c}|GET /{c}/_mapping|PUT /{d}/_mapping|GET /{c}/_settings|GET /{c}/_field_caps|POST /{c}/_field_caps|
POST /{c}/_validate/query|POST /{c}/_explain/{i}|GET /{c}/_analyze|POST /_analyze|POST /{c}/_pit|POST /{c}/_search/point_in_time|DELETE /_pit|POST /_search/scroll|DELETE /_search/scroll|
POST /{d}/_delete_by_query|POST /{d}/_update_by_query|POST /_reindex|POST /_aliases|GET /_alias|PUT /_index_template/{i}|DELETE /_index_template/{i}|GET /{c}/_refresh|POST /{d}/_refresh|
POST /{d}/_forcemerge|PUT /_cluster/settings|POST /{c}/_termvectors/{i}|POST /{c}/_search/template|GET /{c}/_rank_eval"""
OUR_PARAMETERS = """q q q mode k from filter sort facets fields syntax total timeout_ms cache explain search_after k1 b minimum_should_match snippet processor format wait id limit
missing""".split()
THEIR_PARAMETERS = """q from size sort timeout explain df default_operator refresh version if_seq_no ignore_unavailable allow_no_indices expand_wildcards rest_total_hits_as_int typed_keys
filter_path human pretty track_total_hits _source _source_includes scroll keep_alive format h s v conflicts scroll_size op_type doc_id""".split()
KEYS = """query filter k sort facets fields size from aggs aggregations _source highlight search_after track_total_hits timeout min_score rescore collapse post_filter suggest pit scroll_id slice
q mode syntax explain words term terms weights phrase prefix wildcard range exists ids all none bool max constant boost match match_phrase multi_match match_all query_string simple_query_string
fuzzy regexp dis_max constant_score function_score boosting match_bool_prefix match_phrase_prefix combined_fields nested script values ranges histogram dates stats distinct date_histogram
cardinality percentiles composite top_hits avg must should must_not minimum_should_match text field value gte lte gt lt of tie_breaker by score slop interval calendar_interval order sources after
id index _id _index doc upsert doc_as_upsert docs script_score weight functions analyzer body title year tag when settings mappings properties type number_of_shards actions add remove alias
aliases dest retriever rrf lists rank_constant""".split()


class Grammar:
    """What `rng` makes of it, with `words` that documents have. Wire messages are damaged ones of `corpus`, a folder of right ones."""

    def __init__(self, rng, words, corpus):
        self.rng, self.words = rng, words
        self.messages = []
        for name in sorted(os.listdir(corpus)):
            with open(os.path.join(corpus, name), "rb") as file:
                self.messages.append(file.read())

    def routes(self, table):
        return [entry.strip().split(" ") for entry in table.split("|")]

    def number(self):
        return self.rng.choice(NUMBERS) if self.rng.random() < 0.7 else self.rng.randrange(100)

    def text(self):
        roll = self.rng.random()
        if roll < 0.3:
            return " ".join(self.rng.choices(self.words, k=self.rng.choice((1, 1, 2, 5))))
        if roll < 0.7:
            return self.rng.choice(TEXTS)
        if roll < 0.9:
            return " ".join(self.rng.choice(TEXTS) for _ in range(self.rng.randrange(1, 8)))
        return "".join(chr(self.rng.choice((self.rng.randrange(1, 128), self.rng.randrange(0xa0, 0xd7ff), self.rng.randrange(0x10000, 0x1ffff)))) for _ in range(20))

    def value(self, depth):
        roll = self.rng.random()
        if depth <= 0 or roll < 0.3:
            return self.rng.choice((self.number, self.text, lambda: self.rng.choice(FIELDS), lambda: self.rng.choice((True, False, None))))()
        if roll < 0.5:
            return [self.value(depth - 1) for _ in range(self.rng.randrange(4))]
        return {self.rng.choice(KEYS) if self.rng.random() < 0.9 else self.text(): self.value(depth - 1) for _ in range(self.rng.randrange(1, 4))}

    def clause(self, depth):
        """A clause of ours or of Elasticsearch's that is nearly right."""
        pick, field = self.rng.choice, self.rng.choice(FIELDS)
        value = pick((self.text, self.number))() if self.rng.random() < 0.9 else self.value(2)
        simple = [
            lambda: {"words": {"text": self.text(), "field": field, "mode": pick(("and", "or", "auto", "x"))}}, lambda: {"term": {"field": field, "value": value}},
            lambda: {"phrase": {"text": self.text(), "slop": self.number()}}, lambda: {"range": {"field": field, pick(("gte", "gt", "lt")): value}},
            lambda: {"prefix": {"field": field, "value": self.text()}}, lambda: {"ids": [self.text()]}, lambda: {pick(("all", "none", "match_all")): {}},
            lambda: {"match": {field: value}}, lambda: {"match": {field: {"query": value, "operator": pick(("and", "or")), "fuzziness": pick(("AUTO", 1, 9))}}},
            lambda: {"match_phrase": {field: {"query": self.text(), "slop": self.number()}}}, lambda: {"term": {field: value}}, lambda: {"terms": {field: [value, self.text()]}},
            lambda: {"range": {field: {"gte": value, "lte": self.text(), "boost": self.number()}}}, lambda: {"query_string": {"query": self.text(), "default_field": field}},
            lambda: {"simple_query_string": {"query": self.text(), "fields": [field + "^" + str(self.number())]}}, lambda: {"exists": {"field": field}},
            lambda: {"multi_match": {"query": self.text(), "fields": [field, "body^2"], "type": pick(("best_fields", "cross_fields", "phrase", "x"))}},
            lambda: {"wildcard": {field: {"value": pick(("*", "a*", "*a*", "?" * 40))}}}, lambda: {"fuzzy": {field: self.text()}}, lambda: {"ids": {"values": [self.text()]}},
        ]
        if depth <= 0 or self.rng.random() < 0.4:
            return pick(simple)()
        nested = [
            lambda: {"bool": {pick(("must", "should", "must_not", "filter")): [self.clause(depth - 1) for _ in range(self.rng.randrange(4))], "minimum_should_match": self.number()}},
            lambda: {"max": {"of": [self.clause(depth - 1)], "tie_breaker": self.number()}}, lambda: {"boost": {"of": self.clause(depth - 1), "by": self.number()}},
            lambda: {"constant_score": {"filter": self.clause(depth - 1), "boost": self.number()}}, lambda: {"dis_max": {"queries": [self.clause(depth - 1)]}},
            lambda: {"function_score": {"query": self.clause(depth - 1), "field_value_factor": {"field": field, "factor": self.number(), "modifier": pick(("log", "sqrt", "x"))}}},
            lambda: {"boosting": {"positive": self.clause(depth - 1), "negative": self.clause(depth - 1), "negative_boost": self.number()}},
        ]
        return pick(nested)()

    def search(self):
        body = {"query": self.clause(self.rng.randrange(5))}
        for _ in range(self.rng.choice((0, 0, 0, 1, 2))):
            body[self.rng.choice(KEYS)] = self.value(3)
        if self.rng.random() < 0.15:
            kind = self.rng.choice(("terms", "histogram", "date_histogram", "range", "composite", "percentiles", "top_hits", "filters"))
            body["aggs"] = {self.text()[:20] or "a": {kind: {"field": self.rng.choice(FIELDS), "interval": self.number(), "size": self.number()}}}
        if self.rng.random() < 0.05:
            deep = self.rng.choice((50, 500, 5000, 50000))
            return '{"query":' + '{"bool":{"must":[' * deep + "]}}" * deep + "}"
        return self.dumped(body)

    def dumped(self, value):
        text = json.dumps(value, ensure_ascii=self.rng.random() < 0.5)
        return text.replace("1e+308", "1e999") if self.rng.random() < 0.05 else text

    def lines(self):
        made = []
        for _ in range(self.rng.randrange(1, 12)):
            action = self.rng.choice(("index", "create", "update", "delete", "x", "id"))
            made.append(self.dumped({action: {"_index": self.rng.choice(CHANGED), "_id": self.text(), "if_seq_no": self.number()}} if self.rng.random() < 0.6 else {}))
            made.append(self.rng.choice((self.search, lambda: self.dumped(self.document()), lambda: self.dumped(self.value(4))))())
        return self.rng.choice(("\n", "\n", "\n", "\r\n", "\n\n")).join(made) + self.rng.choice(("\n", "\n", ""))

    def document(self):
        return {"id": self.text(), "title": self.text(), "body": self.text(), self.rng.choice(FIELDS): self.value(2), "year": self.number()}

    def damaged(self, data):
        data = bytearray(data)
        for _ in range(self.rng.choice((1, 1, 2, 5, 20))):
            at = self.rng.randrange(len(data) + 1)
            what = self.rng.randrange(5)
            if what == 0 and at < len(data):
                data[at] ^= 1 << self.rng.randrange(8)
            elif what == 1:
                data[at:at] = self.rng.randbytes(self.rng.randrange(1, 9))
            elif what == 2:
                del data[at:at + self.rng.randrange(1, 30)]
            elif what == 3:
                data[at:at] = data[:at][-self.rng.randrange(1, 60):]
            else:
                data[at:] = data[at:][:self.rng.randrange(0, 200)]
        return bytes(data)

    def request(self, table, token):
        """(bytes, method, whether its framing is right, so that an answer must come and the connection may go on)."""
        rng = self.rng
        method, path = rng.choice(self.routes(table))
        if method == "DELETE" and path.endswith("{d}") and rng.random() < 0.9:
            method = "PUT"  # so that there mostly is something to ask for
        path = path.replace("{c}", rng.choice(COLLECTIONS)).replace("{d}", rng.choice(CHANGED)).replace("{i}", urllib.parse.quote(self.text()[:60], safe=""))
        path = urllib.parse.quote(path, safe="/%*,<>{}-_.~")
        changing = method in ("PUT", "DELETE", "POST") and any(name in path for name in ("_by_query", "rollback", "switch", "compact")) or method == "DELETE"
        given = [(rng.choice(OUR_PARAMETERS if table is OURS else THEIR_PARAMETERS), rng.choice((self.text, self.number))()) for _ in range(rng.choice((0, 0, 0, 0, 0, 1, 3)) if rng.random() < 0.98 else 40)]
        if given:
            path += "?" + urllib.parse.urlencode(given)
        if rng.random() < 0.05 and not changing:
            path = "/" + self.damaged(path.encode())[1:].decode("latin-1").replace(" ", "").replace("\r", "").replace("\n", "").replace("\0", "")
        body = b""
        if method in ("POST", "PUT", "PATCH") or rng.random() < 0.03:
            made = self.lines() if any(name in path for name in ("bulk", "msearch", "documents", "changes")) else self.search() if rng.random() < 0.8 else self.dumped(self.value(5))
            body = made.encode("utf-8", "surrogatepass")
            if rng.random() < 0.1:
                body = self.damaged(body)
        head = [f"{method} {path} HTTP/1.1".encode("latin-1", "replace"), b"Host: a", b"Content-Type: " + rng.choice((b"application/json",) * 12 + (b"application/x-ndjson", b"text/plain", b"x"))]
        if rng.random() < 0.97:
            head.append(b"Authorization: Bearer " + token.encode())
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            head.append(rng.choice((b"Accept-Encoding: gzip", b"Accept-Encoding: zstd;q=1, *;q=0", b"Content-Encoding: gzip", b"Expect: 100-continue", b"Accept: application/yaml",
                                    b"Accept: " + b"a/b," * 200, b"X-Request-Id: " + b"r" * 300, b"traceparent: 00-" + b"f" * 32 + b"-" + b"0" * 16 + b"-01", b"Range: bytes=0-", b"Idempotency-Key: k",
                                    b"X-Opaque-Id: \xff\xfe", b"Connection: keep-alive", b"Origin: http://b", b"If-None-Match: *")))
        framing = rng.random()
        expecting = any(line.startswith(b"Expect") for line in head)
        if framing < 0.8:
            head.append(b"Content-Length: %d" % len(body))
            return b"\r\n".join(head) + b"\r\n\r\n" + body, method, not expecting
        if framing < 0.9:
            size = max(1, rng.choice((1, 7, 1000)))
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + size]), body[i:i + size]) for i in range(0, min(len(body), 300 * size), size))
            head.append(b"Transfer-Encoding: chunked")
            return b"\r\n".join(head) + b"\r\n\r\n" + chunks + b"0\r\n\r\n", method, not expecting
        head.append(rng.choice((b"Content-Length: %d" % (len(body) + 5), b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Content-Length: 3\r\nContent-Length: 4",
                                b"Transfer-Encoding: chunked\r\nContent-Length: 4", b"Transfer-Encoding: x", b": no name", b"no colon", b" folded", b"Host: b", b"X: " + b"y" * 70000)))
        made = b"\r\n".join(head) + b"\r\n\r\n" + body
        return (self.damaged(made) if rng.random() < 0.5 and not changing and method in ("GET", "HEAD") else made), method, False

    def message(self):
        """A message of a broker to a leaf, damaged: bits, words that are pointers, its length."""
        data = bytearray(self.rng.choice(self.messages))
        for _ in range(self.rng.choice((0, 1, 1, 2, 4))):
            if len(data) >= 16:
                at = self.rng.randrange(len(data) // 8) * 8
                word = self.rng.choice((self.rng.getrandbits(64), 0, 2**64 - 1, self.rng.getrandbits(3), self.rng.getrandbits(34), self.rng.randrange(64) << 2 | 1, self.rng.randrange(64) << 32 | 1,
                                        self.rng.randrange(2**20) << 35 | 2 | self.rng.randrange(8) << 32))
                data[at:at + 8] = struct.pack("<Q", word)
        return self.damaged(data) if self.rng.random() < 0.5 else bytes(data)
