"""What both tests of searches by the Elasticsearch API search: sixty documents on a whole cluster, and a few in another index."""
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


class Filled(Cluster):
    def __init__(self, setting):
        super().__init__(setting)
        self.expect(200, "PUT", "/things", {"mappings": MAPPING})
        self.expect(200, "PUT", "/others", {"mappings": {"properties": {"title": {"type": "text"}}}})
        self.documents = {str(i): document(i) for i in range(1, 61)}
        lines = [line for i, d in self.documents.items() for line in ({"index": {"_id": i}}, d)]
        harness.expect(not self.bulk("things", lines)["errors"], "documents are refused")
        self.bulk("others", [{"index": {"_id": "x"}}, {"title": "red red"}])

    def search(self, body, index="things"):
        return self.expect(200, "POST", f"/{index}/_search", body)
