#!/usr/bin/env python3
"""Searches of the Elasticsearch API on a whole cluster: hits, scores by the formula of BM25, orders, aggregations, words that are like
others, and what is refused by name."""
import json
import math

import harness
from elasticsearch_documents import Filled


def scores(documents, field, word):
    """Of each document that has the word: what Elasticsearch scores it."""
    texts = {i: d[field].split() for i, d in documents.items() if field in d}
    average = sum(map(len, texts.values())) / len(texts)
    having = [i for i, text in texts.items() if word in text]
    idf = math.log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
    return {i: 2.2 * idf * texts[i].count(word) / (texts[i].count(word) + 1.2 * (0.25 + 0.75 * len(texts[i]) / average)) for i in having}


def like_words(cluster, search, documents):
    """Fuzzy words of text, and suggestions: one word is like the one asked for, so it scores as that word does, by its nearness."""
    wanted = {i: 0.75 * score for i, score in scores(documents, "title", "river").items()}  # one edit in four letters
    for query in ({"fuzzy": {"title": {"value": "rivr"}}}, {"match": {"title": {"query": "Rivr", "fuzziness": "AUTO"}}}):
        got = search({"query": query, "size": 100})["hits"]
        harness.expect({hit["_id"] for hit in got["hits"]} == set(wanted), f"{query} finds {got['total']}")
        for hit in got["hits"]:
            harness.expect(abs(hit["_score"] - wanted[hit["_id"]]) <= 2e-3 * wanted[hit["_id"]], f"the score of {hit} is not {wanted[hit['_id']]}")
    # "red" and "rad": nearness 2/3 for one edit, and both as frequent as the one that more documents have.
    cluster.bulk("things", [{"index": {"_id": "rad"}}, {"title": "rad"}])
    both = search({"query": {"fuzzy": {"title": {"value": "rad", "fuzziness": 1}}}, "size": 1})["hits"]["hits"][0]
    harness.expect(both["_id"] == "rad" and both["_score"] < 2.2 * math.log(1 + 61.5 / 20), f"the nearest is {both}")
    answer = search({"suggest": {"text": "rivr stoen hil", "s": {"term": {"field": "title", "min_word_length": 3}}}})
    harness.expect(answer["hits"]["total"]["value"] == 0, "suggestions alone search nothing")
    frequency = {word: sum(word in d["title"].split() for d in documents.values()) for word in ("river", "stone", "hill")}
    options = [[(one["text"], one["freq"]) for one in word["options"]] for word in answer["suggest"]["s"]]
    harness.expect(options == [[(word, frequency[word])] for word in ("river", "stone", "hill")], f"suggestions are {answer['suggest']}")
    harness.expect([(word["offset"], word["length"]) for word in answer["suggest"]["s"]] == [(0, 4), (5, 5), (11, 3)], "where words are")
    cluster.expect(200, "DELETE", "/things/_doc/rad?refresh=true")
    status, meant = cluster.ask("GET", "/v1/collections/things/search?did_you_mean=true&q=red+rivr", port=cluster.http)[:2]
    harness.expect(status == 200 and meant["did_you_mean"]["q"] == "red river", f"a search answers {meant}")


