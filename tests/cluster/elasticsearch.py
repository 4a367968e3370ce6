#!/usr/bin/env python3
"""The Elasticsearch API on a whole cluster: indices made and removed, documents in bulk and one by one, versions, aliases, refresh,
restarts of all programs, keys and scopes of every route, and what is refused."""
import gzip
import http.client
import json
import signal
import threading

import harness
from elasticsearch_cluster import Cluster

# Method, path, the scope that it needs.
SCOPES = [("GET", "/", "search"), ("GET", "/_cat/indices", "search"), ("GET", "/_cluster/health", "search"), ("GET", "/_nodes", "search"), ("GET", "/_resolve/index/a", "search"),
          ("GET", "/_stats", "search"), ("GET", "/a", "search"), ("GET", "/a/_mapping", "search"), ("GET", "/a/_settings", "search"),
          ("GET", "/_alias", "search"), ("GET", "/a/_doc/1", "search"), ("GET", "/a/_source/1", "search"), ("POST", "/a/_mget", "search"),
          ("GET", "/_search", "search"), ("POST", "/a/_search", "search"), ("GET", "/a/_count", "search"), ("POST", "/_msearch", "search"),
          ("GET", "/a/_validate/query", "search"), ("GET", "/a/_explain/1?q=x", "search"), ("GET", "/a/_field_caps?fields=*", "search"),
          ("GET", "/_analyze?text=x", "search"),
          ("POST", "/a/_bulk", "write"), ("PUT", "/a/_doc/1", "write"), ("POST", "/a/_doc", "write"), ("PUT", "/a/_create/9", "write"),
          ("POST", "/a/_update/1", "write"), ("DELETE", "/a/_doc/1", "write"), ("POST", "/a/_refresh", "write"),
          ("PUT", "/a/_mapping", "admin"), ("PUT", "/a/_settings", "admin"), ("PUT", "/a/_alias/b", "admin"), ("POST", "/_aliases", "admin"),
          ("GET", "/_index_template", "search"), ("GET", "/_template", "search"), ("GET", "/_component_template", "search"),
          ("PUT", "/_index_template/s", "admin"), ("PUT", "/_template/s", "admin"), ("DELETE", "/_index_template/s", "admin"),
          ("POST", "/_reindex", "search,admin"), ("POST", "/a/_update_by_query", "search,write"), ("POST", "/a/_delete_by_query", "search,write"),
          ("GET", "/_cluster/settings", "search"), ("PUT", "/_cluster/settings", "admin"), ("POST", "/_search/scroll", "search"), ("POST", "/a/_pit?keep_alive=1m", "search"), ("DELETE", "/a/_alias/b", "admin"), ("PUT", "/b", "admin"), ("DELETE", "/b", "admin")]


def indices(cluster):
    made = cluster.expect(200, "PUT", "/books", {"settings": {"number_of_shards": 1, "number_of_replicas": 0},
                                                 "mappings": {"properties": {"title": {"type": "text"}, "year": {"type": "integer"}}}})
    harness.expect(made == {"acknowledged": True, "shards_acknowledged": True, "index": "books"}, made)
    again = cluster.expect(400, "PUT", "/books")
    harness.expect(again["error"]["type"] == "resource_already_exists_exception", again)
    shown = cluster.expect(200, "GET", "/books")["books"]
    harness.expect(shown["mappings"]["properties"] == {"title": {"type": "text"}, "year": {"type": "integer"}}, shown)
    harness.expect(shown["settings"]["index"]["number_of_replicas"] == "0" and shown["settings"]["index"]["provided_name"] == "books", shown)
    for name, status in (("UPPER", 400), ("has%20space", 400), ("_x", 400)):
        cluster.expect(status, "PUT", f"/{name}")
    harness.expect(cluster.expect(404, "GET", "/nosuch")["error"]["type"] == "index_not_found_exception", "a missing index")
    harness.expect(cluster.ask("HEAD", "/books")[0] == 200 and cluster.ask("HEAD", "/nosuch")[0] == 404, "HEAD")
    print("indices are made and shown")


