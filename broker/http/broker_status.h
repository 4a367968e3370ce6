#pragma once
// What a broker's threads count and know, as values: each thread describes itself, and the thread that was asked for
// /metrics or /v1/cluster merges the descriptions.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "broker/http/multi_search.h"
#include "broker/scatter/scatter_context.h"
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
  ClusterView cluster;            // of the first collection
  std::vector<ClusterView> more;  // of the others, in order
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

// Adds another collection's status on the same thread: its view becomes the last of `more`.
void add_collection(BrokerStatus& all, BrokerStatus&& one);

// Adds another thread's. Counts are summed. Where the threads see the cluster differently, the worse view counts: the
// broker is ready if all are; a leaf is healthy if it is for all; the generation is that of the thread that is not
// ready, else of the one with fewer partitions covered, else the lower one.
void merge(BrokerStatus& all, BrokerStatus&& one);

}  // namespace frond::broker::http