def completions(cluster, search):
    """Inputs that begin like a text, the heaviest first."""
    cluster.expect(200, "PUT", "/places", {"mappings": {"properties": {"s": {"type": "completion"}, "n": {"type": "integer"}}}})
    inputs = [{"input": ["Berlin", "Germany capital"], "weight": 10}, "bern", {"input": "Bergen", "weight": 4}, ["Bergen", {"input": "Berg op Zoom", "weight": "7"}]]
    lines = [line for i, given in enumerate(inputs) for line in ({"index": {"_id": f"{i}"}}, {"s": given, "n": i})]
    harness.expect(not cluster.bulk("places", lines)["errors"], "inputs are refused")
    for wrong in ({"input": "x", "weight": -1}, {"input": "x", "nosuch": 1}, 5, {"input": ""}):
        cluster.expect(400, "PUT", "/places/_doc/x", {"s": wrong})

    def options(suggester, index="places", **rest):
        found = search({"suggest": {"x": {**rest, "completion": {"field": "s", **suggester}}}}, index)["suggest"]["x"][0]
        return [(one["text"], one["_id"], one["_score"]) for one in found["options"]]

    harness.expect(options({}, prefix="BER") == [("Berlin", "0", 10.0), ("Berg op Zoom", "3", 7.0), ("Bergen", "2", 4.0), ("bern", "1", 1.0)], options({}, prefix="BER"))
    harness.expect(options({"size": 1}, prefix="germany, c") == [("Germany capital", "0", 10.0)], "words of an input")
    harness.expect(options({"skip_duplicates": True}, prefix="bergen") == [("Bergen", "2", 4.0)] and len(options({}, prefix="bergen")) == 2, "equal inputs")
    harness.expect([o[0] for o in options({}, regex="b[ae]r[gn].*")] == ["Berg op Zoom", "Bergen", "bern"], "a regular expression")
    harness.expect([o[0] for o in options({"fuzzy": {}}, prefix="bre")] == ["Berlin", "Berg op Zoom", "Bergen", "bern"], "a fuzzy beginning")
    harness.expect(options({}, prefix="paris") == [], "nothing begins so")
    shown = search({"_source": ["n"], "suggest": {"x": {"prefix": "bern", "completion": {"field": "s"}}}}, "places")
    harness.expect(shown["suggest"]["x"][0]["options"][0]["_source"] == {"n": 1} and shown["hits"]["total"]["value"] == 0, f"a suggestion is {shown}")
    cluster.expect(400, "POST", "/places/_search", {"suggest": {"x": {"prefix": "b", "completion": {"field": "n"}}}})


def terms_alone(cluster, search):
    """Text of which only terms count, as Elasticsearch's `index_options: docs` without norms; and scrolls of what is read from the dictionary."""
    terms = {"type": "text", "norms": False, "index_options": "docs"}
    cluster.expect(200, "PUT", "/events", {"mappings": {"properties": {"type": {**terms, "fielddata": True}, "login": terms, "n": {"type": "integer"}, "say": {"type": "text"}}}})
    texts = ["PushEvent", "Push Event here", "Push push", "WatchEvent"]
    lines = [line for i, text in enumerate(texts) for line in ({"index": {"_id": f"{i}"}}, {"type": text, "login": f"User-{i}", "n": i, "say": "zone of explosion"})]
    harness.expect(not cluster.bulk("events", lines)["errors"], "documents are refused")

    def found(query):
        return sorted(hit["_id"] for hit in search({"query": query}, "events")["hits"]["hits"])

    for query, ids in (({"match": {"type": "PUSH"}}, "12"), ({"term": {"type": "PushEvent"}}, ""), ({"term": {"type": {"value": "PushEvent", "case_insensitive": True}}}, "0"),
                       ({"prefix": {"type": "p"}}, "012"), ({"wildcard": {"type": "*event"}}, "013"), ({"regexp": {"type": ".*event"}}, "013"),
                       ({"match": {"login": {"query": "user 2", "operator": "and"}}}, "2"), ({"query_string": {"query": "type:/push.*/ AND login:user"}}, "012"),
                       ({"match_phrase_prefix": {"say": "zone of expl"}}, "0123"), ({"match_phrase_prefix": {"say": {"query": "o", "max_expansions": 1}}}, "0123"), ({"exists": {"field": "type"}}, "0123")):
        harness.expect(found(query) == list(ids), f"{query} finds {found(query)}")
    # Five terms in four documents; of each the length 1, whatever it has.
    wanted = 2.2 * math.log(1 + 2.5 / 2.5) / (1 + 1.2 * (0.25 + 0.75 * 4 / 6))
    got = search({"query": {"match": {"type": "push"}}}, "events")["hits"]["max_score"]
    harness.expect(abs(got - wanted) < 1e-3 * wanted, f"a term scores {got}, not {wanted}")
    cluster.expect(400, "POST", "/events/_search", {"query": {"match_phrase": {"type": "push event"}}})
    cluster.expect(400, "POST", "/events/_search", {"size": 0, "aggs": {"t": {"terms": {"field": "login"}}}})
    buckets = search({"size": 0, "aggs": {"t": {"terms": {"field": "type", "size": 2}}}}, "events")["aggregations"]["t"]
    harness.expect([(b["key"], b["doc_count"]) for b in buckets["buckets"]] == [("push", 2), ("event", 1)] and buckets["sum_other_doc_count"] == 3, f"terms are {buckets}")
    harness.expect([hit["sort"] for hit in search({"sort": [{"type": "desc"}], "size": 2}, "events")["hits"]["hits"]] == [["watchevent"], ["pushevent"]], "an order by terms")
    # What is like the word is another word behind the first page.
    for query in ({"fuzzy": {"say": {"value": "zon", "prefix_length": 1}}}, {"term": {"type": "push"}}):
        first = cluster.expect(200, "POST", "/events/_search?scroll=1m", {"size": 1, "query": query})
        cluster.bulk("events", [{"index": {}}, {"say": "zoo", "type": "push"}])
        rest = cluster.expect(200, "POST", "/_search/scroll", {"scroll_id": first["_scroll_id"]})
        harness.expect(len(rest["hits"]["hits"]) == 1 and rest["hits"]["total"] == first["hits"]["total"], f"a scroll of {query} goes on with {rest}")
    resolved = cluster.expect(200, "GET", "/_resolve/index/ev*")
    harness.expect([one["name"] for one in resolved["indices"]] == ["events"], f"names mean {resolved}")
    cluster.expect(404, "GET", "/_resolve/index/nosuch")


