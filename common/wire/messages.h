#pragma once
// The messages between broker and leaf as plain structs. leaf.capnp defines their bytes; codec.h converts between the
// two. Each request and each reply is one ZeroMQ message of one frame.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/budget.h"
#include "common/base/ids.h"
#include "common/base/placement.h"
#include "common/query/facets/facet_counts.h"
#include "common/query/near_words.h"
#include "common/query/sort_order.h"
#include "common/schema/schema.h"
#include "common/schema/schema_json.h"
#include "common/scoring/bm25.h"
#include "common/scoring/prior.h"
#include "common/text/analyzer_config.h"
#include "common/topk/hit.h"
#include "common/wire/reasons.h"

namespace frond::wire {

// The largest counts, sizes and times that a message may hold. A reader refuses more as kCorrupt; a writer must not
// send more. A term has at most text::kMaxTermBytes.
inline constexpr std::size_t kMaxMessageBytes = 64u << 20;
inline constexpr std::size_t kMaxRequestBytes = 4u << 20;  // of a request to a leaf; encoded ones are smaller
inline constexpr std::size_t kMaxTerms = 512;
inline constexpr std::size_t kMaxPartitions = 4096;
inline constexpr std::size_t kMaxDepth = 10'000;                // hits of one ranking: a search's offset + k
inline constexpr std::size_t kMaxOrdinals = 1000;               // documents of one fetch: the hits of a page
inline constexpr std::size_t kMaxFetchedIdBytes = 4096;         // of a fetch by id; ingest takes fewer
inline constexpr std::size_t kMaxFetchedBodyBytes = 32u << 20;  // of a document by id; the rest is cut off
inline constexpr std::size_t kMaxBrokerNameBytes = 256;
inline constexpr std::size_t kMaxCollectionNameBytes = 1024;
inline constexpr std::size_t kMaxGenerations = 64;  // in one HelloReply
inline constexpr std::size_t kMaxBudgets = 256;     // likewise
inline constexpr std::uint32_t kMaxClientWeight = 100;
inline constexpr std::chrono::hours kMaxBudget{1};        // of a search or fetch; a leaf takes a longer one for this
inline constexpr std::size_t kMaxClauseBytes = 1u << 20;  // of SearchRequest::clause, and of its filter
inline constexpr std::size_t kMaxColumns =
    frond::schema::kMaxFields + 1;                          // names in one request: all fields, and the source
inline constexpr std::size_t kMaxColumnsBytes = 32u << 20;  // of the values of one document
inline constexpr std::size_t kMaxExplained = 100;           // documents of one fetch with explanations
inline constexpr std::size_t kMaxExplanationBytes = 256u << 10;
// Of all facets of one SearchReply; as many facets may be in buckets.
inline constexpr std::size_t kMaxFacetBuckets = 1'000'000;
inline constexpr std::size_t kMaxFacetWordBytes = 32u << 20;  // … and of their words
inline constexpr std::size_t kMaxRuns = 16;  // in one SearchReply: a leaf sends one for AND, one for OR

enum class Mode : std::uint8_t { kAnd, kOr, kAuto };
constexpr std::string_view name_of(Mode mode) {
  constexpr std::string_view kNames[] = {"and", "or", "auto"};
  return kNames[static_cast<int>(mode)];
}
// kNone: the first hits by ordinal, without scores (0), and the exact number of matches. For leaves with
// kFeatureUnranked; others would rank.
enum class Rank : std::uint8_t { kScore, kNone };
// kExhaustive scores every matching document: the slow reference for tests and comparisons.
enum class Processor : std::uint8_t { kAuto, kCpu, kGpu, kExhaustive };

struct QueryTerm {
  std::string text;  // analysed
  std::uint32_t occurrences = 1;
};

// Fields of a document, as bits. The id has none, because every document has it.
inline constexpr std::uint8_t kFieldTitle = 1, kFieldUrl = 2, kFieldSnippet = 4;
inline constexpr std::uint8_t kAllFields = kFieldTitle | kFieldUrl | kFieldSnippet;

// A page of a ranking, whose documents the reply to the search is to have.
struct Show {
  std::uint32_t offset = 0, count = 0;  // 0 hits: none; offset + count <= depth
  std::uint8_t fields = kAllFields;
  // Fields of the schema whose values the documents are to have, and "source"; for leaves with kFeatureClauses.
  std::vector<std::string> columns = {};
  bool explain = false;  // as FetchRequest::explain
};

// Who asks, and its share of a leaf's time beside others.
struct ClientShare {
  std::uint32_t id = 0;      // 0: not told
  std::uint32_t weight = 1;  // 1 .. kMaxClientWeight
};

struct SearchRequest {
  std::uint64_t request_id = 0;  // chosen by the broker; the reply has the same
  Generation generation = 0;
  Mode mode = Mode::kAuto;
  Processor processor = Processor::kAuto;
  bool profile = false;
  std::uint32_t depth = 10;               // hits wanted: offset + k, 0 .. kMaxDepth
  std::uint32_t auto_needs = 10;          // kAuto: the leaf sends OR too where AND finds fewer documents than this
  std::chrono::microseconds budget{0};    // time left when the request was sent
  std::vector<QueryTerm> terms;           // distinct
  std::vector<std::uint32_t> partitions;  // to be searched, by their numbers in the generation
  ContentId content = 0;                  // the generation's content; 0: any content with this number
  Show show;                              // of this leaf's own ranking, whatever its share of the partitions
  Rank rank = Rank::kScore;
  scoring::PriorWeight prior_weight = scoring::kUsualPriorWeight;  // up to kMaxPriorWeight; 0: priors do not count
  std::optional<scoring::Bm25Parameters> bm25;  // empty: the generation's; for leaves with kFeatureBm25
  // For leaves with kFeatureClauses. A clause in its normal form (query::cache_key()): what is searched, and then
  // `terms` is empty, and `mode` is kAuto if something in it is, else kOr; empty: the terms.
  std::string clause;
  // A clause that documents must match besides, without a score; empty: none.
  std::string filter;
  bool exact_total = false;  // `matches` is exact in whatever mode
  // For leaves with kFeatureSorting, and only with a clause. By what hits are ordered (query::sort_text()); empty: by
  // score. `mode` is kOr then.
  std::string sort;
  std::optional<query::SortPosition> after;  // with `sort`: only hits behind it; `matches` counts all
  std::string facets;                        // query::facets_json() of bound facets; empty: none
  bool simple_facets = true;  // not sent. Of `facets`: query::is_simple(), or leaves need kFeatureFacetTrees
  std::vector<query::NearWord> near = {};  // beside what is searched; for leaves with kFeatureNear
  // The reply has the partitions' profiles, and the leaf logs the search, if it takes as long; 0: only with `profile`.
  std::chrono::microseconds profile_from{0};
  struct TraceId {
    std::uint64_t high = 0, low = 0;  // of W3C Trace Context; both 0: none
  } trace = {};
  ClientShare client = {};
};

// The result of one mode (AND or OR) over all partitions that the leaf searched.
struct Ranking {
  std::vector<topk::Hit> hits;  // best first, at most depth
  std::uint64_t matches = 0;
  bool exact = true;  // false: matches is a lower bound
  // Of a search with `sort`: query::SortBytes of each hit, whose order is theirs. Scores are 0 if it needs none.
  std::vector<std::string> sort_bytes = {};
};

struct PartitionProfile {
  std::uint32_t partition = 0;
  std::string engine;
  std::uint64_t queue_us = 0, lists_us = 0, engine_us = 0, postings = 0;
};

// How a leaf ran a search in one mode, for a profile.
struct SearchRun {
  Mode mode = Mode::kAnd;  // kAnd or kOr
  bool on_cpu = false, on_gpu = false;
  RunQueue queue = RunQueue::kNone;
  RunReason reason = RunReason::kUnknown;
  bool stolen = false;
  Resident resident = Resident::kNotAsked;
  // Known before it runs, over all partitions. Estimated from the partitions' share of the generation's documents.
  std::uint32_t k = 0, partitions = 0, terms = 0;                    // terms: with a list
  std::uint64_t postings = 0, blocks = 0, shortest = 0, second = 0;  // second: 0 with one list
  // All times in nanoseconds. The predictions are 0 on a leaf that does not predict.
  std::uint64_t predicted_cpu_ns = 0, predicted_gpu_ns = 0;  // GPU: what it adds to a batch of 64
  std::uint64_t wait_ns = 0;                                 // in the queue
  std::uint64_t cpu_ns = 0;                                  // CPU time of the evaluation, on all threads
  // Of the batch that took it; 0 queries: none did.
  std::uint32_t batch_queries = 0, batch_plans = 0;
  std::uint64_t build_ns = 0;     // lists found, batch written
  std::uint64_t transfer_ns = 0;  // launch, and the way of the batch and of its answers over the bus
  std::uint64_t kernel_ns = 0;    // on the device
  std::uint64_t answer_ns = 0;    // until a worker had the hits
  friend bool operator==(const SearchRun&, const SearchRun&) = default;
};

struct FetchRequest {
  std::uint64_t request_id = 0;
  Generation generation = 0;
  std::chrono::microseconds budget{0};
  std::vector<std::string> terms;         // analysed; snippets show and mark them
  std::vector<Ordinal> ordinals;          // documents of the leaf's partitions
  ContentId content = 0;                  // the generation's content; 0: any content with this number
  std::uint8_t fields = kAllFields;       // wanted beside the id; an older leaf sends all
  std::vector<std::string> columns = {};  // as Show::columns
  std::string id;                         // not empty: this document; for leaves with kFeatureById
  std::uint32_t body_bytes = 0;  // … and so much of its body at most; 0: kMaxFetchedBodyBytes, as of an older leaf
  // The search that found the documents, by score, if it is to be said why they have theirs: of at most kMaxExplained
  // documents. Of it count terms, clause, mode, bm25 and prior_weight. An older leaf passes over it.
  std::shared_ptr<const SearchRequest> explain = nullptr;
};
inline constexpr std::string_view kExplanationMissing = R"({"missing":)";
struct FetchedDocument {
  Ordinal ordinal = 0;
  bool found = false;
  std::string id, title, url;                            // title, url and snippet are empty if not wanted
  std::string snippet;                                   // plain text; matched words lie between U+0002 and U+0003
  UnsearchedReason reason = UnsearchedReason::kCorrupt;  // why it is not found; an older leaf sends none
  std::string body = {};                                 // only of a fetch by id
  bool truncated = false;                                // the body is longer; an older leaf does not say
  // Those of `columns` that the document has, as members of a JSON object: {"tag":["x","y"],"year":2010,"source":{…}}.
  // Empty: none was wanted.
  std::string columns = {};
  // A JSON object (docs/http-api.md, "Explanations"); one that was not made says why, behind kExplanationMissing.
  // Empty: none was wanted, or could be made; an older leaf.
  std::string explanation = {};
};
struct FetchReply {
  std::uint64_t request_id = 0;
  std::vector<FetchedDocument> documents;
};

struct SearchReply {
  std::uint64_t request_id = 0;
  bool has_and = false, has_or = false;
  Ranking and_ranking, or_ranking;  // kAuto: AND always, OR too where this leaf's AND has fewer than auto_needs matches
  std::vector<UnsearchedPartition> unsearched;  // their hits are in no ranking; empty: all were searched
  std::vector<PartitionProfile> profile;
  std::vector<SearchRun> runs;  // of AND and of OR; only with `profile`, and not from older leaves
  // Of the page that the request wants shown, in its order. Empty: the broker fetches them; an older leaf, one that had
  // no time left, or one that could not search all partitions leaves them to it.
  std::vector<FetchedDocument> documents;
  // Of each facet of the request, over all documents of the searched partitions that match (in mode kAuto: by OR).
  std::vector<query::FacetCounts> facets = {};
  // Of each of the request, by the dictionary of the whole generation, so the same of every leaf. Empty: none was
  // wanted, or nothing was searched.
  std::vector<query::NearTerms> near = {};
};

// The broker that sends a hello.
struct Broker {
  std::uint64_t instance = 0;  // random, drawn when the broker's thread starts; 0: an older broker, without it
  std::string name;            // --node-name of the broker, for people
  GenerationId serving;        // the generation it answers searches from; number 0: none yet
  std::chrono::milliseconds hello_every{0};
  bool needs_leaf = false;      // no other leaf has some partition of that generation
  std::string collection = {};  // that it asks about; empty: an older broker. Not served here: the leaf answers only
};
struct HelloRequest {
  std::uint64_t request_id = 0;
  Broker broker;
};
// Stops the search or fetch with this id: the broker no longer wants its reply. Neither the cancellation nor the
// stopped request gets a reply; the broker drops one that was already on its way. A leaf too old to know this message
// answers it with an ErrorReply.
struct CancelRequest {
  std::uint64_t request_id = 0;  // of the request to stop
};
struct ServedPartition {
  std::uint32_t number = 0;  // in the generation
  Placement placement;
  std::uint64_t hidden = 0;  // documents of the partition that the generation does not have
};
struct ServedGeneration {
  Generation generation = 0;
  std::uint32_t partitions_total = 0;  // of the generation, on all leaves
  text::AnalyzerConfig analyzer;
  scoring::Bm25Parameters bm25;
  scoring::CollectionStatistics statistics;
  std::vector<ServedPartition> partitions;  // on this leaf
  ContentId content = 0;                    // 0: an older leaf, which does not send it
  std::string schema = {};                  // Manifest::schema; an older leaf sends none
  GenerationId id() const { return {generation, content}; }
};
// What a leaf can do that older ones cannot, as bits of HelloReply::features.
inline constexpr std::uint64_t kFeatureUnranked = 1;  // Rank::kNone
inline constexpr std::uint64_t kFeatureBm25 = 2;      // SearchRequest::bm25
inline constexpr std::uint64_t kFeatureById = 4;      // FetchRequest::id
inline constexpr std::uint64_t kFeatureClauses = 8;   // SearchRequest::clause, filter and exact_total, columns of hits
// SearchRequest::sort and facets; weights of collections of impacts.
inline constexpr std::uint64_t kFeatureSorting = 16;
// Facets that are not query::is_simple().
inline constexpr std::uint64_t kFeatureFacetTrees = 32;
inline constexpr std::uint64_t kFeatureNear = 64;  // SearchRequest::near
inline constexpr std::uint64_t kAllFeatures = kFeatureUnranked | kFeatureBm25 | kFeatureById | kFeatureClauses |
                                              kFeatureSorting | kFeatureFacetTrees | kFeatureNear;
// Whether it needs kFeatureClauses.
inline bool has_clauses(const SearchRequest& request) {
  return !request.clause.empty() || !request.filter.empty() || request.exact_total || !request.show.columns.empty() ||
         !request.sort.empty() || !request.facets.empty() || !request.near.empty();
}
// Those that a leaf needs for it.
inline std::uint64_t features_needed(const SearchRequest& request) {
  return (request.rank == Rank::kNone ? kFeatureUnranked : 0) | (request.bm25 ? kFeatureBm25 : 0) |
         (has_clauses(request) ? kFeatureClauses : 0) |
         (request.sort.empty() && request.facets.empty() ? 0 : kFeatureSorting) |
         (request.simple_facets ? 0 : kFeatureFacetTrees) | (request.near.empty() ? 0 : kFeatureNear);
}

struct HelloReply {
  std::uint64_t request_id = 0;  // 0: no request; the leaf sends it when it begins to drain
  std::string collection;
  std::string node;  // the leaf's name
  std::string version;
  std::vector<ServedGeneration> generations;  // ready to be searched, in the order in which they became current
  std::string gpu;                            // "off", "absent", "ready", "lost", …
  std::uint32_t cpu_threads = 0, queue_depth = 0, queue_limit = 0;
  std::uint64_t host_cache_bytes = 0, host_cache_limit = 0, host_cache_hits = 0, host_cache_misses = 0;
  std::string detail;           // what is wrong, for people: a refused generation, for example; empty: nothing
  bool draining = false;        // it ends soon; then `generations` is empty
  std::uint64_t features = 0;   // an older leaf sends none
  std::string machine;          // what the leaf may use of it (Machine::text())
  std::vector<Budget> budgets;  // likewise: what it takes of it
};

// Refuses a whole request. kUnavailable means that the leaf is ending, or too old to send a reason; the other reasons
// concern this request only.
struct ErrorReply {
  std::uint64_t request_id = 0;
  std::string message;
  UnsearchedReason reason = UnsearchedReason::kUnavailable;
};

using Request = std::variant<SearchRequest, FetchRequest, HelloRequest, CancelRequest>;
using Reply = std::variant<SearchReply, FetchReply, HelloReply, ErrorReply>;

// Which requests cost many times the usual, judged by what they ask for. A broker evaluates only a few of them at a
// time, and a leaf runs them on threads of their own, so that they do not delay other requests.

// Costly is more than this.
inline constexpr std::uint32_t kCostlyDepth = 1000;           // hits of a ranking, for a broker
inline constexpr std::size_t kCostlyTerms = 64;               // distinct terms
inline constexpr std::size_t kCostlyClauseBytes = 16u << 10;  // of clause and filter
inline constexpr std::size_t kCostlySources = 10;             // documents of a fetch whose sources are wanted
inline constexpr std::size_t kCostlyExplained = 10;           // … whose scores are to be explained
inline constexpr std::size_t kCostlyDocuments = 100;          // documents of a fetch; for a leaf also hits of a ranking

inline bool is_costly(const SearchRequest& request) {
  return request.processor == Processor::kExhaustive || request.depth > kCostlyDocuments ||
         request.terms.size() > kCostlyTerms || request.clause.size() + request.filter.size() > kCostlyClauseBytes ||
         !std::ranges::all_of(request.near, &query::NearWord::only_absent);
}
inline bool is_costly(const FetchRequest& request) {
  const bool sources = std::ranges::find(request.columns, "source") != request.columns.end();
  const std::size_t most = request.explain != nullptr ? kCostlyExplained : kCostlyDocuments;
  return request.ordinals.size() > (sources ? kCostlySources : most) ||
         (request.explain != nullptr && is_costly(*request.explain));  // each document is searched for again
}

}  // namespace frond::wire
