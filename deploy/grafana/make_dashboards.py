#!/usr/bin/env python3
"""Writes Grafana's dashboards from the tables below. One call makes one panel, so that a change is easy to review.

usage: make_dashboards.py          writes dashboards/*.json beside this file
       make_dashboards.py --check  exit 1 if the files differ from what this would write
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = {"type": "prometheus", "uid": "prometheus"}
LEAF = '{instance=~"$instance"}'
DEVICE = "instance, device"


def rate(counter, by="", where=""):
    summed = f"rate({counter}{where}[$__rate_interval])"
    return f"sum by ({by}) ({summed})" if by else f"sum({summed})"


def quantile(q, histogram, by="", where=""):
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({q}, sum by ({labels}) (rate({histogram}_bucket{where}[$__rate_interval])))"


def average(histogram, where="", by=""):
    return f"{rate(histogram + '_sum', by, where)} / {rate(histogram + '_count', by, where)}"


def quantiles(histogram, where=""):
    return [(quantile(q, histogram, where=where), f"p{name}") for q, name in ((0.5, 50), (0.95, 95), (0.99, 99))]


def panel(title, unit, *targets, width=8, kind="timeseries", stack=False, why="", thresholds=None):
    """`targets`: (PromQL, legend). Units are Grafana's: s, reqps, bytes, percentunit, short …"""
    defaults = {"unit": unit, "min": 0}
    options = {}
    if kind == "timeseries":
        defaults["custom"] = {"lineWidth": 1, "fillOpacity": 25 if stack else 5, "showPoints": "never",
                              "stacking": {"mode": "normal" if stack else "none", "group": "A"}}
        options = {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
                   "tooltip": {"mode": "multi", "sort": "desc"}}
    elif kind == "stat":
        steps = [{"color": "green", "value": None}] + [{"color": c, "value": v} for v, c in (thresholds or ())]
        defaults |= {"color": {"mode": "thresholds"}, "thresholds": {"mode": "absolute", "steps": steps}}
        options = {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "colorMode": "value",
                   "graphMode": "area", "justifyMode": "auto", "orientation": "auto", "textMode": "auto"}
    return {"title": title, "description": why, "type": kind, "datasource": SOURCE, "width": width, "options": options,
            "fieldConfig": {"defaults": defaults, "overrides": []},
            "targets": [{"refId": chr(ord("A") + i), "datasource": SOURCE, "expr": expr, "legendFormat": legend}
                        for i, (expr, legend) in enumerate(targets)]}


def stat(title, unit, expr, thresholds=(), why=""):
    return panel(title, unit, (expr, ""), width=4, kind="stat", thresholds=thresholds, why=why)


