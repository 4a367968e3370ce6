"""Debian's Python client of the Elasticsearch API. usage: python_client.py URL"""
import sys

from elasticsearch import Elasticsearch, helpers


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"python: {what}: {got}, not {wanted}")


client, index = Elasticsearch([sys.argv[1]]), "clients-python"
client.indices.create(index=index, body={"mappings": {"properties": {"title": {"type": "text"}, "year": {"type": "integer"}}}})
books = [{"_index": index, "_id": str(number), "title": title, "year": 2001 + number} for number, title in enumerate(("red fox", "red cat"))]
expect("helpers.bulk", helpers.bulk(client, books, refresh=True), (2, []))
found = client.search(index=index, body={"query": {"match": {"title": "red"}}, "sort": [{"year": "desc"}]})
expect("search", [hit["_id"] for hit in found["hits"]["hits"]], ["1", "0"])
expect("count", client.count(index=index)["count"], 2)
client.update(index=index, id="0", body={"doc": {"year": 1999}}, refresh=True)
expect("update", client.get(index=index, id="0")["_source"], {"title": "red fox", "year": 1999})
client.indices.delete(index=index)
expect("no index left", client.indices.exists(index=index), False)
print("python: all as wanted")