def as_a_node_answers(cluster, search):
    """What is easily taken for something else: each pair of queries means the same, and each of the others is an error."""
    def of(kind, text, **more):
        return {kind: {"query": text, "fields": ["title"], **more}}

    river, bare = {"match": {"title": "river"}}, of("query_string", "river fox AND hill")
    each = [{"match": {"title": word}} for word in ("river", "fox", "hill")]
    for one, other in (
            (bare, {"bool": {"should": each[:1], "must": each[1:]}}), (of("query_string", "title :river"), river), (of("query_string", "river ^2"), {"match": {"title": {"query": "river", "boost": 2}}}),
            (of("query_string", 'n:["5" TO 7]'), {"range": {"n": {"gte": 5, "lte": 7}}}), (of("query_string", "n:>-1"), {"range": {"n": {"gt": -1}}}),
            (of("query_string", "_id:(1 OR 2)"), {"bool": {"should": [{"ids": {"values": [i]}} for i in "12"]}}), (of("query_string", "rivr~0.5"), {"match": {"title": "rivr"}}),
            (of("simple_query_string", " * "), {"match_all": {}}), (of("simple_query_string", "- river"), river), (of("simple_query_string", "river\\*"), river),
            (of("simple_query_string", "rivr~1"), {"fuzzy": {"title": {"value": "rivr", "fuzziness": 1}}}), (of("simple_query_string", "river|", flags="AND"), river),
            (of("simple_query_string", '"red fox"', fields=["title", "note"]), {"match_phrase": {"title": "red fox"}}),
            ({"match": {"title": {"query": "rivr", "fuzziness": "1.9"}}}, {"match": {"title": {"query": "rivr", "fuzziness": 1}}}),
            ({"match_bool_prefix": {"title": "river "}}, river), (of("multi_match", "fox riv", type="bool_prefix"), {"match_bool_prefix": {"title": "fox riv"}}),
            ({"match_bool_prefix": {"n": 7}}, {"term": {"n": 7}}), ({"prefix": {"_index": "thi"}}, {"match_all": {}}), (of("multi_match", "river", fields=["*"]), of("multi_match", "river", fields=["*"], lenient=True)),
            ({"bool": {"mustNot": [river]}}, {"bool": {"must_not": [river]}}), ({"bool": {"adjust_pure_negative": False, "must_not": [river]}}, {"match_none": {}})):
        found = [[(hit["_id"], hit["_score"]) for hit in sorted(search({"query": query, "size": 100, "_source": False})["hits"]["hits"], key=lambda hit: hit["_id"])] for query in (one, other)]
        harness.expect(found[0] == found[1], f"{one} and {other} find {found}")
    for body in ({"from": -1}, {"fields": "title"}, {"sort": ["_shard_doc"]}, {"terminate_after": "x"}, {"query": {"match": {"title": {"query": {"a": 1}}}}},
                 {"query": {"term": {"n": 2 ** 31}}}, {"query": {"range": {"n": {"lt": -2 ** 40}}}}, {"query": {"term": {"open": ""}}}, {"query": {"regexp": {"tag": {"value": "t.", "flags": "BAD"}}}},
                 {"query": {"match": {"title": {"query": "x", "fuzziness": "AUTO:5,2"}}}}, {"query": {"fuzzy": {"title": {"value": "x", "max_expansions": 0}}}}, {"query": {"range": {"_id": {"gt": "5"}}}},
                 *({"query": {"query_string": {"query": text}}} for text in ("()", "a AND OR b", "a NOT NOT b", "ti*:x", "n:[1 2 TO 3]", "a~x")),
                 *({"aggs": {"a": of}} for of in ({"terms": {"field": "tag", "execution_hint": "x"}}, {"terms": {"field": "n", "include": "a.*"}}, {"rare_terms": {"field": "tag", "max_doc_count": 101}},
                                                  {"date_histogram": {"field": "@timestamp", "calendar_interval": "day", "fixed_interval": "1d"}}, {"median_absolute_deviation": {"field": "open"}}))):
        cluster.expect(400, "POST", "/things/_search", body)
    counted = search({"size": 0, "aggs": {"t": {"terms": {"field": "n", "order": {"_count": "asc"}}},
                                          "h": {"date_histogram": {"field": "@timestamp", "interval": 2592000000, "min_doc_count": 1}}}})["aggregations"]
    harness.expect(counted["t"]["doc_count_error_upper_bound"] == -1 and counted["h"]["buckets"], f"aggregations are {counted}")
    cluster.expect(404, "POST", "/things/_explain/nosuch", {"query": {"match_all": {}}})
    harness.expect(cluster.expect(200, "POST", "/things/_explain/1", {"query": {"term": {"n": 2}}})["matched"] is False, "a document that doesn't match")
    positions = [[token["position"] for token in cluster.expect(200, "POST", at + "/_analyze", {"text": ["a b", "c"]})["tokens"]] for at in ("", "/things")]
    harness.expect(positions == [[0, 1, 2], [0, 1, 102]], f"positions are {positions}")
    cluster.expect(400, "POST", "/_msearch", '{"index":"things","nosuch":1}\n{}\n', kind="application/x-ndjson")
    harness.expect("_source" not in cluster.expect(200, "GET", "/things/_doc/1?stored_fields=title"), "a stored field")
    cluster.expect(400, "GET", "/things/_source/1?version=1")
    cluster.expect(404, "GET", "/things,others/_doc/1")