def dashboard(uid, title, rows, by_instance=None):
    """`rows`: (heading, panels). `by_instance`: a metric whose instances can be chosen from."""
    panels, y, number = [], 0, 1
    for heading, members in rows:
        panels.append({"id": number, "type": "row", "title": heading, "collapsed": False, "panels": [],
                       "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}})
        number, y, x = number + 1, y + 1, 0
        for member in members:
            width = member["width"]
            height = 4 if member["type"] == "stat" else 8
            if x + width > 24:
                x, y = 0, y + height
            placed = {key: value for key, value in member.items() if key != "width"}
            panels.append({"id": number, **placed, "gridPos": {"h": height, "w": width, "x": x, "y": y}})
            number, x = number + 1, x + width
        y += height
    variables = []
    if by_instance:
        query = f"label_values({by_instance}, instance)"
        variables.append({"name": "instance", "label": "Instance", "type": "query", "datasource": SOURCE, "query": query,
                          "definition": query, "refresh": 2, "sort": 1, "multi": True, "includeAll": True, "allValue": ".*",
                          "current": {"text": "All", "value": "$__all"}})
    links = [{"type": "dashboards", "tags": ["frond"], "title": "Frond", "asDropdown": True, "includeVars": False,
              "keepTime": True, "targetBlank": False, "icon": "external link", "tooltip": "", "url": ""}]
    return {"uid": uid, "title": title, "tags": ["frond"], "schemaVersion": 39, "version": 1, "editable": False, "refresh": "30s",
            "time": {"from": "now-1h", "to": "now"}, "timezone": "browser", "graphTooltip": 1, "links": links,
            "templating": {"list": variables}, "annotations": {"list": []}, "panels": panels}


def overview():
    searches, time = "frond_broker_searches_total", "frond_broker_search_duration_seconds"
    return dashboard("frond-overview", "Frond, overview", [
        ("Now", [
            stat("Searches a second", "reqps", rate(searches)),
            stat("Failed or incomplete", "percentunit", "frond:search_errors:ratio_rate5m", ((0.001, "orange"), (0.01, "red"))),
            stat("99 of 100 answered within", "s", "frond:search_duration_seconds:p99_rate5m", ((0.2, "orange"), (0.5, "red"))),
            stat("Answered from the cache", "percentunit", "frond:result_cache_hits:ratio_rate5m"),
            stat("Partitions without a leaf", "short", "max(frond_broker_partitions - frond_broker_partitions_covered)", ((1, "red"),)),
            stat("Generation", "none", "max(frond_broker_generation)"),
        ]),
        ("Searches", [
            panel("By outcome", "reqps", (rate(searches, "outcome"), "{{outcome}}"), stack=True),
            panel("Duration", "s", *quantiles(time)),
            panel("p99 by what the cache did", "s", (quantile(0.99, time, "cache"), "{{cache}}")),
            panel("HTTP by route and status", "reqps", (rate("frond_http_requests_total", "route, code", '{job="frond-broker"}'), "{{route}} {{code}}")),
            panel("In flight", "short", ("sum(frond_broker_searches_in_flight)", "in flight"), ("sum(frond_broker_searches_in_flight_limit)", "limit"),
                  ("sum(frond_broker_searches_in_flight_allowed)", "allowed now"), ("sum(frond_broker_msearch_searches_in_flight)", "of msearches"), ("sum(frond_broker_costly_searches_in_flight)", "costly"),
                  why="Searches that leaves evaluate; over what is allowed now they get 429."),
            panel("Connections", "short", ("sum by (instance) (frond_http_connections)", "{{instance}}")),
        ]),
        ("Result cache", [
            panel("Found, missed, shared", "reqps", (rate("frond_broker_cache_hits_total"), "hits"), (rate("frond_broker_cache_misses_total"), "misses"),
                  (rate("frond_broker_cache_coalesced_total"), "shared an evaluation")),
            panel("Bytes", "bytes", ("sum(frond_broker_cache_bytes)", "held"), ("sum(frond_broker_cache_limit_bytes)", "limit")),
            panel("Stored, evicted, too large", "ops", (rate("frond_broker_cache_stored_total"), "stored"),
                  (rate("frond_broker_cache_evictions_total"), "evicted"), (rate("frond_broker_cache_too_large_total"), "too large")),
        ]),
        ("Cluster", [
            panel("Leaves, as the brokers see them", "short", ("max by (state) (frond_broker_leaves)", "{{state}}")),
            panel("Leaves of the partition with the fewest", "short", ("min by (collection) (frond_broker_partition_replicas_least)", "has {{collection}}"),
                  ("max by (collection) (frond_broker_partition_replicas_wanted)", "meant {{collection}}")),
            panel("Requests to leaves", "reqps", (rate("frond_broker_leaf_requests_total", "kind"), "{{kind}}"),
                  (rate("frond_broker_leaf_request_failures_total", "kind"), "{{kind}} failed")),
            panel("Repeated elsewhere", "reqps", (rate("frond_broker_failovers_total"), "failover"), (rate("frond_broker_hedges_total"), "hedge")),
            panel("Processors in use", "short", ('sum by (job, instance) (rate(process_cpu_seconds_total{job=~"frond-.*"}[$__rate_interval]))', "{{job}} {{instance}}")),
            panel("Memory", "bytes", ('sum by (job, instance) (process_resident_memory_bytes{job=~"frond-.*"})', "{{job}} {{instance}}")),
            panel("Up", "short", ('sum by (job) (up{job=~"frond-.*"})', "{{job}}")),
        ]),
    ])


def leaf():
    engine, fetch = "frond_leaf_engine_duration_seconds", "frond_leaf_list_fetch_duration_seconds"

    def per(counter, legend="{{instance}}", by="instance"):
        return rate(counter, by, LEAF), legend

    def now(gauge, legend="{{instance}}", by="instance"):
        return f"sum by ({by}) ({gauge}{LEAF})", legend

    return dashboard("frond-leaf", "Frond, leaves", [
        ("Processors", [
            panel("Worker threads at work", "percentunit", (f"instance:frond_leaf_workers:busy_ratio_rate5m{LEAF}", "{{instance}}")),
            panel("Seconds of work a second, by engine", "short", (rate(engine + "_sum", "instance, engine", LEAF), "{{instance}} {{engine}}"), stack=True,
                  why="1 is one thread always at work; for the engine gpu it is waiting for the device that counts."),
            panel("One query on one partition, p99", "s", (quantile(0.99, engine, "engine", LEAF), "{{engine}}")),
            panel("Postings decoded", "ops", per("frond_leaf_postings_decoded_total")),
            panel("Requests", "reqps", per("frond_leaf_requests_total", "{{instance}} {{kind}}", "instance, kind")),
            panel("Requests in flight", "short", now("frond_leaf_requests_in_flight")),
        ]),
        ("Queue", [
            panel("Tasks that wait", "short", now("frond_leaf_queue_tasks", "{{instance}} {{pool}}", "instance, pool"), now("frond_leaf_queue_limit_tasks", "{{instance}} {{pool}} limit", "instance, pool")),
            panel("Time in the queue", "s", *quantiles("frond_leaf_queue_wait_seconds", LEAF)),
            panel("Refused, expired", "ops", per("frond_leaf_tasks_refused_total", "{{instance}} refused"), per("frond_leaf_tasks_expired_total", "{{instance}} expired")),
        ]),
        ("Lists in host memory", [
            panel("Bytes", "bytes", now("frond_leaf_host_cache_bytes"), now("frond_leaf_host_cache_limit_bytes", "{{instance}} limit")),
            panel("Found and read", "ops", per("frond_leaf_host_cache_hits_total", "{{instance}} found"), per("frond_leaf_host_cache_misses_total", "{{instance}} read from disk")),
            panel("Fetching a query's lists", "s", *quantiles(fetch, LEAF)),
        ]),
        ("Table of terms", [
            panel("Memory for terms", "bytes", now("frond_leaf_term_cache_bytes"), now("frond_leaf_term_cache_limit_bytes", "{{instance}} limit")),
            panel("Terms found, looked up, dropped", "ops", per("frond_leaf_term_cache_hits_total", "{{instance}} found"),
                  per("frond_leaf_term_cache_misses_total", "{{instance}} looked up"), per("frond_leaf_term_cache_evictions_total", "{{instance}} dropped")),
        ]),
        ("Filters", [
            panel("Memory for filters", "bytes", now("frond_leaf_filter_cache_bytes"), now("frond_leaf_filter_cache_limit_bytes", "{{instance}} limit")),
            panel("Filters found, evaluated, dropped", "ops", per("frond_leaf_filter_cache_hits_total", "{{instance}} found"),
                  per("frond_leaf_filter_cache_misses_total", "{{instance}} evaluated"), per("frond_leaf_filter_cache_evictions_total", "{{instance}} dropped")),
        ]),
        ("Keywords of facets", [
            panel("Memory for keywords", "bytes", now("frond_leaf_keyword_cache_bytes"), now("frond_leaf_keyword_cache_limit_bytes", "{{instance}} limit")),
            panel("Keywords found, numbered, dropped", "ops", per("frond_leaf_keyword_cache_hits_total", "{{instance}} found"),
                  per("frond_leaf_keyword_cache_misses_total", "{{instance}} numbered"), per("frond_leaf_keyword_cache_evictions_total", "{{instance}} dropped")),
        ]),
        ("Stored fields in host memory", [
            panel("Memory for stored fields", "bytes", now("frond_leaf_document_cache_bytes"), now("frond_leaf_document_cache_limit_bytes", "{{instance}} limit")),
            panel("Blocks found, read, dropped", "ops", per("frond_leaf_document_cache_hits_total", "{{instance}} found"),
                  per("frond_leaf_document_cache_misses_total", "{{instance}} read from disk"), per("frond_leaf_document_cache_evictions_total", "{{instance}} dropped")),
        ]),
        ("GPU", [
            panel("State", "short", (f"sum by (state) (frond_leaf_gpu_state{LEAF})", "{{state}}"), why="GPUs by state; off and absent: leaves without one."),
            panel("At work on batches", "percentunit", per("frond_leaf_gpu_busy_seconds_total", "{{instance}} {{device}}", DEVICE), why="Near 1 the GPU is what limits. Several batches at a time count once."),
            panel("Memory for lists", "bytes", now("frond_leaf_gpu_cache_bytes", "{{instance}} {{device}}", DEVICE), now("frond_leaf_gpu_cache_limit_bytes", "{{instance}} {{device}} limit", DEVICE)),
            panel("Queries on a partition", "ops", per("frond_leaf_gpu_plans_total", "{{instance}} {{device}} on the GPU", DEVICE), per("frond_leaf_gpu_fallbacks_total", "{{instance}} {{device}} answered by the CPU", DEVICE)),
            panel("Searches that wait", "short", now("frond_leaf_schedule_queries", "{{queue}}", by="queue"), why="cpu, gpu: much faster there. either: taken by the processor that is idle first."),
            panel("Predicted wait", "s", (f"max by (processor) (frond_leaf_schedule_wait_seconds{LEAF})", "{{processor}}")),
            panel("Searches refused and dropped", "ops", per("frond_leaf_schedule_refused_total", "refused: {{reason}}", by="reason"),
                  per("frond_leaf_schedule_dropped_total", "{{instance}} dropped"), per("frond_leaf_schedule_urgent_total", "{{instance}} urgent")),
            panel("Searches taken from another queue", "ops", per("frond_leaf_schedule_taken_total", "{{processor}} from {{from}}", by="processor, from"),
                  per("frond_leaf_schedule_overrun_total", "{{instance}} by the GPU, the CPU being late")),
            panel("Partitions dealt to it", "short", now("frond_leaf_gpu_partitions", "{{instance}} {{device}}", DEVICE), why="Small collections are on all GPUs of a leaf, with one home."),
            panel("Shares of batches", "ops", per("frond_leaf_gpu_shares_total", "{{instance}} {{device}}", DEVICE), per("frond_leaf_gpu_shares_stolen_total", "{{instance}} {{device}} taken from another", DEVICE),
                  why="Of leaves with several GPUs."),
            panel("Shares that wait", "short", now("frond_leaf_gpu_shares_waiting", "{{instance}} {{device}}", DEVICE)),
            panel("Batches", "ops", per("frond_leaf_gpu_batches_total", "{{instance}} {{device}}", DEVICE), why="Queries over batches is how many queries share a launch."),
            panel("Lists found, missed, dropped, refused", "ops", per("frond_leaf_gpu_cache_hits_total", "{{instance}} {{device}} found", DEVICE),
                  per("frond_leaf_gpu_cache_misses_total", "{{instance}} {{device}} missed", DEVICE), per("frond_leaf_gpu_cache_evictions_total", "{{instance}} {{device}} dropped", DEVICE),
                  per("frond_leaf_gpu_lists_refused_total", "{{instance}} {{device}} refused", DEVICE)),
            panel("Copied to the device", "Bps", per("frond_leaf_gpu_copied_bytes_total", "{{instance}} {{device}}", DEVICE)),
        ]),
        ("Content", [
            panel("Newest generation", "none", ("max by (instance, collection) (frond_leaf_generation{instance=~\"$instance\"})", "{{instance}} {{collection}}")),
            panel("Documents", "short", now("frond_leaf_documents")),
            panel("Partitions", "short", now("frond_leaf_partitions")),
        ]),
        ("Brokers", [
            panel("Connections", "short", now("frond_leaf_peers"), why="Of brokers; each has one for each of its threads."),
            panel("What became of connections", "ops", per("frond_leaf_peer_connections_total", "{{instance}} {{outcome}}", "instance, outcome"),
                  why="full, address and gave_way: a limit of --max-peers or --max-peers-by-address is reached. Strangers end as handshake, unused or protocol."),
            panel("Handshakes with CURVE", "ops", per("frond_leaf_curve_handshakes_total", "{{instance}} {{result}}", "instance, result"),
                  why="All but accepted are peers that were kept out: brokers whose key is not in the list, or strangers."),
            panel("Requests of keys that left the list", "reqps", per("frond_leaf_curve_requests_refused_total")),
            panel("Keys in the list", "short", now("frond_leaf_curve_clients"), why="0 without CURVE."),
        ]),
    ], by_instance="frond_leaf_ready")


def query():
    search_route = '{job="frond-broker", route="/v1/search"}'
    stages = [("frond_http_request_duration_seconds", search_route, "1 HTTP request at the broker"),
              ("frond_broker_search_duration_seconds", '{cache!="hit"}', "2 search, not from the cache"),
              ("frond_leaf_request_duration_seconds", '{kind="search"}', "3 ranking on a leaf"),
              ("frond_leaf_queue_wait_seconds", "", "4 one partition waits for a worker"),
              ("frond_leaf_list_fetch_duration_seconds", "", "5 its lists are fetched"),
              ("frond_leaf_engine_duration_seconds", "", "6 its engine runs"),
              ("frond_leaf_request_duration_seconds", '{kind="fetch"}', "7 titles and snippets on a leaf")]
    return dashboard("frond-query", "Frond, one query's life", [
        ("Where the time of a query goes, in the order in which it passes", [
            panel("Mean of each stage", "s", *((average(h, w), name) for h, w, name in stages), width=12,
                  why="1 holds 2; 2 holds 3 and 7; 3 holds 4, 5 and 6, of partitions side by side."),
            panel("p99 of each stage", "s", *((quantile(0.99, h, where=w), name) for h, w, name in stages), width=12),
        ]),
        ("How it ends", [
            panel("Outcomes", "reqps", (rate("frond_broker_searches_total", "outcome"), "{{outcome}}"), stack=True),
            panel("Partitions not searched, and why", "ops", (rate("frond_leaf_unsearched_partitions_total", "reason"), "{{reason}}")),
            panel("By what the cache did", "reqps", (rate("frond_broker_search_duration_seconds_count", "cache"), "{{cache}}"), stack=True),
        ]),
        ("By processor", [
            panel("Engine runs", "ops", (rate("frond_leaf_engine_duration_seconds_count", "engine"), "{{engine}}"), stack=True, width=12),
            panel("Mean of an engine run", "s", (average("frond_leaf_engine_duration_seconds", by="engine"), "{{engine}}"), width=12),
        ]),
    ])


def indexer():
    return dashboard("frond-indexer", "Frond, indexing", [
        ("Builds", [
            panel("Stage", "short", ("sum by (stage) (frond_indexer_stage)", "{{stage}}"), stack=True, why="Builds in each stage."),
            panel("Input read", "percentunit", ("frond_indexer_input_read_bytes / frond_indexer_input_bytes", "{{instance}}")),
            panel("Documents a second", "ops", ("sum by (instance) (rate(frond_indexer_documents_inverted_total[$__rate_interval]))", "{{instance}} inverted"),
                  ("sum by (instance) (rate(frond_indexer_documents_written_total[$__rate_interval]))", "{{instance}} written")),
            panel("Text a second", "Bps", ("sum by (instance) (rate(frond_indexer_text_bytes_total[$__rate_interval]))", "{{instance}}")),
            panel("Input left out", "short", ("frond_indexer_bad_records_total", "{{instance}} bad records"),
                  ("frond_indexer_duplicate_ids_total", "{{instance}} duplicate ids"),
                  ("sum by (instance, reason) (frond_indexer_files_skipped_total)", "{{instance}} files: {{reason}}")),
            panel("Processors in use", "short", ('rate(process_cpu_seconds_total{job=~"frond-indexer|frond-build"}[$__rate_interval])', "{{instance}}")),
            panel("Memory", "bytes", ('process_resident_memory_bytes{job=~"frond-indexer|frond-build"}', "{{instance}}")),
        ]),
        ("Documents over HTTP", [
            panel("Changes accepted a second", "ops", ("sum by (instance) (rate(frond_indexer_accepted_changes_total[$__rate_interval]))", "{{instance}}")),
            panel("Waiting to be published", "short", ("frond_indexer_pending_changes", "{{instance}}"), why="It grows while documents come faster than they are indexed."),
            panel("Waiting to be published, bytes", "bytes", ("frond_indexer_pending_bytes", "{{instance}}"), why="At --max-pending-bytes requests are answered 429."),
            panel("The oldest waits", "s", ("frond_indexer_pending_seconds", "{{instance}}"), why="Since it was accepted, as seen at each scrape."),
            panel("Publications a second", "ops", ("sum by (instance, outcome) (rate(frond_indexer_publications_total[$__rate_interval]))", "{{instance}} {{outcome}}"),
                  ("sum by (instance, outcome) (rate(frond_indexer_compactions_total[$__rate_interval]))", "{{instance}} compactions {{outcome}}")),
            panel("A publication takes, p99", "s", ("histogram_quantile(0.99, sum by (instance, le) (rate(frond_indexer_publish_seconds_bucket[$__rate_interval])))", "{{instance}}")),
            panel("Collections", "short", ("sum by (state) (frond_indexer_written_collections)", "{{state}}"), why="standby: another service writes it."),
            panel("Leases", "short", ('sum by (instance, event) (increase(frond_indexer_lease_events_total{event!="renewed"}[$__rate_interval]))', "{{instance}} {{event}}"),
                  ("frond_indexer_set_aside_changes_total", "{{instance}} changes set aside"), why="lost: another service took the collection over."),
            panel("Documents that can't be indexed", "short", ("frond_indexer_not_indexed_documents", "{{instance}}"), why="In files not-indexed.jsonl, until somebody removes these."),
        ]),
        ("On its way to the leaves", [
            panel("Newest generation", "none", ("max by (collection) (frond_leaf_generation)", "newest on a leaf {{collection}}"), ("min by (collection) (frond_leaf_generation)", "oldest on a leaf {{collection}}"),
                  ("max(frond_broker_generation)", "searched")),
            panel("Fetching, verifying, opening one, on average", "s", ("frond_leaf_generation_load_duration_seconds_sum / frond_leaf_generation_load_duration_seconds_count",
                  "{{instance}}"), why="Since the leaf's start: there are few."),
            panel("Filling caches before the last one was served", "s", ("frond_leaf_warm_seconds", "{{instance}}")),
            panel("Read into caches then", "bytes", ("frond_leaf_warm_bytes", "{{instance}}")),
            panel("Refused", "short", ("sum by (instance) (increase(frond_leaf_generation_refused_total[$__rate_interval]))", "{{instance}}")),
            panel("Documents searched", "short", ("sum(frond_leaf_documents)", "on all leaves, replicas counted")),
            panel("Heard before a poll", "ops", ("sum by (instance) (rate(frond_leaf_announcements_total[$__rate_interval]))", "{{instance}}"),
                  ("frond_indexer_waiting_for_generations", "{{instance}} waiting"), why="Generations that leaves were told of, and requests that wait for the next one."),
            panel("Generations open", "short", ("sum by (instance) (frond_leaf_generations_served)", "{{instance}}"), why="2 while one takes over from the other."),
        ]),
    ])


def main():
    stale = []
    for name, made in (("overview", overview()), ("leaf", leaf()), ("query", query()), ("indexer", indexer())):
        path = os.path.join(HERE, "dashboards", f"{name}.json")
        text = json.dumps(made, indent=1) + "\n"
        if sys.argv[1:] == ["--check"]:
            with open(path, encoding="utf-8") as file:
                if file.read() != text:
                    stale.append(path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    for path in stale:
        print(f"{os.path.relpath(path)} is not what deploy/grafana/make_dashboards.py writes")
    sys.exit(1 if stale else 0)


main()