def documents(cluster):
    first = cluster.bulk("books", [{"index": {"_id": "1"}}, {"title": "the whale", "year": 1851}, {"create": {"_id": "2"}},
                                   {"title": "a sea of words", "year": 1900}, {"create": {"_id": "1"}}, {"title": "twice"},
                                   {"delete": {"_id": "9"}}, {"index": {"_id": "3"}}, {"year": "no number"}])
    harness.expect([next(iter(item.values()))["status"] for item in first["items"]] == [201, 201, 409, 404, 400], first)
    harness.expect(first["errors"] and [next(iter(i.values())).get("_seq_no") for i in first["items"]] == [0, 1, None, 2, None], first)
    harness.expect(cluster.count("books", "whale") == 1, "a search does not find it after refresh=true")
    got = cluster.expect(200, "GET", "/books/_doc/1")
    harness.expect(got == {"_index": "books", "_id": "1", "_version": 1, "_seq_no": 0, "_primary_term": 1, "found": True,
                           "_source": {"title": "the whale", "year": 1851}}, got)
    spaced = '{ "title":  "kept as it was", "year": 1e3 }'
    cluster.expect(201, "PUT", "/books/_doc/raw", spaced)
    connection = http.client.HTTPConnection("127.0.0.1", cluster.api)
    connection.request("GET", "/books/_source/raw", headers={"Authorization": "Bearer " + cluster.keys["search"]})
    harness.expect(connection.getresponse().read().decode() == spaced, "the source is not as it was given")
    updated = cluster.expect(200, "POST", "/books/_update/1?refresh=wait_for", {"doc": {"year": 1852, "place": "Nantucket"}})
    harness.expect(updated["_version"] == 2 and updated["result"] == "updated", updated)
    harness.expect("place" in cluster.expect(200, "GET", "/books/_mapping")["books"]["mappings"]["properties"], "a new field is not mapped")
    harness.expect(cluster.expect(200, "POST", "/books/_update/1", {"doc": {"year": 1852}})["result"] == "noop", "no noop")
    seq = cluster.expect(200, "GET", "/books/_doc/1")["_seq_no"]
    cluster.expect(409, "PUT", f"/books/_doc/1?if_seq_no={seq - 1}&if_primary_term=1", {"title": "late"})
    cluster.expect(200, "PUT", f"/books/_doc/1?if_seq_no={seq}&if_primary_term=1&refresh=true", {"title": "in time"})
    harness.expect(cluster.count("books", "whale") == 0 and cluster.count("books", "time") == 1, "the change is not searched")
    cluster.expect(404, "POST", "/books/_update/nosuch", {"doc": {"year": 1}})
    cluster.expect(201, "POST", "/books/_update/new", {"doc": {"year": 1}, "upsert": {"title": "upserted"}})
    harness.expect(len(cluster.expect(201, "POST", "/books/_doc", {"title": "no id"})["_id"]) == 20, "no id is made")
    many = cluster.expect(200, "POST", "/books/_mget", {"ids": ["1", "2", "none"]})["docs"]
    harness.expect([doc["found"] for doc in many] == [True, True, False], many)
    harness.expect(cluster.expect(200, "DELETE", "/books/_doc/2?refresh=true")["result"] == "deleted", "a removal")
    cluster.expect(404, "GET", "/books/_doc/2")
    harness.expect(cluster.expect(404, "DELETE", "/books/_doc/2")["result"] == "not_found", "a second removal")
    packed = gzip.compress(b'{"index":{"_id":"z"}}\n{"title":"zipped"}\n')
    cluster.bulk("books", [], body=packed, Content_Encoding="gzip")
    harness.expect(cluster.count("books", "zipped") == 1, "a compressed body")
    print("documents are written, read, changed and removed")


def guessed(cluster):
    made = cluster.bulk("guess", [{"index": {"_id": "1"}}, {"text": "hello world", "n": 1}])
    harness.expect(not made["errors"], made)
    mapping = cluster.expect(200, "GET", "/guess/_mapping")["guess"]["mappings"]
    harness.expect(mapping == {"properties": {"n": {"type": "long"}, "text": {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}}}},
                   mapping)
    print("an index is made by what comes, with its mapping")


