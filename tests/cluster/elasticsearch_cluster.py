"""A broker with the Elasticsearch API, a leaf and the indexer's service, for the tests of that API."""
import http.client
import json
import subprocess

import harness


class Cluster:
    def __init__(self, setting, refresh_ms=500):
        self.setting, self.repository, self.refresh_ms = setting, setting.path("repository"), refresh_ms
        subprocess.run(["mkdir", self.repository], check=True)
        self.service_port, self.leaf, self.leaf_http, self.http, self.api = harness.free_ports(5)
        self.keys = {}
        entries = []
        for scopes in ("search", "write", "admin", "search,write,admin"):
            name = scopes.replace(",", "-")
            prefix = setting.path("key-" + name)
            subprocess.run([setting.program("frond"), "keygen", "--api-key", name, "--scopes", scopes, "--output", prefix], check=True,
                           stdout=subprocess.DEVNULL)
            with open(prefix + ".key", encoding="utf-8") as file:
                self.keys[scopes] = file.read().strip()
            with open(prefix + ".entry", encoding="utf-8") as file:
                entries.append(file.read())
        self.key_file = setting.path("keys")
        with open(self.key_file, "w", encoding="utf-8") as file:
            file.write("".join(entries))
        self.own_key = setting.path("key-search-write-admin.key")
        self.start()

    def start_service(self):
        self.service = self.setting.spawn("service", "frond-indexer", "serve", "--repository", self.repository, "--listen",
                                          f"127.0.0.1:{self.service_port}", "--api-keys", self.key_file, "--refresh-ms", str(self.refresh_ms))

    def start(self):
        spawn = self.setting.spawn
        self.start_service()
        self.leaf_process = spawn("leaf", "frond-leaf", "--repository", self.repository, "--collection", "*", "--data", self.setting.path("leaf"),
                                  "--listen", f"tcp://127.0.0.1:{self.leaf}", "--http", f"127.0.0.1:{self.leaf_http}", "--gpu", "off")
        self.broker = spawn("broker", "frond-broker", "--http", f"127.0.0.1:{self.http}", "--elasticsearch-api", f"127.0.0.1:{self.api}",
                            "--collection", "*", "--leaf", f"tcp://127.0.0.1:{self.leaf}", "--threads", "2", "--api-keys", self.key_file,
                            "--indexer-service", f"http://127.0.0.1:{self.service_port}", "--indexer-key", self.own_key)
        harness.eventually(lambda: self.ask("GET", "/readyz", port=self.service_port)[0] == 200, "the service is ready", 30)
        harness.eventually(lambda: self.ask("GET", "/readyz", port=self.http)[0] == 200, "the broker is ready", 30)
        harness.eventually(lambda: self.ask("GET", "/_cat/health")[0] == 200, "the catalogue is there", 30)

    def stop(self):
        for process in (self.broker, self.leaf_process, self.service):
            process.terminate()
        for process in (self.broker, self.leaf_process, self.service):
            harness.expect(process.wait(30) == 0, "a program does not end well")

    def ask(self, method, path, body=None, scopes="search,write,admin", port=None, kind=None, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.api, timeout=30)
        headers = {"Authorization": f"Bearer {self.keys[scopes]}"} if scopes else {}
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None:
            headers["Content-Type"] = kind or "application/json"
        headers.update({name.replace("_", "-"): value for name, value in fields.items()})
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            text = reply.read()
        except OSError:
            return 0, None, {}
        finally:
            connection.close()
        try:
            return reply.status, json.loads(text), dict(reply.getheaders())
        except ValueError:
            return reply.status, text.decode(), dict(reply.getheaders())

    def expect(self, status, method, path, body=None, **rest):
        got, answer, _ = self.ask(method, path, body, **rest)
        harness.expect(got == status, f"{method} {path}: {got} instead of {status}: {str(answer)[:400]}")
        return answer

    def bulk(self, index, lines, query="?refresh=true", **rest):
        body = "".join(json.dumps(line) + "\n" for line in lines)
        return self.expect(200, "POST", f"/{index}/_bulk{query}", rest.pop("body", body), kind="application/x-ndjson", **rest)

    def count(self, collection, query):
        """Documents that the broker's own API finds."""
        status, answer, _ = self.ask("GET", f"/v1/collections/{collection}/count?q={query}", port=self.http)
        return answer["count"] if status == 200 else -1
