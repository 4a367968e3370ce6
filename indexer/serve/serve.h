#pragma once
// The indexer service: a repository's published files over HTTP, for leaves on other machines; which collections there
// are; probes and metrics. Without API keys it writes nothing and holds no lock, so any number of services may serve
// one repository. With keys it also writes: documents and collections over HTTP (indexer/write). Builds and other
// commands go on beside it.
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/keys/api_key.h"
#include "common/objects/counts.h"
#include "indexer/write/collection_writer.h"

namespace frond::indexer::serve {

// The indexer's names of requests to an object store.
inline constexpr objects::RequestFamilies kObjectFamilies{
    {"frond_indexer_object_requests_total", "Requests to the object store, by kind and outcome."},
    {"frond_indexer_object_request_seconds_total", "Seconds that they took, by kind."},
    {"frond_indexer_object_bytes_total", "Bytes of bodies, sent and received."},
    {"frond_indexer_object_retries_total", "Requests to the object store that were repeated."}};

struct ServeOptions {
  std::string listen;                    // HOST:PORT
  std::vector<std::string> hosts;        // as http::HostList::parse() takes them; empty: any
  std::string tls_certificate, tls_key;  // PEM files; empty: plain HTTP
  std::size_t readers = 4;               // threads that read files
  std::size_t max_connections = 1024;
  std::uint64_t max_unsent_bytes = 256u << 20;      // 512 KiB for each file that is being sent
  std::size_t min_client_rate = 4096;               // bytes a second
  std::chrono::milliseconds drain_publish{15'000};  // after a stop: for accepted changes to be published; then …
  std::chrono::milliseconds drain{10'000};          // … for open requests
  std::string api_keys;                             // file of API keys; empty: nothing is written
  keys::Limits of_key, of_address;                  // as keys::Guard::Config has them
  std::size_t max_request_bytes = 16u << 20;        // of documents
  std::size_t max_body_bytes = 64u << 20;           // of all requests; as much again where they are worked on
  double access_log = 0;                            // share of the requests that are logged
  write::WriterOptions writing;                     // also which repository; objects.access.counts is set
};

// Serves until `stop`. Then changes are refused and what was accepted is published, while files are served on; then
// what is open is answered. Each step ends after its time. kInvalid: an address, a certificate, or a list
// of hosts that is wrong; kUnavailable: the port is taken.
Result<void> serve(const ServeOptions& options, Logger& log, std::stop_token stop);

}  // namespace frond::indexer::serve