def records(cluster):
    """The service makes records of documents, up to one that brings fields, and says what is wrong with them."""
    cluster.expect(200, "PUT", "/maps", {"mappings": {"properties": {"o": {"properties": {"k": {"type": "keyword", "ignore_above": 2}}},
                                                                    "n": {"type": "short"}, "d": {"type": "date", "format": "dd/MM/yyyy"}}}})
    lines = []
    for document in ({"n": "7", "o": {"k": ["ab", "abc"]}, "d": "02/01/2020"}, {"n": 40000}, {"n": 1, "new": "text"}, {"n": 2}):
        lines += [{"index": {"id": "2" if "new" in document or document["n"] == 2 else "1", "mapped": True}}, document]
    body = "".join(json.dumps(line) + "\n" for line in lines + [{"remove": {"id": "1"}}, {"index": {"id": "3", "mapped": True}}]) + "7\n"
    status, answer, _ = cluster.ask("POST", "/v1/collections/maps/changes", body, port=cluster.service_port, kind="application/x-ndjson")
    told = [json.loads(line) for line in answer.splitlines()]
    harness.expect(status == 200 and [one["result"] for one in told] == ["created", "refused", "waiting"], (status, answer))
    harness.expect(told[1]["error"]["type"] == "mapper_parsing_exception" and "new" in told[2]["mapping"]["properties"], answer)
    cluster.expect(200, "POST", "/maps/_refresh")
    found = cluster.expect(200, "POST", "/maps/_search?rest_total_hits_as_int=true", {
        "query": {"bool": {"filter": [{"term": {"o.k": "ab"}}, {"term": {"n": 7}}, {"range": {"d": {"gte": "02/01/2020", "lt": "03/01/2020"}}}]}}})
    harness.expect(found["hits"]["total"] == 1 and found["hits"]["hits"][0]["_source"]["n"] == "7", found)
    # The broker sends the rest again, in the order of each document.
    made = cluster.bulk("maps", [{"index": {"_id": "2"}}, {"n": 1, "new": "text"}, {"index": {"_id": "2"}}, {"n": 2}, {"delete": {"_id": "1"}},
                                 {"index": {"_id": "4"}}, {"n": 40000}, {"create": {"_id": "4"}}, {"n": 4}])
    told = [(one["status"], one.get("_version")) for item in made["items"] for one in item.values()]
    harness.expect(told == [(201, 1), (200, 2), (200, 2), (400, None), (201, 1)], made)
    harness.expect(made["items"][3]["index"]["error"]["type"] == "mapper_parsing_exception" and "40000" in json.dumps(made["items"][3]), made)
    harness.expect(cluster.expect(200, "GET", "/maps/_doc/2")["_source"] == {"n": 2}, "the last change does not count")
    cluster.expect(201, "PUT", "/maps/_doc/5", '{\n "n": 5,\r\n "new": "lines"\n}')
    cluster.expect(400, "PUT", "/maps/_doc/6", " ")
    for end in "\n\r":
        broken = cluster.expect(400, "PUT", "/maps/_doc/6", '{"new":"x' + end + 'y"}')
        harness.expect(broken["error"]["type"] == "mapper_parsing_exception", broken)
    cluster.expect(200, "DELETE", "/maps")
    print("the service makes records, and what waits for new fields is sent again")


def refused_fields(cluster):
    """Where the client's key changes things, and may not add fields, only documents that bring some fail."""
    http_port, api = harness.free_ports(2)
    broker = cluster.setting.spawn("passing", "frond-broker", "--http", f"127.0.0.1:{http_port}", "--elasticsearch-api", f"0.0.0.0:{api}",
                                   "--collection", "*", "--leaf", f"tcp://127.0.0.1:{cluster.leaf}", "--threads", "2", "--indexer-service",
                                   f"http://127.0.0.1:{cluster.service_port}", "--indexer-key", cluster.setting.path("key-search.key"))
    cluster.expect(200, "PUT", "/fixed", {"mappings": {"properties": {"n": {"type": "long"}}}})
    harness.eventually(lambda: cluster.ask("GET", "/fixed", port=api)[0] == 200, "the broker knows the index", 30)
    lines = []
    for n in range(9):
        lines += [{"index": {"_id": str(n)}}, {"n": n} if n % 4 != 1 else {"n": n, f"new{n}": 1}]
    body = "".join(json.dumps(line) + "\n" for line in lines)
    status, made, _ = cluster.ask("POST", "/fixed/_bulk", body, scopes="write", port=api, kind="application/x-ndjson")
    told = [one["status"] for item in made["items"] for one in item.values()] if status == 200 else made
    harness.expect(told == [201, 403, 201, 201, 201, 403, 201, 201, 201], (status, made))
    cluster.expect(200, "DELETE", "/fixed")
    broker.terminate()
    harness.expect(broker.wait(30) == 0, "the broker does not end well")
    print("a document whose fields are refused fails alone")


