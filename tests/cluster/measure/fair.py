#!/usr/bin/env python3
"""What one client with two connections and cheap searches gets while another asks for dear ones on fifty connections: alone, beside it, and
what two clients with fifty and five connections get of the same work. Clients are told apart by address, then by key. Prints a line each.

usage: fair.py [--seconds 5] [--documents 300000] [--rounds 3] [--by address,key]
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402
from fair_shares import Client, make_collection, make_keys  # noqa: E402

parser = harness.arguments(__doc__)
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--documents", type=int, default=300000)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--by", default="address,key")
LARGE, SMALL, FEW = 50, 2, 5


def compare(parsed, cluster, by, large, small, cheap, dear):
    kinds = {"60 frequent words": [{**one, "timeout_ms": 1000} for one in dear], "1,000 hits of 60 words": [{**one, "k": 1000} for one in dear]}
    for number in range(parsed.rounds):
        print(json.dumps({"by": by, "round": number, "small alone": Client(cluster, parsed.seconds, small, SMALL, cheap).figures()}), flush=True)
        for name, searches in kinds.items():
            clients = {"large": Client(cluster, parsed.seconds, large, LARGE, searches), "small": Client(cluster, parsed.seconds, small, SMALL, cheap)}
            print(json.dumps({"by": by, "round": number, "large asks for": name, **{who: one.figures() for who, one in clients.items()}}), flush=True)
            clients = {f"{LARGE} connections": Client(cluster, parsed.seconds, large, LARGE, searches),
                       f"{FEW} connections": Client(cluster, parsed.seconds, small, FEW, searches)}
            print(json.dumps({"by": by, "round": number, "both ask for": name, **{who: one.figures() for who, one in clients.items()}}), flush=True)


def test(setting, parsed):
    repository, cheap, dear = make_collection(setting, parsed.documents)
    if "address" in parsed.by:
        cluster = harness.Cluster(setting, repository, "c", 1)
        compare(parsed, cluster, "address", ("127.0.0.2", ""), ("127.0.0.3", ""), cheap, dear)
        cluster.stop()
    if "key" in parsed.by:
        file, keys = make_keys(setting, large=1, small=1)
        cluster = harness.Cluster(setting, repository, "c", 1, name="k", broker_flags=("--api-keys", file))
        compare(parsed, cluster, "key", ("127.0.0.1", keys["large"]), ("127.0.0.1", keys["small"]), cheap, dear)
        cluster.stop()


parsed_arguments = parser.parse_args()
harness.run(lambda setting: test(setting, parsed_arguments), parsed_arguments)
