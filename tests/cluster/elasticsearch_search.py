#!/usr/bin/env python3
"""Searches of the Elasticsearch API on a whole cluster: hits, scores by the formula of BM25, orders, pages, aggregations, several indices,
and what is refused by name."""
import json
import math

import harness
from elasticsearch_cluster import Cluster

MAPPING = {"dynamic": "strict", "properties": {
    "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}}, "note": {"type": "text"}, "tag": {"type": "keyword"},
    "n": {"type": "integer"}, "price": {"type": "float"}, "@timestamp": {"type": "date"}, "open": {"type": "boolean"}}}


def document(i):
    words = ["red", "fox", "hill", "river", "stone", "blue"]
    source = {"title": " ".join(words[(i * k) % 6] for k in range(1, 3 + i % 5)), "tag": [f"t{i % 3}", "all"], "n": i, "price": i / 4,
              "@timestamp": f"2024-{1 + i % 12:02}-01T00:00:00Z", "open": i % 2 == 0}
    if i % 4:
        source["note"] = "river note" if i % 3 else "note"
    return source


def scores(documents, field, word):
    """Of each document that has the word: what Elasticsearch scores it."""
    texts = {i: d[field].split() for i, d in documents.items() if field in d}
    average = sum(map(len, texts.values())) / len(texts)
    having = [i for i, text in texts.items() if word in text]
    idf = math.log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
    return {i: 2.2 * idf * texts[i].count(word) / (texts[i].count(word) + 1.2 * (0.25 + 0.75 * len(texts[i]) / average)) for i in having}


