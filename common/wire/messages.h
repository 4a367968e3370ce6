#pragma once
// What broker and leaf say to each other, as plain structs. leaf.capnp is their form on the wire; codec.h converts. One
// ZeroMQ message a struct; every parser survives arbitrary bytes and answers kCorrupt.
#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "common/scoring/bm25.h"
#include "common/text/analyzer_config.h"
#include "common/topk/hit.h"

namespace frond::wire {

enum class Mode : std::uint8_t { kAnd, kOr, kAuto };
enum class Processor : std::uint8_t {
  kAuto,
  kCpu,
  kGpu,
  kExhaustive
};  // exhaustive: the oracle, for tests and comparisons
enum class Unsearched : std::uint8_t { kDeadline, kOverloaded, kCorrupt, kUnavailable, kUnknownGeneration };

struct QueryTerm {
  std::string text;  // analysed
  std::uint32_t occurrences = 1;
};

struct SearchRequest {
  std::uint64_t request_id = 0;  // echoed
  Generation generation = 0;
  Mode mode = Mode::kAuto;
  Processor processor = Processor::kAuto;
  bool profile = false;
  std::uint32_t depth = 10;               // hits wanted: offset + k, 0..10,000
  std::uint32_t auto_needs = 10;          // kAuto: OR is wanted too where AND yields fewer than this
  std::chrono::microseconds budget{0};    // time left when sent
  std::vector<QueryTerm> terms;           // distinct
  std::vector<std::uint32_t> partitions;  // which of the generation's to search
  ContentId content = 0;                  // the generation's; 0: whatever has its number
};

// One way of evaluating (AND or OR), over all the partitions that the leaf searched.
struct Ranking {
  std::vector<topk::Hit> hits;  // best first, at most depth
  std::uint64_t matches = 0;
  bool exact = true;  // false: matches is a lower bound
};

struct PartitionProfile {
  std::uint32_t partition = 0;
  std::string engine;
  std::uint64_t queue_us = 0, lists_us = 0, engine_us = 0, postings = 0;
};

struct SearchReply {
  std::uint64_t request_id = 0;
  bool has_and = false, has_or = false;
  Ranking and_ranking, or_ranking;  // kAuto: the leaf sends AND, and OR too where its own AND is short of auto_needs
  struct Missing {
    std::uint32_t partition;
    Unsearched reason;
  };
  std::vector<Missing> unsearched;  // not in the rankings; empty: whole answer
  std::vector<PartitionProfile> profile;
};

struct FetchRequest {
  std::uint64_t request_id = 0;
  Generation generation = 0;
  std::chrono::microseconds budget{0};
  std::vector<std::string> terms;  // analysed; snippets show and mark them
  std::vector<Ordinal> ordinals;   // documents of the leaf's partitions
  ContentId content = 0;           // the generation's; 0: whatever has its number
};
struct FetchedDocument {
  Ordinal ordinal = 0;
  bool found = false;
  std::string id, title, url;
  std::string snippet;  // plain text; matched words lie between U+0002 and U+0003
};
struct FetchReply {
  std::uint64_t request_id = 0;
  std::vector<FetchedDocument> documents;
};

// Who says hello.
struct Broker {
  std::uint64_t instance = 0;  // drawn when the process started; 0: a broker of before, who does not say
  std::string name;            // host:port of its --http, for people
  GenerationId serving;        // that it answers searches from; number 0: none yet
  std::chrono::milliseconds hello_every{0};
  bool needs_leaf = false;  // it knows nobody else for some partition of that generation
};
struct HelloRequest {
  std::uint64_t request_id = 0;
  Broker broker;
};
// Nobody waits any more for the search or fetch of this id: the leaf stops it where it is. There is no reply, to
// neither of the two, and none is needed: a reply that was on its way is dropped as late. A leaf that does not know
// this message answers it as malformed.
struct CancelRequest {
  std::uint64_t request_id = 0;  // of the request that is given up
};
struct ServedPartition {
  std::uint32_t number = 0;  // in the generation
  Ordinal base = 0;
  std::uint64_t stride = 1;
  std::uint64_t documents = 0;
};
struct ServedGeneration {
  Generation generation = 0;
  std::uint32_t partitions_total = 0;  // of the generation, on all leaves
  text::AnalyzerConfig analyzer;
  scoring::Bm25Parameters bm25;
  scoring::CollectionStatistics statistics;
  std::vector<ServedPartition> partitions;  // on this leaf
  ContentId content = 0;                    // 0: a leaf of before, who does not say
  GenerationId id() const { return {generation, content}; }
};
struct HelloReply {
  std::uint64_t request_id = 0;  // 0: sent of the leaf's own accord
  std::string collection;
  std::string node;  // the leaf's name
  std::string version;
  std::vector<ServedGeneration> generations;  // newest last; ready to be searched
  std::string gpu;                            // "off", "absent", "ready", "lost", …
  std::uint32_t cpu_threads = 0, queue_depth = 0, queue_limit = 0;
  std::uint64_t host_cache_bytes = 0, host_cache_limit = 0, host_cache_hits = 0, host_cache_misses = 0;
  std::string detail;     // what is wrong, if anything: a refused generation, say
  bool draining = false;  // it ends soon, and tells of no generations
};

// A request that could not be taken at all. Only kUnavailable says something about the leaf: that it is ending, or too
// old to give a reason.
struct ErrorReply {
  std::uint64_t request_id = 0;
  std::string message;
  Unsearched reason = Unsearched::kUnavailable;
};

using Request = std::variant<SearchRequest, FetchRequest, HelloRequest, CancelRequest>;
using Reply = std::variant<SearchReply, FetchReply, HelloReply, ErrorReply>;

}  // namespace frond::wire
