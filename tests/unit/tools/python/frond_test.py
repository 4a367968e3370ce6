"""tools/python/frond.py against a server that answers as a script says."""
import gzip
import http.server
import io
import json
import os
import socket
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..", "tools", "python"))
import frond  # noqa: E402


class Script(http.server.BaseHTTPRequestHandler):
    """Answers each request with the next of `answers`: (status, body), (status, body, headers), or None, which breaks the connection;
    when they are used up, with `otherwise(method, path, body)`."""
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        script = self.server.script
        script.asked.append((self.command, self.path, body, dict(self.headers)))
        reply = script.answers.pop(0) if script.answers else script.otherwise(self.command, self.path, body)
        if reply is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        status, text, *more = reply
        data = text if isinstance(text, bytes) else (text if isinstance(text, str) else json.dumps(text)).encode()
        self.send_response(status)
        for name, value in (more[0] if more else {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass

    def address_string(self):
        return "client"


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


class ModuleTest(unittest.TestCase):
    def setUp(self):
        self.answers, self.asked, self.otherwise = [], [], lambda *_: (500, "no more answers")
        self.slept = []
        patched = mock.patch.object(frond.time, "sleep", self.slept.append)
        patched.start()
        self.addCleanup(patched.stop)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Script)
        self.serve(self.server)
        self.client = frond.Client(f"http://127.0.0.1:{self.server.server_port}", collection="c", key="k", timeout=10)
        self.addCleanup(self.client.close)

    def serve(self, server):
        server.script, server.daemon_threads = self, True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

    @staticmethod
    def accept(_method, _path, body):
        return 200, "".join(json.dumps({"line": n, "id": json.loads(line)["id"], "status": 200}) + "\n" for n, line in enumerate(body.splitlines(), 1))

    def test_a_search_sends_its_parameters_and_key(self):
        self.answers = [(200, {"hits": [{"id": "1"}]})]
        self.assertEqual(self.client.search("links", k=3, fields=["id", "title"], filter=None)["hits"], [{"id": "1"}])
        method, path, body, headers = self.asked[0]
        self.assertEqual((method, path, json.loads(body)), ("POST", "/v1/collections/c/search", {"q": "links", "k": 3, "fields": "id,title"}))
        self.assertEqual(headers["Authorization"], "Bearer k")

    def test_what_is_packed_and_cut_is_asked_for_again(self):
        packed = gzip.compress(b'{"hits":[]}')
        for cut in (packed[:-9], packed[:10] + b"\xff" + packed[11:]):
            self.answers = [(200, cut, {"Content-Encoding": "gzip"}), (200, packed, {"Content-Encoding": "gzip"})]
            self.assertEqual(self.client.search("x"), {"hits": []})

    def test_a_collection_that_is_away_after_a_lost_answer_was_removed(self):
        self.answers = [None, (404, {"detail": "none"})]
        self.client.delete_collection("c")
        self.answers = [(404, {"detail": "none"})]
        with self.assertRaises(frond.RequestRefused):
            self.client.delete_collection("c")

    def test_a_refusal_is_an_exception_with_status_and_message(self):
        self.answers = [(400, {"detail": "k must be a whole number", "parameter": "k", "position": 2}), (500, "broken")]
        with self.assertRaises(frond.RequestRefused) as raised:
            self.client.search("x", k=0)
        self.assertEqual((raised.exception.status, raised.exception.message, raised.exception.parameter, raised.exception.position),
                         (400, "k must be a whole number", "k", 2))
        with self.assertRaisesRegex(frond.RequestRefused, "500: broken"):
            self.client.search("x")

    def test_busy_servers_are_asked_again_and_what_they_say_is_obeyed(self):
        self.answers = [(429, {"detail": "later"}, {"Retry-After": "3"}), (503, {"detail": "later"}), (200, {"count": 7})]
        self.assertEqual(self.client.count("x")["count"], 7)
        self.assertEqual(self.slept[0], 3)
        self.assertEqual(len({body for _, _, body, _ in self.asked}), 1)

    def test_a_busy_server_is_given_up_in_time(self):
        self.client = frond.Client(f"http://127.0.0.1:{self.server.server_port}", retry_seconds=0.5)
        self.otherwise = lambda *_: (429, {"detail": "full"}, {"Retry-After": "1"})
        with self.assertRaisesRegex(frond.RequestRefused, "429: full"):
            self.client.search("x")
        self.assertEqual(len(self.asked), 1)

    def test_a_broken_connection_is_made_again_with_the_same_key(self):
        self.answers, self.otherwise = [None], self.accept
        self.assertEqual(self.client.index([{"id": "1"}]).accepted, 1)
        keys = [headers["Idempotency-Key"] for _, _, _, headers in self.asked]
        self.assertEqual(len(keys), 2)
        self.assertEqual(keys[0], keys[1])

    def test_nobody_there_is_unreachable(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            client = frond.Client(f"http://127.0.0.1:{taken.getsockname()[1]}", retry_seconds=0)
            with self.assertRaises(frond.Unreachable):
                client.search("x")

    def test_documents_go_in_chunks_and_refused_ones_are_told_with_their_places(self):
        self.otherwise = self.accept
        self.client.index(({"id": str(n), "body": "x" * 100} for n in range(25)), chunk_documents=10)
        self.assertEqual([body.count(b"\n") for _, _, body, _ in self.asked], [10, 10, 5])
        self.client.index(({"id": str(n), "body": "x" * 100} for n in range(4)), chunk_bytes=250)
        self.assertEqual([body.count(b"\n") for _, _, body, _ in self.asked[3:]], [2, 2])
        self.answers = [(200, '{"line":1,"id":"0","status":200}\n'), (200, '{"line":1,"status":400,"detail":"no id"}\n')]
        with self.assertRaises(frond.DocumentsRefused) as raised:
            self.client.index([{"id": "0"}, "{}"], chunk_documents=1)
        self.assertEqual(raised.exception.result.refused, [frond.Refused(1, None, "no id")])
        self.assertEqual(raised.exception.result.accepted, 1)

    def test_a_chunk_that_is_too_large_goes_in_halves(self):
        self.otherwise = lambda method, path, body: (413, {"detail": "too large"}) if len(body) > 60 else self.accept(method, path, body)
        documents = [{"id": str(n), "body": "y" * (100 if n == 2 else 5)} for n in range(5)]
        result = self.client.index(documents, raise_refused=False)
        self.assertEqual((result.sent, result.accepted, result.refused), (5, 4, [frond.Refused(2, None, "too large")]))

    def test_changes_are_pairs_of_lines(self):
        self.answers = [(200, '{"id":"1","result":"created"}\n{"id":"2","result":"conflict"}\n{"id":"3","result":"refused","detail":"bad"}\n')]
        result = self.client.change([frond.Change("create", "1", {"id": "1"}), frond.Change("index", "2", {"id": "2"}, if_change=7),
                                     frond.Change("remove", "3")], raise_refused=False)
        self.assertEqual(self.asked[0][2], b'{"create":{"id":"1"}}\n{"id":"1"}\n{"index":{"id":"2","if_change":7}}\n{"id":"2"}\n{"remove":{"id":"3"}}\n')
        self.assertEqual(([answer["result"] for answer in result.answers], result.refused), (["created", "conflict", "refused"], [frond.Refused(2, "3", "bad")]))

    def test_ids_of_removed_documents_are_escaped(self):
        self.otherwise = lambda *_: (200, {})
        self.client.remove(["a/b", "é"])
        self.assertEqual([asked[:2] for asked in self.asked], [("DELETE", "/v1/collections/c/documents/a%2Fb"), ("DELETE", "/v1/collections/c/documents/%C3%A9")])

    def test_msearch_gives_errors_in_their_places(self):
        self.answers = [(200, '{"hits":[]}\n{"status":400,"detail":"mode"}\n{"count":2}\n')]
        got = list(self.client.msearch(["a", {"q": "b", "mode": "xor"}, {"q": "c", "count": True}]))
        self.assertEqual((got[0], got[1].status, got[1].message, got[2]), ({"hits": []}, 400, "mode", {"count": 2}))

    def test_matches_follow_cursors(self):
        self.answers = [(200, {"hits": [{"id": "1"}, {"id": "2"}], "cursor": "here"}), (200, {"hits": [{"id": "3"}]})]
        self.assertEqual([hit["id"] for hit in self.client.matches("x", page=2)], ["1", "2", "3"])
        bodies = [json.loads(body) for _, _, body, _ in self.asked]
        self.assertEqual(bodies[1], {**bodies[0], "search_after": "here"})

    def test_a_run_file_has_exact_scores(self):
        self.answers = [(200, '{"hits":[{"id":"d 1","score":6.3955841064453125},{"id":"d2","score":5}]}\n{"hits":[]}\n')]
        out = io.StringIO()
        self.assertEqual(self.client.run({"q1": "hard links", "q2": "x"}, out, tag="t"), 2)
        self.assertEqual(out.getvalue(), "q1 Q0 d_1 1 6.3955841064453125 t\nq1 Q0 d2 2 5 t\n")
        with self.assertRaises(ValueError):
            self.client.run([("1", "a"), ("1", "b")], out)

    def test_topics(self):
        self.assertEqual(list(frond.read_topics(["1\ta b\n", "\n", '{"qid": 2, "query": "c"}\n'])), [("1", "a b"), ("2", "c")])
        for bad in ("no tab", '{"id": 1}', "{", "1\t "):
            with self.assertRaisesRegex(ValueError, "line 1"):
                list(frond.read_topics([bad]))

    def test_compressed_answers_are_read_and_bounded(self):
        self.answers = [(200, gzip.compress(b'{"hits":[]}'), {"Content-Encoding": "gzip"})]
        self.assertEqual(self.client.search("x"), {"hits": []})
        self.answers = [(200, gzip.compress(b"0" * 2000), {"Content-Encoding": "gzip"})]
        with mock.patch.object(frond, "MAX_ANSWER_BYTES", 1000), self.assertRaisesRegex(frond.FrondError, "more than 1000 bytes"):
            self.client.search("x")

    def test_sockets_that_are_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            self.serve(UnixServer(path, Script))
            self.answers = [(200, {"fields": {}})]
            with frond.Client("unix:" + path) as client:
                self.assertEqual(client.schema(), {"fields": {}})

    def test_tls_with_authorities_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = os.path.join(folder, "key"), os.path.join(folder, "certificate")
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=test",
                            "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Script)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            server.socket = context.wrap_socket(server.socket, server_side=True)
            server.handle_error = lambda *_: None
            self.serve(server)
            self.answers = [(200, {"fields": {}})]
            url = f"https://127.0.0.1:{server.server_port}"
            with frond.Client(url, tls_ca=certificate, retry_seconds=0) as client:
                self.assertEqual(client.schema(), {"fields": {}})
            with frond.Client(url, timeout=10) as client, self.assertRaisesRegex(frond.Unreachable, "certificate"):
                client.schema()

    def test_addresses_that_are_none(self):
        for bad in ("127.0.0.1:80", "ftp://host", "http://", "http://u:p@host", "http://host?x=1"):
            with self.assertRaises(ValueError, msg=bad):
                frond.Client(bad)

    def test_a_table_of_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        table = frond.frame([{"id": "1", "score": 2}, {"id": "2", "score": 1}])
        self.assertEqual((list(table["id"]), list(table.columns)), (["1", "2"], ["id", "score"]))


if __name__ == "__main__":
    unittest.main()