def no_documents(cluster, search):
    """An index answers as soon as it is made, also one of our own routes that nothing was written to."""
    cluster.expect(200, "PUT", "/bare", {"mappings": MAPPING})
    nothing = {"total": {"value": 0, "relation": "eq"}, "max_score": None, "hits": []}

    def empty(path, body):
        answer = cluster.expect(200, "POST", path, body)
        harness.expect(answer["hits"] == nothing and answer["_shards"]["failed"] == 0, f"{path} with {body} answers {answer}")
        return answer

    empty("/bare/_search", None)
    for query in ({"match": {"title": "red"}}, {"term": {"tag": "all"}}, {"prefix": {"title": "re"}}, {"fuzzy": {"title": "rad"}}, {"exists": {"field": "n"}},
                  {"match_phrase_prefix": {"title": "red fo"}}, {"regexp": {"tag": "t.*"}}, {"wildcard": {"tag": "*1"}}, {"query_string": {"query": "red AND n:>5"}},
                  {"function_score": {"query": {"match": {"title": "red"}}, "field_value_factor": {"field": "n"}}}):
        empty("/bare/_search", {"query": query, "highlight": {"fields": {"title": {}}}})
    empty("/bare/_search", {"sort": [{"n": "desc"}, "tag"], "search_after": [5, "a"], "track_scores": True})
    empty("/bare/_search", {"collapse": {"field": "n"}})
    counted = empty("/bare/_search", {"aggs": {"t": {"terms": {"field": "tag"}, "aggs": {"m": {"max": {"field": "n"}}}}, "s": {"stats": {"field": "n"}},
                                               "d": {"date_histogram": {"field": "@timestamp", "calendar_interval": "day"}}, "c": {"cardinality": {"field": "tag"}},
                                               "r": {"range": {"field": "n", "ranges": [{"to": 5}]}}, "f": {"filter": {"term": {"tag": "x"}}},
                                               "p": {"percentiles": {"field": "price", "percents": [50]}}, "g": {"global": {}, "aggs": {"v": {"value_count": {"field": "n"}}}}}})
    harness.expect(counted["aggregations"] == {
        "t": {"doc_count_error_upper_bound": 0, "sum_other_doc_count": 0, "buckets": []}, "s": {"count": 0, "min": None, "max": None, "avg": None, "sum": 0.0},
        "d": {"buckets": []}, "c": {"value": 0}, "r": {"buckets": [{"key": "*-5.0", "to": 5.0, "doc_count": 0}]}, "f": {"doc_count": 0},
        "p": {"values": {"50.0": None}}, "g": {"doc_count": 0, "v": {"value": 0}}}, f"aggregations of nothing are {counted['aggregations']}")
    page = empty("/bare/_search?scroll=1m", {"query": {"match": {"title": "red"}}})
    harness.expect(cluster.expect(200, "POST", "/_search/scroll", {"scroll": "1m", "scroll_id": page["_scroll_id"]})["hits"]["hits"] == [], "a scroll goes on")
    point = cluster.expect(200, "POST", "/bare/_pit?keep_alive=1m")["id"]
    empty("/_search", {"pit": {"id": point}, "sort": ["n"]})
    harness.expect(cluster.expect(200, "GET", "/bare/_count")["count"] == 0, "a count")
    lines = "".join(json.dumps(one) + "\n" for one in ({"index": "bare"}, {"query": {"match_all": {}}}, {"index": "bare,things"}, {"size": 0}))
    many = cluster.expect(200, "POST", "/_msearch", lines, kind="application/x-ndjson")["responses"]
    harness.expect([one["hits"]["total"]["value"] for one in many] == [0, 60], f"an msearch answers {many}")
    listed = cluster.expect(200, "GET", "/_cat/indices/bare?format=json")[0]
    harness.expect((listed["docs.count"], listed["status"]) == ("0", "open"), f"it is listed as {listed}")
    harness.expect(cluster.expect(200, "GET", "/bare/_mapping")["bare"]["mappings"]["properties"]["n"] == {"type": "integer"}, "its mapping")
    cluster.expect(404, "GET", "/bare/_doc/1")
    harness.expect(cluster.expect(404, "GET", "/bare/_explain/1?q=red")["matched"] is False, "an explanation")
    harness.expect(cluster.expect(200, "POST", "/bare/_delete_by_query", {"query": {"match_all": {}}})["total"] == 0, "a change by query")
    harness.expect("n" in cluster.expect(200, "GET", "/bare/_field_caps?fields=*")["fields"], "its fields")
    cluster.expect(400, "POST", "/bare/_search", {"sort": ["n"], "search_after": ["abc"]})
    unfit_indices(cluster)
    cluster.expect(201, "PUT", "/v1/collections/plain", {}, port=cluster.service_port)
    harness.eventually(lambda: cluster.ask("GET", "/plain/_search")[0] == 200, "a collection of our own routes without documents is searched", 10)
    before = cluster.expect(200, "GET", "/_count")
    harness.expect(before["_shards"]["failed"] == 0 and cluster.expect(200, "POST", "/*/_search", {"size": 1})["hits"]["total"]["value"] == before["count"] == 61,
                   f"all together are {before}")
    cluster.bulk("bare", [{"index": {"_id": "1"}}, {"title": "red fox", "n": 1}], query="")
    answers = []

    def is_there():
        status, answer, _ = cluster.ask("GET", "/bare/_count?q=title:red")
        answers.append(status)
        return status == 200 and answer["count"] == 1

    harness.eventually(is_there, "the first document is found", 20)
    harness.expect(set(answers) == {200}, f"until then an index answers {answers}")
    point = cluster.expect(200, "POST", "/_search", {"pit": {"id": point}, "sort": ["n"]})
    harness.expect(point["hits"]["total"]["value"] == 0, f"a point in time before the first document has {point['hits']}")
    for index in ("bare", "plain"):
        cluster.ask("DELETE", f"/v1/collections/{index}", port=cluster.service_port)