def test(setting):
    cluster = Filled(setting)
    documents, search = cluster.documents, cluster.search
    for field, word in (("title", "river"), ("note", "river")):
        got = search({"query": {"match": {field: word}}, "size": 100})
        wanted = scores(documents, field, word)
        harness.expect(got["hits"]["total"] == {"value": len(wanted), "relation": "eq"}, f"the total of {word}")
        for hit in got["hits"]["hits"]:
            harness.expect(abs(hit["_score"] - wanted[hit["_id"]]) <= 1e-3 * wanted[hit["_id"]], f"the score of {hit} is not {wanted[hit['_id']]}")
            harness.expect(hit["_source"] == documents[hit["_id"]], "a source is not what was sent")
    # A keyword has no length, so 1; on average a document has two values.
    wanted = 2.2 * math.log(1 + (60 - 20 + 0.5) / 20.5) / (1 + 1.2 * (0.25 + 0.75 / 2))
    got = search({"query": {"term": {"tag": "t1"}}})["hits"]["max_score"]
    harness.expect(abs(got - wanted) < 1e-3 * wanted, f"a keyword scores {got}, not {wanted}")

    seen, after = [], None
    while True:
        body = {"size": 7, "sort": [{"tag": "asc"}, {"n": "desc"}], "_source": False, **({"search_after": after} if after else {})}
        hits = search(body)["hits"]["hits"]
        if not hits:
            break
        seen += [hit["_id"] for hit in hits]
        after = hits[-1]["sort"]
    harness.expect(seen == sorted(documents, key=lambda i: -int(i)), f"pages by search_after are {seen}")

    answer = search({"size": 0, "aggs": {"t": {"terms": {"field": "tag", "order": {"_key": "asc"}}, "aggs": {"m": {"max": {"field": "n"}}}},
                                         "d": {"date_histogram": {"field": "@timestamp", "calendar_interval": "quarter"}},
                                         "r": {"range": {"field": "price", "ranges": [{"to": 5}, {"from": 5}]}}}})["aggregations"]
    harness.expect([(b["key"], b["doc_count"], b["m"]["value"]) for b in answer["t"]["buckets"]] ==
                   [("all", 60, 60.0), ("t0", 20, 60.0), ("t1", 20, 58.0), ("t2", 20, 59.0)], f"terms are {answer['t']}")
    harness.expect([b["doc_count"] for b in answer["d"]["buckets"]] == [15] * 4, f"quarters are {answer['d']}")
    harness.expect([b["doc_count"] for b in answer["r"]["buckets"]] == [19, 41], f"ranges are {answer['r']}")

    both = search({"query": {"match": {"title": "red"}}, "size": 3}, "things,others")
    harness.expect(both["_shards"]["total"] == 2 and both["hits"]["total"]["value"] > 1, "two indices are not searched")
    harness.expect(cluster.expect(200, "GET", "/things/_count?q=n:%3E50")["count"] == 10, "the count of a query string")
    lines = "".join(json.dumps(one) + "\n" for one in ({"index": "things"}, {"size": 1}, {"index": "nosuch"}, {"size": 1}))
    many = cluster.expect(200, "POST", "/_msearch", lines, kind="application/x-ndjson")["responses"]
    harness.expect([one["status"] for one in many] == [200, 404], f"an msearch answers {many}")

    like_words(cluster, search, documents)
    terms_alone(cluster, search)
    completions(cluster, search)
    as_a_node_answers(cluster, search)
    for body in ({"query": {"more_like_this": {"fields": ["title"], "like": "x"}}}, {"suggest": {"a": {"text": "x", "phrase": {"field": "title"}}}}, {"aggs": {"a": {"matrix_stats": {}}}},
                 {"query": {"match_phrase": {"title": {"query": "red fox", "slop": 1}}}}):
        refused = cluster.expect(400, "POST", "/things/_search", body)
        harness.expect("not supported" in refused["error"]["reason"], f"{body} is refused with {refused}")
    for body in ({"query": {"nosuch": {}}}, {"from": 9999, "size": 2}, {"sort": ["nosuch"]}, {"query": {"term": {"n": "abc"}}}):
        cluster.expect(400, "POST", "/things/_search", body)
    cluster.stop()


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