def aliases(cluster):
    cluster.expect(200, "POST", "/_aliases", {"actions": [{"add": {"index": "books", "alias": "shelf"}}, {"add": {"index": "guess", "alias": "shelf"}}]})
    harness.expect(sorted(cluster.expect(200, "GET", "/_alias/shelf")) == ["books", "guess"], "an alias of two")
    cluster.expect(400, "PUT", "/shelf/_doc/1", {"title": "which"})
    cluster.expect(200, "POST", "/_aliases", {"actions": [{"add": {"index": "guess", "alias": "shelf", "is_write_index": True}}]})
    harness.expect(cluster.expect(201, "PUT", "/shelf/_doc/by-alias", {"n": 7})["_index"] == "guess", "the write index")
    cluster.expect(400, "DELETE", "/shelf")
    print("aliases")


def templates(cluster):
    cluster.expect(200, "PUT", "/_component_template/one", {"template": {"settings": {"number_of_replicas": 0}}})
    cluster.expect(200, "PUT", "/_index_template/notes", {"index_patterns": ["notes-*"], "composed_of": ["one"], "priority": 3, "template": {
        "mappings": {"properties": {"k": {"type": "keyword"}}}, "aliases": {"notes": {}}}})
    cluster.expect(400, "PUT", "/_index_template/other", {"index_patterns": ["notes*"], "priority": 3})
    cluster.expect(400, "PUT", "/_index_template/notes?create=true", {"index_patterns": ["notes-*"]})
    cluster.expect(400, "DELETE", "/_component_template/one")
    cluster.bulk("notes-1", [{"index": {"_id": "1"}}, {"k": "Whole Text"}])
    made = cluster.expect(200, "GET", "/notes-1")["notes-1"]
    harness.expect(made["mappings"]["properties"] == {"k": {"type": "keyword"}} and made["aliases"] == {"notes": {}}, made)
    harness.expect(made["settings"]["index"]["number_of_replicas"] == "0", made)
    shown = cluster.expect(200, "GET", "/_index_template/no*")["index_templates"]
    harness.expect([one["name"] for one in shown] == ["notes"] and shown[0]["index_template"]["priority"] == 3, shown)
    harness.expect(cluster.ask("HEAD", "/_index_template/notes")[0] == 200 and cluster.ask("HEAD", "/_index_template/none")[0] == 404, "HEAD")
    cluster.expect(200, "PUT", "/_template/old", {"index_patterns": ["old*"], "settings": {"number_of_shards": 2}})
    harness.expect(cluster.expect(200, "GET", "/_template/old")["old"]["settings"] == {"index": {"number_of_shards": "2"}}, "an old template")
    cluster.expect(200, "DELETE", "/_index_template/notes")
    cluster.expect(404, "DELETE", "/_index_template/notes")
    cluster.expect(200, "DELETE", "/notes-1")
    print("templates")


def made_by_documents(cluster):
    """action.auto_create_index says which indices documents make."""
    def set_to(value):
        return cluster.expect(200, "PUT", "/_cluster/settings", {"persistent": {"action.auto_create_index": value}})
    harness.expect(set_to(False) == {"acknowledged": True, "persistent": {"action": {"auto_create_index": "false"}}, "transient": {}}, "a setting")
    cluster.expect(404, "PUT", "/unmade/_doc/1", {"n": 1})
    set_to("made-*,-unmade")
    lines = "".join(f'{{"index":{{"_index":"{name}","_id":"1"}}}}\n{{"n":1}}\n' for name in ("unmade", "made-1"))
    items = cluster.expect(200, "POST", "/_bulk", lines, kind="application/x-ndjson")["items"]
    harness.expect([one["index"]["status"] for one in items] == [404, 201] and items[0]["index"]["error"]["type"] == "index_not_found_exception", items)
    refused = cluster.expect(400, "PUT", "/_cluster/settings", {"transient": {"search.max_buckets": 5}})
    harness.expect("[search.max_buckets]" in refused["error"]["reason"], refused)
    harness.expect(cluster.expect(200, "GET", "/_cluster/settings?flat_settings=true")["persistent"] == {"action.auto_create_index": "made-*,-unmade"}, "kept")
    set_to(None)
    cluster.expect(201, "PUT", "/unmade/_doc/1", {"n": 1})
    cluster.expect(200, "DELETE", "/unmade,made-1")
    print("which indices documents make")


