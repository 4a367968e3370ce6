"""Brokers of several collections, for tests."""
import urllib.parse

import harness


class Broker:
    def __init__(self, setting, name, leaves, collections, *flags):
        (self.http,) = harness.free_ports(1)
        listed = [flag for leaf in leaves for flag in ("--leaf", f"tcp://127.0.0.1:{leaf.listen}")]
        named = [flag for collection in collections for flag in ("--collection", collection)]
        self.process = setting.spawn(name, "frond-broker", "--http", f"127.0.0.1:{self.http}", *named, *listed, "--poll-ms", "100", *flags)

    def ready(self):
        return harness.fetch(self.http, "/readyz", timeout=5)[0] == 200

    def ask(self, path, method="GET", body=None, **parameters):
        query = "?" + urllib.parse.urlencode({"timeout_ms": 20000, **parameters}) if parameters else ""
        status, text = harness.fetch(self.http, path + query, method=method, body=body)
        return status, text

    def search(self, query, timeout_ms=20000, collection=None, **parameters):
        path = f"/v1/collections/{collection}/search" if collection else "/v1/search"
        return harness.Answer(*self.ask(path, q=query, timeout_ms=timeout_ms, **parameters))


class Of:
    """A broker's searches of one collection, for harness.Watch."""

    def __init__(self, broker, collection):
        self.broker, self.collection = broker, collection

    def search(self, query, **parameters):
        return self.broker.search(query, collection=self.collection, **parameters)
