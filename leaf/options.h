#pragma once
// frond-leaf's command line, read once and validated once.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/log.h"
#include "common/objects/place.h"

namespace frond::leaf {

struct Options {
  std::string repository, data, listen, http, node_name;
  std::vector<std::string> collections;         // at least one; brokers that name none ask for the first
  std::string curve_secret_key, curve_clients;  // files; both or neither
  std::string tls_ca;                           // authorities for an https repository; empty: the system's
  objects::Access objects;                      // for an s3:// repository
  std::uint32_t shard = 0, shards = 1;
  std::size_t cpu_threads = 1;
  unsigned io_threads = 1;
  std::size_t max_peers = 0, max_peers_by_address = 0;  // connections of brokers; 0: by peer_numbers()
  std::size_t costly_threads = 1;
  std::uint64_t costly_postings = 1'000'000;
  std::optional<int> gpu_device;  // none: off
  bool gpu_required = false;      // a device was named: the leaf does not start without it
  std::string engine = "cpu";
  double check_share = 0;  // of the GPU's answers
  std::string cost_model;  // a file; empty: the built-in model
  std::uint64_t host_cache_bytes = 0, document_cache_bytes = 0, term_cache_bytes = 0, gpu_cache_bytes = 0;
  std::uint64_t gpu_plain_bytes = 0;  // of gpu_cache_bytes
  std::size_t queue_limit = 0, gpu_queue_limit = 0;
  std::uint64_t min_gpu_postings = 0;
  std::chrono::milliseconds poll{0}, drain{0}, drain_needed{0}, ready_after{0};
  std::chrono::seconds grace{0}, superseded_limit{0}, stall{0}, lock_wait{0};
  std::uint64_t fetch_min_rate = 0, disk_reserve = 0;
  LogLevel log_level = LogLevel::kInfo;
  std::uint64_t log_buffer = Logger::kDefaultBufferBytes;
};

// The options; or the exit code with which the process ends now, after --help or after one line on stderr.
std::variant<Options, int> read_options(int argc, const char* const* argv);

}  // namespace frond::leaf