def unfit_indices(cluster):
    """An index that a search doesn't fit fails alone, and says why; not unheard in a later stage of it."""
    cluster.expect(200, "PUT", "/lacking", {"mappings": {"properties": {"title": {"type": "text"}, "n": {"type": "keyword"}}}})
    of_one = {"query": {"term": {"n": "x"}}}  # `n` is a number in the other one
    for query, lacks in (({"collapse": {"field": "price"}}, "lacking"), (of_one, "things")):
        shards = cluster.expect(200, "POST", "/lacking,things/_search", query)["_shards"]
        harness.expect(shards["failed"] == 1 and [one["index"] for one in shards["failures"]] == [lacks], f"{query} fails as {shards}")
        cluster.expect(400, "POST", "/lacking,things/_search?allow_partial_search_results=false", query)
    again = {"query": {"match": {"title": "red"}}, "rescore": {"window_size": 50, "query": {"rescore_query": of_one["query"]}}}
    cluster.expect(400, "POST", "/lacking,things/_search", again)
    harness.expect(cluster.expect(200, "POST", "/lacking,things/_validate/query", of_one)["valid"] is False, "a query that fits one index alone is valid")
    harness.expect(cluster.expect(200, "POST", "/lacking/_validate/query", of_one)["valid"] is True, "a query that fits is not valid")
    cluster.expect(200, "DELETE", "/lacking")


def several_stages(cluster, search, documents):
    """What takes several searches, and searches that go on."""
    page = cluster.expect(200, "POST", "/things/_search?scroll=1m", {"size": 25, "query": {"match": {"title": "red"}}, "_source": False})
    seen, total = [], page["hits"]["total"]["value"]
    while page["hits"]["hits"]:
        seen += [hit["_id"] for hit in page["hits"]["hits"]]
        page = cluster.expect(200, "POST", "/_search/scroll", {"scroll": "1m", "scroll_id": page["_scroll_id"]})
    harness.expect(len(seen) == len(set(seen)) == total > 25, f"a scroll gives {len(seen)} of {total}")
    harness.expect(cluster.expect(200, "DELETE", "/_search/scroll", {"scroll_id": page["_scroll_id"]})["num_freed"] == 1, "a scroll is closed")
    cluster.expect(404, "POST", "/_search/scroll", {"scroll_id": page["_scroll_id"]})
    point = cluster.expect(200, "POST", "/things/_pit?keep_alive=1m")["id"]
    first = cluster.expect(200, "POST", "/_search", {"size": 2, "sort": ["n"], "pit": {"id": point}})
    after = cluster.expect(200, "POST", "/_search", {"size": 2, "sort": ["n"], "pit": {"id": first["pit_id"]}, "search_after": first["hits"]["hits"][-1]["sort"]})
    harness.expect(not {h["_id"] for h in first["hits"]["hits"]} & {h["_id"] for h in after["hits"]["hits"]}, "pages of a point in time meet")
    cluster.expect(200, "DELETE", "/_pit", {"id": point})
    cluster.expect(404, "POST", "/_search", {"pit": {"id": point}})

    best = search({"query": {"function_score": {"query": {"match": {"title": "red"}}, "field_value_factor": {"field": "n"}, "boost_mode": "replace"}}, "size": 3})
    scores = [hit["_score"] for hit in best["hits"]["hits"]]
    harness.expect(scores == sorted(scores, reverse=True) and all(hit["_source"]["n"] == hit["_score"] for hit in best["hits"]["hits"]), f"scores are {scores}")
    one_each = search({"collapse": {"field": "n", "inner_hits": {"name": "x", "size": 1}}, "sort": ["n"], "size": 3})["hits"]["hits"]
    harness.expect([hit["inner_hits"]["x"]["hits"]["hits"][0]["_id"] for hit in one_each] == [hit["_id"] for hit in one_each], "collapsed hits")
    named = search({"query": {"bool": {"should": [{"match": {"title": {"query": "red", "_name": "r"}}}, {"range": {"n": {"gt": 0, "_name": "n"}}}]}}, "version": True, "size": 1})
    harness.expect(set(named["hits"]["hits"][0]["matched_queries"]) == {"r", "n"} and named["hits"]["hits"][0]["_version"] == 1, f"a hit is {named}")
    counted = search({"size": 0, "aggs": {"c": {"composite": {"size": 3, "sources": [{"t": {"terms": {"field": "tag"}}}]}, "aggs": {"h": {"max": {"field": "n"}}}},
                                          "t": {"terms": {"field": "tag", "include": "t.*"}, "aggs": {"top": {"top_hits": {"size": 1, "sort": [{"n": "desc"}]}}}},
                                          "m": {"max_bucket": {"buckets_path": "t>_count"}}}})["aggregations"]
    harness.expect(counted["c"]["after_key"] == {"t": "t1"} and counted["m"]["value"] == 20, f"aggregations are {counted}")
    harness.expect([b["top"]["hits"]["hits"][0]["_source"]["n"] for b in counted["t"]["buckets"]] == [60, 58, 59], "the first of each bucket")
    cluster.expect(400, "POST", "/things/_search?scroll=25h", {})
    cluster.expect(400, "POST", "/_search/scroll", {"scroll_id": "****"})


