#pragma once
// frond-leaf's command line, read once and validated once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/budget.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/objects/place.h"

namespace frond::leaf {

struct Options {
  std::string repository, data, listen, http, node_name;
  std::vector<std::string> collections;         // brokers that name none ask for the first
  bool all_collections = false;                 // those that the repository has; `collections` is empty then
  std::string curve_secret_key, curve_clients;  // files; both or neither
  std::string tls_ca;                           // authorities for an https repository; empty: the system's
  std::string trusted_keys;                     // file; empty: generations need no signature
  objects::Access objects;                      // for an s3:// repository
  std::uint32_t shard = 0, shards = 1;
  std::size_t cpu_threads = this_machine().cores;
  unsigned io_threads = std::min(4u, 1 + this_machine().cores / 8);
  std::size_t max_peers = 0, max_peers_by_address = 0;  // connections of brokers; 0: by peer_numbers()
  std::uint64_t at_once_us = 200;                       // 0: no search is evaluated by the thread that has read it
  std::size_t costly_threads = 1;
  std::uint64_t costly_postings = 1'000'000;
  bool gpu_off = false;
  std::vector<int> gpu_devices;  // numbers; empty: all that the machine has
  struct Drill {
    int device = 0;
    std::uint32_t seconds = 0;
  };
  std::optional<Drill> gpu_drill;  // a device that is given up so long after the start
  bool gpu_named = false;          // --gpu asks for devices: of one that can't be used a warning tells
  double check_share = 0;          // of the GPU's answers
  std::string cost_model;          // a file; empty: the built-in model
  std::uint64_t host_cache_bytes = std::uint64_t{1} << 30, document_cache_bytes = std::uint64_t{64} << 20;
  std::uint64_t term_cache_bytes = std::uint64_t{32} << 20,
                gpu_cache_bytes = std::uint64_t{4} << 30;  // of the GPU's: each device
  std::uint64_t filter_cache_bytes = std::uint64_t{64} << 20;
  std::uint32_t max_expansions = 1024;
  std::uint64_t keyword_cache_bytes = std::uint64_t{64} << 20;
  std::uint32_t max_facet_buckets = 100'000;
  std::size_t queue_limit = 4096, gpu_queue_limit = 4096;
  std::uint64_t min_gpu_postings = 20'000;
  std::uint64_t poll_ms = 1000, drain_ms = 1000, drain_needed_ms = 0, ready_after_ms = 0, warm_ms = 5000;
  std::uint64_t grace_s = 30, superseded_s = 86'400, stall_s = 15, lock_wait_s = 60;
  bool links_files = false;  // of a repository on the same file system
  std::uint64_t fetch_min_rate = std::uint64_t{16} << 10, disk_reserve = std::uint64_t{64} << 20;
  std::uint64_t scrub_rate = std::uint64_t{8} << 20, scrub_s = 86'400;
  std::vector<Budget> budgets;  // of the host: those of caches, and threads
  LogLevel log_level = LogLevel::kInfo;
  std::uint64_t log_buffer = Logger::kDefaultBufferBytes;
};

inline constexpr std::size_t kMaxCollections = 64;  // each has three threads

// Whether metrics and lines of the log say which collection they are of.
inline bool names_collections(const Options& options) {
  return options.all_collections || options.collections.size() > 1;
}

// Sets the budgets of caches that are config::kAutoBytes, by the memory that the process may have: those of the host
// take at most 54 % of it together, in a container of 512 MiB for example 275 MiB. The GPU's stays: its device is asked
// when it is opened. Returns them all.
std::vector<Budget> choose_budgets(Options& options, const Machine& machine);

// The options; or the exit code with which the process ends now, after --help or after one line on stderr.
std::variant<Options, int> read_options(int argc, const char* const* argv);

}  // namespace frond::leaf