def by_query(cluster):
    lines = [line for n in range(2500) for line in ({"index": {"_id": str(n)}}, {"n": n, "k": "even" if n % 2 == 0 else "odd"})]
    cluster.expect(200, "PUT", "/many", {"mappings": {"properties": {"n": {"type": "long"}, "k": {"type": "keyword"}}}})
    cluster.bulk("many", lines)
    copied = cluster.expect(200, "POST", "/_reindex?refresh=true", {"source": {"index": "many", "query": {"term": {"k": "odd"}}, "_source": ["n"]},
                                                                    "dest": {"index": "copy"}})
    harness.expect((copied["total"], copied["created"], copied["batches"]) == (1250, 1250, 2), copied)
    harness.expect(cluster.expect(200, "GET", "/copy/_doc/7")["_source"] == {"n": 7}, "a part of a source")
    again = cluster.expect(409, "POST", "/_reindex", {"source": {"index": "many"}, "dest": {"index": "copy", "op_type": "create"}, "max_docs": 10})
    harness.expect(again["version_conflicts"] == 5 and again["failures"][0]["status"] == 409, again)
    cluster.expect(400, "POST", "/_reindex", {"source": {"index": "many"}, "dest": {"index": "many"}})
    cluster.expect(404, "POST", "/_reindex", {"source": {"index": "none"}, "dest": {"index": "copy"}})
    cluster.expect(201, "PUT", "/copy/_doc/fresh", {"n": 1})
    cluster.expect(200, "PUT", "/copy/_doc/7", {"n": 700})  # not searched yet, so that it is a conflict
    gone = cluster.expect(200, "POST", "/copy/_delete_by_query?refresh=true&conflicts=proceed", {"query": {"range": {"n": {"lt": 100}}}})
    harness.expect((gone["total"], gone["deleted"], gone["version_conflicts"]) == (50, 49, 1), gone)
    left = cluster.expect(200, "POST", "/copy/_count", {"query": {"match_all": {}}})["count"]
    harness.expect(left == 1250 + 5 - 49 + 1, left)  # five of the ten were not there
    cluster.expect(200, "PUT", "/many/_mapping", {"properties": {"k": {"type": "keyword", "fields": {"t": {"type": "text"}}}}})
    changed = cluster.expect(200, "POST", "/many/_update_by_query?refresh=true&q=k:even")
    harness.expect((changed["updated"], changed["version_conflicts"]) == (1250, 0), changed)
    harness.expect(cluster.expect(200, "POST", "/many/_count", {"query": {"match": {"k.t": "even"}}})["count"] == 1250, "a field that came later")
    for body in ({}, {"query": {"match_all": {}}, "script": {"source": "x"}}, {"query": {"match_all": {}}, "slice": {"id": 0, "max": 2}}):
        cluster.expect(400, "POST", "/many/_delete_by_query", body)
    cluster.expect(403, "POST", "/many/_delete_by_query", {"query": {"match_all": {}}}, scopes="write")
    cluster.expect(200, "DELETE", "/many,copy")
    print("documents are removed, changed and copied by query")