def long_pages(cluster, search):
    """Pages and windows of more hits than one search of Frond's has."""
    cluster.expect(200, "PUT", "/many", {"mappings": {"properties": {"n": {"type": "integer"}, "k": {"type": "keyword"}, "l": {"type": "integer"}}}})
    lines = [line for i in range(1300) for line in ({"index": {"_id": f"{i:04}"}}, {"n": i, "k": f"k{i % 7}", "l": [i, -i]})]
    harness.expect(not cluster.bulk("many", lines)["errors"], "documents are refused")
    ids = [f"{i:04}" for i in range(1300)]

    def found(body):
        return [hit["_id"] for hit in search({"_source": False, **body}, "many")["hits"]["hits"]]

    harness.expect(found({"size": 5000, "sort": ["n"]}) == ids, "a page of 1,300")
    harness.expect(found({"size": 1200, "sort": ["n"], "search_after": [99]}) == ids[100:], "a page behind a value")
    harness.expect(sorted(found({"size": 1100}) + found({"from": 1100, "size": 1100})) == ids, "pages by score")
    harness.expect(search({"from": 1250, "size": 10}, "many")["hits"]["max_score"] == 1.0, "the best score of a late page")
    harness.expect(found({"size": 3, "from": 1200, "sort": ["_id"]}) == ids[1200:1203], "a page that the broker orders")
    named = search({"size": 1300, "query": {"range": {"n": {"gte": 0, "_name": "n"}}}, "sort": ["n"], "track_scores": True}, "many")["hits"]["hits"]
    harness.expect(all(hit["matched_queries"] == ["n"] and hit["_score"] == 1.0 for hit in named) and len(named) == 1300, "hits beyond the first 1,000")
    first = search({"size": 3, "collapse": {"field": "k"}, "sort": [{"l": {"mode": "max", "order": "desc"}}, {"n": {"missing": 3}}]}, "many")["hits"]["hits"]
    harness.expect([hit["_id"] for hit in first] == ids[:-4:-1], f"collapsed hits in an order of the broker's are {first}")
    inner = search({"size": 1, "collapse": {"field": "k", "inner_hits": {"size": 1}}, "post_filter": {"range": {"n": {"lt": 14}}}, "sort": ["n"]}, "many")
    harness.expect(inner["hits"]["hits"][0]["inner_hits"]["k"]["hits"]["total"]["value"] == 2, "inner hits are those that the filter lets through")
    refused = cluster.expect(400, "POST", "/many/_delete_by_query?refresh=true", {"query": {"bool": {"must_not": [{"regexp": {"k": ".*1.*"}}]}}})
    harness.expect("not supported" in refused["error"]["reason"] and cluster.expect(200, "GET", "/many/_count")["count"] == 1300, "what is not like a pattern stays")
    cluster.expect(400, "POST", "/many,things/_search", {"from": 995, "size": 10})
    unfit = {"query": {"bool": {"must_not": [{"term": {"price": "x"}}]}}, "sort": ["n"], "from": 5, "size": 2}  # "many" has no price
    page = search(unfit, "many,things")
    harness.expect([hit["_id"] for hit in page["hits"]["hits"]] == ids[5:7] and page["_shards"]["failed"] == 1, f"an index that a query doesn't fit: {page}")
    cluster.expect(400, "POST", "/things/_search", unfit)
    cluster.expect(400, "POST", "/many,nosuch/_search", {"query": {"match": {"k": "x"}, "term": {"n": 1}}})
    cluster.expect(400, "POST", "/many/_search?scroll=1m", {"size": 1001})


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


