#pragma once
// The options of frond-broker, read once at start.
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/budget.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/keys/api_key.h"
#include "common/query/limits.h"

namespace frond::broker {

// A quarter of the cores, since leaves and the rest of the machine need the others; 1 to 8, since
// each thread has connections of its own to every leaf.
std::uint32_t default_threads(unsigned cores);

inline constexpr std::size_t kMaxCollections = 64;  // each has connections of its own from each thread to every leaf

struct Options {
  std::string indexer_service;    // its address; empty: no changes are passed on
  std::string indexer_key;        // file of the key that this broker itself asks it with; empty: without one
  std::string elasticsearch_api;  // HOST:PORT; empty: none
  std::vector<Budget> budgets;    // caches and threads
  std::string http, node_name;
  std::vector<std::string> collections;  // the first is that of routes which name none
  bool all_collections = false;          // those that the indexer's service has, of which `collections` come first
  std::string admin_http;                // HOST:PORT; empty: none
  std::vector<std::string> http_hosts;   // names of this server; none: any name
  std::string tls_certificate, tls_key;  // PEM files; both empty: plain HTTP
  std::uint64_t hsts_seconds = 0;        // max-age of Strict-Transport-Security; 0: not sent
  std::vector<std::string> leaves;       // "tcp://host:port" or "ipc:///path"
  std::string leaf_dns;                  // "name:port", or empty
  std::uint32_t leaf_dns_interval_ms = 5000;
  std::string curve_secret_key, curve_leaf_key;  // files; both or neither
  std::uint32_t threads = 1;
  std::uint64_t cache_bytes = 64u << 20;
  std::uint32_t default_timeout_ms = 1000, max_timeout_ms = 60'000;
  std::uint32_t max_depth = 10'000;
  frond::query::Limits query_limits;
  std::uint32_t max_facet_buckets = 100'000;
  bool allow_exhaustive = true;
  std::uint32_t max_in_flight = 512, max_msearch_in_flight = 0, max_msearches = 8, max_costly_in_flight = 16,
                max_costly_per_client = 0;
  std::uint32_t max_msearch_timeout_ms = 60'000;
  std::uint32_t max_leaf_in_flight = 2048;
  double hedge_share = 0.05;  // hedges per search sent to a leaf
  std::uint32_t max_connections = 4096, max_connections_per_address = 0;
  std::uint64_t max_body_bytes = 64u << 20, max_unsent_bytes = 256u << 20;
  std::uint64_t min_client_rate = 4096;  // bytes a second
  std::string api_keys;                  // the key file; empty: none
  keys::Limits of_key, of_address;       // as keys::Guard::Config has them
  std::uint32_t poll_ms = 500;
  std::uint32_t drain_ms = 10'000;
  std::uint32_t ready_without_all_after_seconds = 60;
  std::uint32_t replicas = 0;  // leaves that each partition is meant to have; 0: as the one with the most
  std::uint32_t stall_seconds = 15;
  std::uint32_t slow_query_log_ms = 0;   // 0: none
  double access_log = 0;                 // share of the requests
  std::string otlp;                      // URL of a collector of spans; empty: none
  double trace_sample = 0;               // share of the requests whose traces are kept, if clients don't say
  std::uint64_t otlp_buffer = 4u << 20;  // bytes of spans that wait
  LogLevel log_level = LogLevel::kInfo;
  std::uint64_t log_buffer = Logger::kDefaultBufferBytes;
};

// Sets --cache and --max-unsent-bytes where they are config::kAutoBytes, by the memory that the process may have.
// Returns them.
std::vector<Budget> choose_budgets(Options& options, const Machine& machine);

// The options, or the exit code: 0 after --help, 2 after an error was printed on stderr.
std::variant<Options, int> read_options(int argc, const char* const* argv);

}  // namespace frond::broker
