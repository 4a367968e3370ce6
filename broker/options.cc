#include "broker/options.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>

#include "common/base/machine.h"
#include "common/base/process.h"
#include "common/config/auto_budgets.h"
#include "common/config/command_line.h"
#include "common/config/options.h"
#include "common/http/server/router.h"
#include "common/keys/guard.h"
#include "common/net/address.h"
#include "common/net/local_address.h"
#include "common/wire/messages.h"

namespace frond::broker {

namespace {

constexpr std::uint32_t kMaxThreads = 64;
constexpr std::uint64_t kMaxTimeoutMs = std::chrono::milliseconds(wire::kMaxBudget).count();
// A client has half of all, and a change has 16 MiB (broker/http/change_forwarder.h).
constexpr std::uint64_t kLeastBodiesOfChanges = std::uint64_t{33} << 20;

// A number within bounds, shown with its default.
auto server_url() {
  const auto why_not = [](const std::string& text) {
    const auto parsed = net::parse_server(text);
    return parsed ? std::string() : parsed.error().message();
  };
  return config::accepted(why_not, "URL");
}

// Where and how HTTP is served.
void add_listeners(config::CommandLine& app, Options& options) {
  app.add_option("--http", options.http, "Where the API is served: HOST:PORT").required().check(config::host_port());
  app.add_option("--admin-http", options.admin_http,
                 "Where /livez, /readyz, /metrics and /v1/cluster are served as well, over plain HTTP: HOST:PORT")
      .check(config::host_port())
      .group("Addresses");
  app.add_option("--indexer-service", options.indexer_service,
                 "The indexer's service, http[s]://HOST:PORT or unix:PATH: its routes that write documents and "
                 "collections are served here, too; what they are asked is passed on to it. None: they are not")
      .check(server_url())
      .group("Addresses");
  app.add_option("--indexer-key", options.indexer_key,
                 "File of a key of the indexer's service with all scopes, with which this broker itself asks it: for "
                 "--collection '*' and the Elasticsearch API. Clients' own requests keep their keys")
      .group("Addresses");
  app.add_option(
         "--elasticsearch-api", options.elasticsearch_api,
         "Where the Elasticsearch API is served: HOST:PORT; then it is below /es on --http, too. At an address of "
         "this machine alone, without --api-keys, programs here may write with the --indexer-key. None: it is "
         "not served")
      .check(config::host_port())
      .group("Addresses");
  app.add_option(
         "--http-hosts", options.http_hosts,
         "Names of this server, separated by commas: requests to --http under another name are answered 421, but "
         "for addresses and the routes of --admin-http; none: any name")
      .delimiter(',')
      .group("Addresses");
  auto& certificate =
      app.add_option("--tls-certificate", options.tls_certificate,
                     "PEM file, the server's certificate first, then the chain: the API is served over HTTPS. "
                     "Read again when it changes")
          .group("Keys and TLS");
  auto& key =
      app.add_option("--tls-key", options.tls_key, "PEM file of the certificate's private key").group("Keys and TLS");
  certificate.needs(key);
  key.needs(certificate);
  app.add_option("--tls-hsts-seconds", options.hsts_seconds,
                 "Seconds for which browsers use only HTTPS for this host, on every port; 0: the header is not sent")
      .check(config::range(0, 100'000'000))
      .needs(certificate)
      .show_default();
}

// How much clients may use.
void add_client_limits(config::CommandLine& app, Options& options) {
  add_number(app, "--max-connections", options.max_connections, 1, 1 << 20,
             "HTTP connections, at most half of the open files that the system allows. One more closes "
             "one that has waited for a second: without a complete header, idle, or with an incomplete "
             "body; else it is answered 503");
  add_number(app, "--max-connections-per-address", options.max_connections_per_address, 0, 1 << 20,
             "HTTP connections of one address (or 64 bits of an IPv6 address); more are answered 429. "
             "Behind a proxy that all clients use: --max-connections. 0: half of all");
  add_bytes(app, "--max-body-bytes", options.max_body_bytes, "64MiB",
            "Bytes of all requests that are received or not answered yet, but for those of less than 4 KiB, of "
            "which a connection has 8 KiB. One key, or address, may use as much as it leaves for all others. "
            "Beyond, a request waits up to 10 s, then it is answered 503. With --indexer-service at least 33MiB");
  add_budget(app, "--max-unsent-bytes", options.max_unsent_bytes,
             "Bytes of all answers that clients have not received yet, shared among addresses in the same "
             "way; past this an answer of more than 16 KiB becomes 503. Past half of it, an answer must "
             "be read within 60 s. auto: 256MiB, where memory is short a quarter of it");
  add_bytes(app, "--min-client-rate", options.min_client_rate, "4KiB",
            "Bytes a second that a client must send of a body and receive of an answer of more than 64 "
            "KiB, on average over 5 s; 0: any");
}

// Who may ask, and how often.
void add_keys(config::CommandLine& app, Options& options) {
  app.add_option(
         "--api-keys", options.api_keys,
         "File of API keys (frond keygen --api-key), read again when it changes: requests to --http need a key, "
         "but for pages and probes; none: searching is open")
      .group("Keys and TLS");
  keys::add_limit_flags(app, options.of_key, options.of_address);
}

// What searches may ask for, and how many are evaluated at a time.
void add_search_limits(config::CommandLine& app, Options& options, std::string& exhaustive) {
  add_budget(app, "--cache", options.cache_bytes,
             "Budget of the result cache, and up to a 64th more for texts of requests that it knows; 0: "
             "no cache; auto: 256MiB, where memory is short 6 % of it")
      .group("Resources");
  add_number(app, "--default-timeout", options.default_timeout_ms, std::uint64_t{1}, kMaxTimeoutMs,
             "Milliseconds of a search without timeout_ms")
      .group("Limits");
  add_number(app, "--max-timeout", options.max_timeout_ms, std::uint64_t{1}, kMaxTimeoutMs,
             "Largest timeout_ms of a search")
      .group("Limits");
  add_number(app, "--max-depth", options.max_depth, 10, 10'000, "Largest offset + k of a search");
  auto& query = options.query_limits;
  add_number(app, "--max-terms", query.max_terms, 1, 512, "Largest number of terms of a search");
  add_number(app, "--max-clauses", query.max_clauses, 1, 65'536,
             "Largest number of clauses of a search and its filter");
  add_number(app, "--max-clause-depth", query.max_depth, 1, static_cast<int>(frond::query::kMaxClauseDepth),
             "Clauses inside each other of a search");
  add_number(app, "--max-values", query.max_values, 1, 100'000, "Values and ids of a search and its filter");
  add_number(app, "--max-patterns", query.max_patterns, 0, 256, "Prefixes and wildcards of a search and its filter");
  add_number(app, "--min-prefix", query.min_prefix, 1, 16,
             "Characters that a prefix or wildcard has before its first * or ?");
  add_number(app, "--max-facet-buckets", options.max_facet_buckets, 1, 1'000'000,
             "Different buckets of one facet of a search, with those in its buckets; with more it is answered 400");
  add_choice(app, "--allow-exhaustive", exhaustive, {"on", "off"},
             "off: searches for processor=exhaustive, the slow reference that scores every document, are "
             "answered 400");
  add_number(app, "--max-in-flight", options.max_in_flight, 1, 1 << 20,
             "Searches evaluated at a time at most; more are answered 429. While searches take more than half of their "
             "time, fewer are evaluated at a time")
      .group("Limits");
  add_number(app, "--max-msearch-in-flight", options.max_msearch_in_flight, 0, 1 << 20,
             "Lines of all msearch requests evaluated at a time; more wait, and the rest is kept for "
             "single searches. 0: a quarter of --max-in-flight");
  add_number(app, "--max-msearches", options.max_msearches, 1, 1024,
             "msearch requests at a time, each with up to 64 MiB of answers and 64 lines at work; more "
             "are answered 429. Bulk clients of a fast leaf want more");
  add_number(app, "--max-costly-in-flight", options.max_costly_in_flight, 1, 1 << 20,
             "Costly searches evaluated at a time: more than 100 hits, deeper than 1,000, more than 64 "
             "terms, over 16 KiB of clauses, exhaustive, more than 10 hits that are explained or shown with their "
             "source, pages whose sources were found to have over 512 KiB, facets of a column of which one had more "
             "than 8,192 buckets. More wait until their deadline, 64 of one client, and further ones are answered 429");
  add_number(app, "--max-costly-per-client", options.max_costly_per_client, 0, 1 << 20,
             "Of these, searches of one client (its key, else its address); a free place goes to the "
             "client that has the fewest. Behind a proxy and without keys: --max-costly-in-flight. 0: a "
             "quarter");
  add_number(app, "--max-msearch-timeout", options.max_msearch_timeout_ms, 1, 3'600'000,
             "Milliseconds of a whole msearch request; lines that were not started by then are answered 504");
  add_number(app, "--max-leaf-in-flight", options.max_leaf_in_flight, 1, 1 << 16,
             "Searches and fetches sent to one leaf at a time, by all threads");
  add_number(app, "--hedge-share", options.hedge_share, 0.0, 1.0,
             "Share of searches and fetches that may be sent to a second replica because the first takes twice as "
             "long as 19 of 20 of its last 128 took, or four times as long as those of the second; 0: none. "
             "None goes to a leaf at half of its queue or of --max-leaf-in-flight. A leaf that hangs is left by all");
}

}  // namespace

namespace {
// As common/repository has it: is_safe_name().
constexpr std::size_t kMaxNameBytes = 128;
constexpr std::string_view kNameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

const char* wrong_collections(const std::vector<std::string>& names) {
  if (names.size() > kMaxCollections) return "--collection: there are more than 64";
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
    return "--collection: a name is given twice";
  for (const std::string& name : names)
    if (name.empty() || name.size() > kMaxNameBytes || name.front() == '.' ||
        name.find_first_not_of(kNameBytes) != name.npos)
      return "--collection: a name has 1 to 128 of [A-Za-z0-9._-], the first no dot";
  return nullptr;
}
}  // namespace

std::vector<Budget> choose_budgets(Options& options, const Machine& machine) {
  constexpr std::uint64_t kMost = std::uint64_t{256} << 20;
  config::AutoBudgets budgets(machine);
  budgets.choose("--cache", options.cache_bytes, 60, kMost);
  budgets.choose("--max-unsent-bytes", options.max_unsent_bytes, 250, kMost);
  return budgets.all();
}

std::uint32_t default_threads(unsigned cores) { return std::clamp(cores / 4, 1u, 8u); }

std::variant<Options, int> read_options(int argc, const char* const* argv) {
  config::CommandLine app("Answers searches over HTTP from the leaves of one collection.", "frond-broker");
  Options options;
  std::string log_level = "info", exhaustive = "on";
  add_listeners(app, options);
  app.add_option("--collection", options.collections,
                 "A collection to search; may be repeated. Routes that name none are for the first. '*': also all "
                 "others that --indexer-service has, as they come and go")
      .required();
  auto& leaf = app.add_option("--leaf", options.leaves,
                              "A leaf: tcp://HOST:PORT, or ipc://PATH on this machine; may be repeated")
                   .check(config::leaf_endpoint())
                   .group("Leaves");
  app.add_option("--leaf-dns", options.leaf_dns, "NAME:PORT: every address of the name is a leaf")
      .check(config::host_port())
      .excludes(leaf)
      .group("Leaves");
  add_number(app, "--leaf-dns-interval-ms", options.leaf_dns_interval_ms, 100, 3'600'000,
             "Milliseconds between two look-ups of the name. A leaf that answers is kept though no "
             "look-up names it; it is dropped after 10 s of silence, or when it says that it ends");
  app.add_option("--curve-secret-key", options.curve_secret_key,
                 "File of this broker's secret key (frond keygen): connections to leaves use CURVE")
      .group("Keys and TLS");
  app.add_option("--curve-leaf-key", options.curve_leaf_key,
                 "File of the leaves' public key; needed with --curve-secret-key")
      .group("Keys and TLS");
  add_search_limits(app, options, exhaustive);
  add_client_limits(app, options);
  add_keys(app, options);
  options.threads = default_threads(this_machine().cores);
  auto& threads =
      app.add_option("--threads", options.threads,
                     "Threads that answer searches, a core each, with connections of their own to all leaves. A "
                     "broker with a machine of its own: two thirds of the cores. With more than one, no other "
                     "program may share the port of --http")
          .check(config::range(1, kMaxThreads))
          .show_default("a quarter of the cores, 1 to 8")
          .group("Resources");
  add_number(app, "--poll-ms", options.poll_ms, 10, 60'000, "Milliseconds between two hellos to a leaf");
  add_number(app, "--drain-ms", options.drain_ms, 0, 600'000,
             "Milliseconds after SIGTERM until open requests are ended");
  add_number(app, "--ready-without-all-after", options.ready_without_all_after_seconds, 0, 86'400,
             "Seconds after the start until /readyz is 200 although some partitions have had no leaf yet: their "
             "documents are not found, and answers say so");
  add_number(
      app, "--replicas", options.replicas, 0, 1024,
      "Leaves that each partition is meant to have, for metrics and alerts; 0: as many as the one with the most");
  app.add_option("--node-name", options.node_name,
                 "This broker's name in the logs of leaves; default: the machine's name, and the port of --http");
  add_number(app, "--stall-seconds", options.stall_seconds, 2, 3600,
             "/livez is 503 once one of --threads has not turned for this many seconds");
  app.add_option("--log-level", log_level, "The least severe level that is logged: debug, info, warn or error")
      .check(config::log_level())
      .show_default()
      .group("Logs");
  add_number(app, "--slow-query-log", options.slow_query_log_ms, 0, 3'600'000,
             "Milliseconds: searches that take as long are logged, with their query and where their time went, at most "
             "ten lines a second, and the last 64 are shown by GET /v1/slow-searches; leaves log them too. 0: none");
  add_number(app, "--access-log", options.access_log, 0.0, 1.0,
             "Share of the HTTP requests that are logged, without what they ask for; 1: all");
  app.add_option(
         "--otlp", options.otlp,
         "http[s]://HOST:PORT[/PATH] of a collector of traces: spans of searches are sent to its PATH/v1/traces, "
         "as OTLP in JSON; https by the system's authorities. Of requests whose traceparent says that their "
         "trace is sampled, and of a share of those without one (--trace-sample)")
      .check(server_url());
  add_number(app, "--trace-sample", options.trace_sample, 0.0, 1.0,
             "Share of the requests without a traceparent whose spans are sent (--otlp); 1: all");
  app.add_option("--otlp-buffer", options.otlp_buffer,
                 "Bytes of spans that wait for the collector at most, and as much again while it is asked; more are "
                 "dropped and counted")
      .transform(config::byte_size() & config::range(std::uint64_t{64} << 10, std::uint64_t{1} << 30))
      .show_default("4MiB");
  config::add_log_buffer(app, options.log_buffer);
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;

  options.all_collections = std::erase(options.collections, "*") > 0;
  if (options.all_collections && options.indexer_service.empty())
    return app.refuse("--collection '*' needs --indexer-service, which knows the collections");
  if (const auto* const wrong = wrong_collections(options.collections); wrong != nullptr) return app.refuse(wrong);
  options.budgets = choose_budgets(options, this_machine());
  options.budgets.push_back({.flag = "--threads", .amount = options.threads, .chosen = !threads.given()});
  if (!options.indexer_service.empty())
    options.max_body_bytes = std::max(options.max_body_bytes, kLeastBodiesOfChanges);
  options.log_level = *config::parse_log_level(log_level);  // was checked
  if (options.node_name.empty()) options.node_name = default_node_name(net::parse_host_port(options.http)->port);
  options.allow_exhaustive = exhaustive == "on";
  if (options.max_msearch_in_flight == 0) options.max_msearch_in_flight = std::max(1u, options.max_in_flight / 4);
  if (options.max_costly_per_client == 0)
    options.max_costly_per_client = std::max(1u, options.max_costly_in_flight / 4);
  if (options.max_msearch_in_flight > options.max_in_flight)
    return app.refuse("--max-msearch-in-flight is more than --max-in-flight");
  if (options.leaves.empty() && options.leaf_dns.empty()) return app.refuse("--leaf or --leaf-dns is required");
  if (options.curve_secret_key.empty() != options.curve_leaf_key.empty())
    return app.refuse("--curve-secret-key and --curve-leaf-key go together");
  if (const auto hosts = frond::http::HostList::parse(options.http_hosts); !hosts)
    return app.refuse("--http-hosts: " + hosts.error().message());
  if (options.default_timeout_ms > options.max_timeout_ms)
    return app.refuse("--default-timeout is more than --max-timeout");
  return options;
}

}  // namespace frond::broker