def waiting(cluster):
    """Many that wait for a refresh do not keep others from writing."""
    cluster.expect(200, "PUT", "/waits")
    answers = []
    threads = [threading.Thread(target=lambda n=n: answers.append(cluster.ask("PUT", f"/waits/_doc/{n}?refresh=wait_for", {"n": n})[0])) for n in range(40)]
    for thread in threads:
        thread.start()
    for n in range(20):
        cluster.expect(201, "PUT", f"/waits/_doc/plain-{n}", {"n": n})
    for thread in threads:
        thread.join()
    harness.expect(answers == [201] * 40, answers)
    for round in range(5):  # an index that is made again shows nothing of what it was
        cluster.expect(200, "DELETE", "/waits")
        cluster.expect(200, "PUT", "/waits")
        cluster.expect(201, "PUT", "/waits/_doc/only?refresh=true", {"n": round})
        harness.expect(cluster.expect(200, "GET", "/waits/_count")["count"] == 1, f"round {round}")
    cluster.expect(200, "DELETE", "/waits")
    cluster.expect(400, "PUT", "/lacks", {"mappings": {"properties": {"p": {"type": "geo_point"}}}})
    for method, path in (("PUT", "/lacks/_doc/1"), ("POST", "/lacks/_search")):
        answer = cluster.expect(404, method, path, {})
        harness.expect("geo_point" in answer["error"]["reason"], answer)
    cluster.expect(200, "DELETE", "/lacks")
    cluster.expect(201, "PUT", "/lacks/_doc/1", {"p": "1,2"})
    cluster.expect(200, "DELETE", "/lacks")
    print("waiting, making again, and what can't be made")


def removed_meanwhile(cluster):
    """A refresh that waits for a leaf ends when its index is removed; it waited for half a minute."""
    cluster.expect(200, "PUT", "/leaves")
    cluster.expect(201, "PUT", "/leaves/_doc/1?refresh=true", {"n": 1})
    cluster.leaf_process.send_signal(signal.SIGSTOP)
    try:
        cluster.expect(201, "PUT", "/leaves/_doc/2", {"n": 2})
        answers = []
        waits = threading.Thread(target=lambda: answers.append(cluster.ask("POST", "/leaves/_refresh")[0]))
        waits.start()
        harness.eventually(lambda: cluster.ask("GET", "/v1/collections/leaves", port=cluster.service_port)[1]["generation"] == 2, "it is published")
        harness.expect(not answers, f"the refresh has not waited: {answers}")
        cluster.expect(200, "DELETE", "/leaves")
        waits.join(10)
        harness.expect(answers == [200], f"a refresh of an index that was removed: {answers}")
    finally:
        cluster.leaf_process.send_signal(signal.SIGCONT)
    print("a refresh of what is removed")


def refused(cluster):
    for body in (b'{"index":{}}', b'{"nosuch":{}}\n{}\n', b'{"index":{"_id":"1"}}\n', b"[1]\n", b"\n", b"{\n"):
        got, answer, _ = cluster.ask("POST", "/books/_bulk", body, kind="application/x-ndjson")
        harness.expect(got == 400 and answer["error"]["root_cause"], f"{body}: {got} {answer}")
    for path, kind, status in (("/books/_doc/x?nosuch=1", None, 400), ("/books/_doc/x", "text/plain", 406)):
        cluster.expect(status, "PUT", path, "{}", kind=kind)
    got, _, headers = cluster.ask("DELETE", "/books/_bulk")
    harness.expect(got == 405 and "POST" in headers["Allow"], headers)
    harness.expect(cluster.ask("PUT", "/books/_doc/x", gzip.compress(b" " * (17 << 20)), Content_Encoding="gzip")[0] == 413, "a body of 17 MiB in a few KB")
    harness.expect(cluster.ask("PUT", "/books/_doc/x", b"no gzip", Content_Encoding="gzip")[0] == 400, "a broken body")
    _, answer, headers = cluster.ask("GET", "/", Accept="application/vnd.elasticsearch+json;compatible-with=8")
    harness.expect(headers["X-Elastic-Product"] == "Elasticsearch" and headers["Content-Type"] == "application/vnd.elasticsearch+json;compatible-with=8", headers)
    harness.expect(cluster.expect(200, "GET", "/?filter_path=version.number") == {"version": {"number": answer["version"]["number"]}}, "filter_path")
    own = "/v1/collections/own"  # not made by this API
    harness.expect(cluster.ask("PUT", own, {"schema": {"fields": {"title": {"type": "text"}}}}, port=cluster.service_port)[0] == 201, "a collection")
    harness.eventually(lambda: cluster.ask("GET", "/own")[0] == 200, "the broker knows the collection", 30)
    lacks = cluster.bulk("own", [{"index": {"_id": "1"}}, {"title": "x"}], query="")["items"][0]["index"]
    harness.expect(lacks["status"] == 400 and "not supported" in lacks["error"]["reason"], lacks)
    harness.expect(cluster.ask("DELETE", own, port=cluster.service_port)[0] == 200, "the collection is removed")
    print("what is wrong is refused")