def scrolls(cluster, search):
    """A scroll of two indices gives all hits once, in the order of one search, of the generations that it began with."""
    cluster.expect(200, "POST", "/_aliases", {"actions": [{"add": {"index": "left", "alias": "some", "filter": {"term": {"open": True}}}},
                                                           {"add": {"index": "right", "alias": "some"}}]})
    for index, body in (("left,right", {"sort": [{"n": "desc"}]}), ("left,right", {"query": {"match": {"title": "red"}}}), ("some", {"sort": ["tag"]}),
                        ("left,right", {"sort": ["_doc"]}), ("left,right", {"query": {"match_all": {}}, "sort": [{"price": {"order": "asc", "unmapped_type": "float"}}]})):
        whole = search({**body, "size": 100}, index)["hits"]
        for size in (1, 7):
            page = cluster.expect(200, "POST", f"/{index}/_search?scroll=1m", {**body, "size": size, "aggs": {"most": {"max": {"field": "n"}}}})
            harness.expect(page["aggregations"]["most"]["value"] > 0, f"{page}")
            seen = []
            if size == 7 and index == "some":  # and none of one index was shown
                cluster.expect(201, "PUT", "/left/_doc/new?refresh=true", {"tag": "a", "open": True, "n": 0})
            while page["hits"]["hits"]:
                seen += [(hit["_index"], hit["_id"]) for hit in page["hits"]["hits"]]
                harness.expect(page["hits"]["total"] == whole["total"] and page["_shards"]["total"] == 2, f"{index} {body}: {page}")
                page = cluster.expect(200, "POST", "/_search/scroll", {"scroll": "1m", "scroll_id": page["_scroll_id"]})
            wanted = [(hit["_index"], hit["_id"]) for hit in whole["hits"]]
            harness.expect(seen == wanted and len(wanted) > 10, f"{index} {body} in pages of {size}: {seen}, not {wanted}")
            if size == 7 and index == "some":
                cluster.expect(200, "DELETE", "/left/_doc/new?refresh=true")


