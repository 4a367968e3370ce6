#pragma once
// Opens one partition of a published generation in this process, as a leaf does, and makes plans for queries on it.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/query/clause.h"
#include "common/schema/schema.h"
#include "common/text/analyzer_config.h"
#include "leaf/clauses/resolve/resolver.h"
#include "leaf/clauses/searched_partition.h"
#include "leaf/engine/plan.h"
#include "tools/bench/query/bench_queries.h"

namespace frond::tools::bench {

struct PartitionChoice {
  std::string repository;  // a directory or URL
  std::string collection;
  std::uint32_t partition = 0;         // its number in the current generation
  std::uint64_t host_cache_bytes = 0;  // size of the list cache, as in a leaf; 0: no cache
  // Names the partition in list keys. Searchers whose plans meet in one engine need different numbers.
  std::uint64_t number = 1;
  std::optional<double> k1, b;  // to rank by, not of impacts; empty: the collection's
  // The share of documents that are hidden, drawn at random, beside those that the generation hides. Statistics stay.
  double hide = 0;
  // The highest of static priors that are made up for all documents, in the unit of scores; 0: the partition's own.
  double priors = 0;
  // Different values of a column that is made up for all documents and counted by each plan, some much more frequent
  // than others; 0: none.
  std::uint32_t facet_values = 0;
  // The same of a column by which each plan's hits are in order, the greatest first; 0: they are not.
  std::uint32_t sort_values = 0;
  // Whether hits are in the order of their scores before that, or behind it, too.
  enum class SortScore : std::uint8_t { kNone, kFirst, kLast };
  SortScore sort_score = SortScore::kNone;
};

// The partition's files are copied into a scratch folder and verified. The folder is removed with this object. plan()
// may be called from any thread.
class PartitionSearcher {
 public:
  // kNotFound: no such collection or partition; kInvalid: k1 or b of a collection of impacts; kCorrupt names the file.
  static Result<std::unique_ptr<PartitionSearcher>> open(const PartitionChoice& choice);
  virtual ~PartitionSearcher() = default;

  // Prepares a query as a leaf does, by what is known of its terms from before (leaf/serve/search/term_table.h); of new
  // ones it looks up the document frequencies in the generation and the lists in the partition. Under kOr, a term
  // without postings here is left out; under kAnd, it has an empty list. kCorrupt.
  virtual Result<leaf::engine::Plan> plan(const BenchQuery& query, leaf::engine::Mode mode, std::uint32_t k) = 0;
  // The same for a query of the query language, once it is parsed. What `filter` leaves out may be null. The plan
  // refers to `resolved`. kInvalid: as clauses::resolve().
  struct Resolved {
    leaf::clauses::ResolvedQuery query;
    leaf::clauses::ClausePlan plan;
  };
  virtual Result<void> resolve(const query::Clause& clause, const partition::HiddenDocuments* left_out, std::uint32_t k,
                               Resolved& resolved) = 0;
  // What does not match a clause, and what is hidden.
  virtual Result<std::shared_ptr<const partition::HiddenDocuments>> left_out_by(const query::Clause& filter) = 0;
  virtual const schema::Schema& schema() const = 0;
  // The number of the query's terms that the generation has.
  virtual Result<std::size_t> known_terms(const BenchQuery& query) const = 0;
  virtual const text::AnalyzerConfig& analyzer() const = 0;
  virtual QueryForm query_form() const = 0;     // of files of queries
  virtual std::string description() const = 0;  // for the output: documents, postings, codec
};

}  // namespace frond::tools::bench
