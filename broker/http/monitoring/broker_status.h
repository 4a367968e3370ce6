#pragma once
// What a broker's threads count and know, as values: each thread describes itself, and the thread that was asked for
// /metrics or /v1/cluster merges the descriptions.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "broker/http/search/multi_search.h"
#include "broker/http/search/search_service.h"
#include "broker/scatter/scatter_context.h"
#include "common/base/budget.h"
#include "common/base/liveness.h"
#include "common/base/mutex.h"
#include "common/http/server/server.h"
#include "common/metrics/registry.h"
#include "common/wire/messages.h"

namespace frond::broker::http {

// A leaf, see cluster::LeafNode.
struct LeafView {
  std::string endpoint, last_error;
  bool healthy = false, draining = false, listed = true;
  unsigned failures = 0;
  std::size_t in_flight = 0;
  std::chrono::milliseconds last_seen_ago{0};
  std::optional<wire::HelloReply> said;
};

// The generation served and the leaves, but those that serve another of the broker's collections. Without a generation
// all numbers are 0.
struct ClusterView {
  struct Partition {
    std::vector<std::string> leaves;  // endpoints; empty: no leaf has the partition
    std::uint64_t documents = 0;      // if there are leaves; without hidden ones
    std::uint64_t hidden = 0;         // removed or replaced, but still in the partition
  };
  bool ready = false;
  Generation generation = 0;
  ContentId content = 0;
  std::uint64_t documents = 0;
  std::size_t covered = 0;  // partitions with a leaf
  std::vector<Partition> partitions;
  std::vector<LeafView> leaves;
};

struct BrokerStatus {
  std::map<std::string, ClusterView> clusters;  // by collection
  scatter::ScatterCounters scatter;
  scatter::Hedging::Counters hedging;
  MultiSearch::Counters msearch;
  std::size_t max_msearches = 0;
  cluster::HandshakeFailures handshakes;
  std::uint64_t leaf_cancels = 0;
  std::size_t known_texts_bytes = 0, known_texts_limit = 0;
};

// Of the calling thread. What `clients` counts is left out if it is null.
BrokerStatus status_of(const cluster::ClusterMap& map, const Clock& clock, const scatter::ScatterContext& scatter,
                       const SearchService& service, const MultiSearch& multi_search,
                       const cluster::ZmqLeafClients* clients);

// Adds another collection's status on the same thread.
void add_collection(BrokerStatus& all, BrokerStatus&& one);

// Adds another thread's. Counts are summed. Where the threads see the cluster differently, the worse view counts: the
// broker is ready if all are; a leaf is healthy if it is for all; the generation is that of the thread that is not
// ready, else of the one with fewer partitions covered, else the lower one.
void merge(BrokerStatus& all, BrokerStatus&& one);

// What a broker is, beside what its threads know.
struct Identity {
  std::string version;
  std::string machine = {};  // what it may use of it; empty: not told
  std::vector<Budget> budgets = {};
};
// The body of GET /v1/cluster: this broker's view of the cluster as JSON.
std::string cluster_json(const ClusterView& cluster, const SearchService& service, std::string_view collection,
                         const Identity& broker);

// {"collections": [name, …]} and a newline, for /v1/collections.
std::string collections_json(const std::vector<std::string>& names);

// Copies what the broker's parts count into its metrics at each scrape. What is exported must outlive the registry's
// last exposition.
// The cache and the searches in flight, of all threads. Read at each exposition, on its thread.
void export_shared(metrics::Registry& registry, const SearchService::Shared& shared);
// The age of each loop. `loops` may be called on any thread.
void export_loops(metrics::Registry& registry, std::function<std::vector<Loop>()> loops, const Clock& clock);

// Requests to leaves and the cluster. They are counted on each thread, so the route /metrics collects them and calls
// show() before an exposition. Failed handshakes are shown with CURVE and without: a leaf may use it all the same.
// Thread-safe.
class StatusMetrics {
 public:
  // `labels`: there may be several collections: what concerns leaves and generations has a label `collection`.
  // `replicas`: how many leaves each partition is meant to have; 0: as many as the one with the most.
  explicit StatusMetrics(metrics::Registry& registry, bool labels = false, std::size_t replicas = 0)
      : registry_(registry), labels_(labels), replicas_(replicas) {}
  void show(const BrokerStatus& status);

 private:
  metrics::Registry& registry_;
  const bool labels_;
  const std::size_t replicas_;
  Mutex mutex_;                                           // of two scrapes at once
  std::set<std::string> shown_ FROND_GUARDED_BY(mutex_);  // collections that the metrics have, with labels
};

}  // namespace frond::broker::http