def several_indices(cluster, search, documents):
    """Aggregations over two indices, of which one lacks a field, are those over one index with all of their documents."""
    fields = dict(MAPPING["properties"], tag={"type": "keyword"})
    fewer = {name: of for name, of in fields.items() if name != "price"}
    for name, properties in (("left", fields), ("right", fewer), ("whole", fields)):
        cluster.expect(200, "PUT", "/" + name, {"mappings": {"properties": properties}})
    lines = {"left": [], "right": [], "whole": []}
    for i, document_of in documents.items():
        at = "left" if int(i) % 3 else "right"
        source = {**document_of, "tag": document_of["tag"][0]}
        if at == "right":
            source.pop("price")
        for name in (at, "whole"):
            lines[name] += [{"index": {"_id": i}}, source]
    for name, of in lines.items():
        harness.expect(not cluster.bulk(name, of)["errors"], "documents are refused")
    inside = {"aggs": {"s": {"stats": {"field": "n"}}, "p": {"avg": {"field": "price"}}}}
    asked = {
        "terms": {"terms": {"field": "tag", "size": 2}, **inside}, "by price": {"terms": {"field": "tag", "order": {"p": "desc"}}, **inside},
        "rest": {"terms": {"field": "tag", "size": 1}},
        "months": {"date_histogram": {"field": "@timestamp", "calendar_interval": "month"}, **inside},
        "tens": {"histogram": {"field": "n", "interval": 10, "min_doc_count": 0}}, "ranges": {"range": {"field": "n", "ranges": [{"to": 7}, {"from": 7, "to": 30}]}, **inside},
        "filters": {"filters": {"filters": {"open": {"term": {"open": True}}, "t": {"term": {"tag": "t1"}}}}, **inside},
        "missing": {"missing": {"field": "price"}}, "all": {"global": {}, **inside},
        "different": {"cardinality": {"field": "tag"}}, "percentiles": {"percentiles": {"field": "n", "percents": [1, 50, 99]}},
        "pairs": {"composite": {"size": 5, "sources": [{"t": {"terms": {"field": "tag"}}}, {"o": {"terms": {"field": "open"}}}]}},
        "most": {"max_bucket": {"buckets_path": "terms>s.sum"}}}
    for query in ({"match_all": {}}, {"match": {"title": "red"}}, {"term": {"tag": "t2"}}, {"term": {"tag": "nothing"}}):
        for more in ({"size": 0}, {"size": 3}, {"size": 0, "post_filter": {"range": {"n": {"gt": 20}}}}):
            if more.get("post_filter"):
                asked = {name: of for name, of in asked.items() if name != "missing"}
            for half in ([name for name in asked if name < "n" and name != "most"], [name for name in asked if name > "n"] + ["most"]):
                body = {"query": query, "aggs": {name: asked[name] for name in half}, **more}
                two, one = search(body, "left,right"), search(body, "whole")
                harness.expect(two["hits"]["total"] == one["hits"]["total"], f"totals {two['hits']['total']} and {one['hits']['total']}")
                for name, wanted in one["aggregations"].items():
                    harness.expect(two["aggregations"][name] == wanted, f"{query} {more} {name}: {two['aggregations'][name]} of two indices, {wanted} of one")
    top = search({"size": 0, "aggs": {"t": {"terms": {"field": "tag"}, "aggs": {"h": {"top_hits": {"size": 1, "sort": [{"n": "desc"}]}}}}}}, "left,right")
    harness.expect([b["h"]["hits"]["hits"][0]["_source"]["n"] for b in top["aggregations"]["t"]["buckets"]] == [60, 58, 59], f"{top}")
    top = search({"size": 0, "aggs": {"m": {"missing": {"field": "price"}, "aggs": {"h": {"top_hits": {"size": 100}}}}}}, "left,right")["aggregations"]["m"]
    harness.expect({h["_id"] for h in top["h"]["hits"]["hits"]} == {i for i in documents if int(i) % 3 == 0} and top["doc_count"] == 20, f"{top}")
    scrolls(cluster, search)
    cluster.expect(200, "PUT", "/words", {"mappings": {"properties": {"n": {"type": "keyword"}}}})
    cluster.bulk("words", [{"index": {"_id": "w"}}, {"n": "word"}])
    refused = cluster.expect(400, "POST", "/left,words/_search", {"size": 0, "aggs": {"a": {"terms": {"field": "n"}}}})
    harness.expect("[n]" in refused["error"]["reason"], f"{refused}")
    none = cluster.expect(200, "POST", "/nosuch*/_search", {"aggs": {"a": {"terms": {"field": "n"}}}})
    harness.expect("aggregations" not in none, f"{none}")
    healths = [cluster.expect(200, "GET", f"/_cat/indices/left,right?format=json&h=index&health={health}") for health in ("green", "yellow", "red")]
    harness.expect(sorted(len(of) for of in healths) == [0, 0, 2], f"{healths}")
    cluster.expect(400, "GET", "/_cat/indices?health=blue")


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
    cluster = Cluster(setting)
    cluster.expect(200, "PUT", "/things", {"mappings": MAPPING})
    cluster.expect(200, "PUT", "/others", {"mappings": {"properties": {"title": {"type": "text"}}}})
    documents = {str(i): document(i) for i in range(1, 61)}
    lines = [line for i, d in documents.items() for line in ({"index": {"_id": i}}, d)]
    harness.expect(not cluster.bulk("things", lines)["errors"], "documents are refused")
    cluster.bulk("others", [{"index": {"_id": "x"}}, {"title": "red red"}])

    def search(body, index="things"):
        return cluster.expect(200, "POST", f"/{index}/_search", body)

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

    no_documents(cluster, search)
    several_stages(cluster, search, documents)
    long_pages(cluster, search)
    like_words(cluster, search, documents)
    terms_alone(cluster, search)
    several_indices(cluster, search, documents)
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