def scopes(cluster):
    cluster.expect(200, "PUT", "/a")
    cluster.expect(201, "PUT", "/a/_doc/0", {"n": 1}, scopes="write")
    cluster.expect(403, "PUT", "/guessed/_doc/0", {"n": 1}, scopes="write")
    for port, prefix in ((cluster.api, ""), (cluster.http, "/es")):
        for method, path, needed in SCOPES:
            for held in ("search", "write", "admin", "search,write,admin", None):
                body = "{}" if method in ("PUT", "POST") and not path.endswith("_refresh") else None
                got, answer, _ = cluster.ask(method, prefix + path, body, scopes=held, port=port)
                allowed = held is not None and set(needed.split(",")) <= set(held.split(","))
                harness.expect((got not in (401, 403)) == allowed, f"{method} {prefix}{path} with {held}: {got} {answer}")
                harness.expect(allowed or answer["error"]["type"] == "security_exception", f"{method} {path}: {answer}")
    cluster.ask("DELETE", "/a")
    cluster.ask("DELETE", "/b")
    print("keys and scopes hold on", len(SCOPES), "routes, on both ports")


def killed(cluster):
    """What was acknowledged and is in the log alone outlives kill -9, with its version and number."""
    cluster.expect(200, "POST", "/books/_refresh")
    made = cluster.bulk("books", [line for n in range(500) for line in ({"index": {"_id": f"k{n % 400}"}}, {"title": f"killed {n}", "year": n})], query="")
    harness.kill9(cluster.service)
    cluster.start_service()
    harness.eventually(lambda: cluster.ask("GET", "/readyz", port=cluster.service_port)[0] == 200, "the service is ready", 30)
    told = {item["index"]["_id"]: (item["index"]["_version"], item["index"]["_seq_no"]) for item in made["items"]}
    got = cluster.expect(200, "POST", "/books/_mget", {"ids": list(told)})["docs"]
    harness.expect({one["_id"]: (one["_version"], one["_seq_no"]) for one in got} == told, "a version or a number is another one")
    harness.expect([one["_source"]["year"] for one in got] == [n + 400 if n < 100 else n for n in range(400)], "a document is another one")
    cluster.expect(200, "POST", "/books/_refresh")
    harness.expect(cluster.count("books", "killed") == 400, "documents are not searched after kill -9")
    print("what _bulk acknowledged outlives kill -9")


def restarts(cluster):
    before = [cluster.expect(200, "GET", path) for path in ("/books", "/_alias", "/books/_doc/1", "/guess/_doc/by-alias")]
    cluster.stop()
    cluster.start()
    harness.eventually(lambda: cluster.count("books", "time") == 1, "the documents are searched again", 30)
    after = [cluster.expect(200, "GET", path) for path in ("/books", "/_alias", "/books/_doc/1", "/guess/_doc/by-alias")]
    harness.expect(before == after, f"{before} became {after}")
    for path in ("/,", "/%zz", "/*", "/_all", "/books,*", "/books/_alias/%zz"):
        cluster.expect(400, "DELETE", path)
    cluster.expect(403, "DELETE", "/books", Origin="http://evil.example")
    cluster.expect(200, "DELETE", "/books,guess")
    harness.expect(cluster.expect(200, "GET", "/_cat/indices?format=json") == [], "indices that were removed")
    print("indices, aliases and documents outlive restarts")


def test(setting):
    cluster = Cluster(setting)
    indices(cluster)
    documents(cluster)
    guessed(cluster)
    records(cluster)
    refused_fields(cluster)
    aliases(cluster)
    templates(cluster)
    made_by_documents(cluster)
    by_query(cluster)
    waiting(cluster)
    removed_meanwhile(cluster)
    refused(cluster)
    scopes(cluster)
    killed(cluster)
    restarts(cluster)
    cluster.stop()


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
