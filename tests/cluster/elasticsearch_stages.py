#!/usr/bin/env python3
"""Searches of the Elasticsearch API that take several of Frond's, on a whole cluster: indices without documents, stages, pages that go on,
long pages, several indices."""
import base64
import json

import harness
from elasticsearch_documents import MAPPING, Filled


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
    both = cluster.expect(200, "POST", "/lacking,things/_validate/query?explain=true", of_one)
    harness.expect(both["_shards"] == {"total": 2, "successful": 2, "failed": 0} and [(one["index"], one["valid"]) for one in both["explanations"]] ==
                   [("lacking", True), ("things", False)], f"indices read a query as {both}")
    cluster.expect(200, "DELETE", "/lacking")
    for path, body in (("/things", {"query": {"match_all": {}}, "aggs": {}}), ("/nosuch", {"query": {"nosuch": {}}}), ("/things", {"query": {"fuzzy": {"x": {"value": "a", "fuzziness": "b"}}}})):
        unread = cluster.expect(200, "POST", path + "/_validate/query?explain=true", body)
        harness.expect(sorted(unread) == ["error", "valid"] and unread["valid"] is False and unread["error"].startswith("ParsingException["), f"{body} is {unread}")
    for status, path, body in ((400, "/things/_validate/query", {}), (400, "/things/_validate/query?q=red", of_one), (404, "/nosuch*/_validate/query", of_one)):
        cluster.expect(status, "POST", path, body)


def several_stages(cluster, search):
    """What takes several searches, and searches that go on."""
    page = cluster.expect(200, "POST", "/things/_search?scroll=1m", {"size": 25, "query": {"match": {"title": "red"}}, "_source": False})
    seen, total = [], page["hits"]["total"]["value"]
    while page["hits"]["hits"]:
        seen += [hit["_id"] for hit in page["hits"]["hits"]]
        page = cluster.expect(200, "POST", "/_search/scroll", {"scroll": "1m", "scroll_id": page["_scroll_id"]})
    harness.expect(len(seen) == len(set(seen)) == total > 25, f"a scroll gives {len(seen)} of {total}")
    harness.expect(cluster.expect(200, "DELETE", "/_search/scroll", {"scroll_id": page["_scroll_id"]})["num_freed"] == 1, "a scroll is closed")
    cluster.expect(404, "POST", "/_search/scroll", {"scroll_id": page["_scroll_id"]})
    page = cluster.expect(200, "POST", "/things/_search?scroll=1m", {"size": 1, "query": {"match": {"title": "red"}}})
    place = json.loads(base64.urlsafe_b64decode(page["_scroll_id"] + "=="))
    for changed in ({"from": 5}, {"size": 0}, {"size": 1e6}):  # ids are what clients make of them
        text = base64.urlsafe_b64encode(json.dumps({**place, "b": {**place["b"], **changed}}).encode()).decode().rstrip("=")
        cluster.expect(400, "POST", "/_search/scroll", {"scroll_id": text})
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


def test(setting):
    cluster = Filled(setting)
    no_documents(cluster, cluster.search)
    several_stages(cluster, cluster.search)
    long_pages(cluster, cluster.search)
    several_indices(cluster, cluster.search, cluster.documents)
    cluster.stop()


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
