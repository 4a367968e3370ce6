#pragma once
// A search of one index as a search of Frond's, and its answer as hits of Elasticsearch. Pure functions.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cluster/topology.h"
#include "broker/elasticsearch/aggregations/aggregations.h"
#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "broker/elasticsearch/search/search_request.h"
#include "broker/http/answers/answer.h"
#include "broker/http/search/search_parameters.h"
#include "common/base/ids.h"
#include "common/elasticsearch/document.h"

namespace frond::broker::elasticsearch {

// What is searched. `mapping` is that of the index.
struct SearchedIndex {
  std::string name;
  std::shared_ptr<const Mapping> mapping;
  bool derived = false;                         // its records are its documents
  std::vector<Json> filters = {};               // of the aliases that named it
  std::uint64_t documents = ~std::uint64_t{0};  // at most, of all indices that are searched
};
// `indices`: which `meant` points into. A thread keeps the mappings that it has read, as long as these are the indices.
// 400: a mapping can't be read.
Expected<SearchedIndex> searched_index(const Meant& meant, const std::shared_ptr<const Indices>& indices);
// The calling thread's.
text::Analyzer& analyzer_of(const text::AnalyzerConfig& config);

// Without the fields that came after the generation with this schema: no document of it has one.
SearchedIndex without_new_fields(SearchedIndex index, const schema::Schema& schema);

// What is searched of an index of which nothing is published.
std::shared_ptr<const cluster::Topology> no_documents(const Mapping& mapping);

// What its documents are ordered by, and how the values are shown.
struct SortColumn {
  enum class By : std::uint8_t { kField, kScore, kOrder, kUnmapped };
  By by = By::kField;
  const MappedField* field = nullptr;  // of kField
  std::string unmapped_type = {};      // of kUnmapped
  bool descending = false, missing_first = false;
};
// What a hit shows in place of no value: it sorts where those documents are.
Json missing_value(const SortColumn& column);
// 400: no field of that name; the index then fails alone, if there are others.
Expected<std::vector<SortColumn>> sort_columns(const SearchAsk& ask, const Mapping& mapping);

struct ReadParts {
  http::SearchParameters hits;
  std::vector<Aggregation> aggregations;
  std::optional<http::SearchParameters> counted;     // their search, where they are of other documents than the hits
  std::optional<http::SearchParameters> everywhere;  // that of what they count over all documents
  double scale = 1;
  Json kept = nullptr;  // of a scroll: its query, scale, k1 and b, for its next pages
  bool over = false;    // of a scroll: all hits were shown
  std::size_t searches() const { return over ? 0 : 1 + (counted ? 1 : 0) + (everywhere ? 1 : 0); }
};
// `several`: hits of other indices come in between, so all from the first are wanted.
Expected<ReadParts> parameters_of(const SearchAsk& ask, const SearchedIndex& index, text::Analyzer& analyzer,
                                  Statistics& statistics, std::int64_t now_ms, bool several);
// The cursor behind the values that `search_after` gives. `generation`: of the index, as it is served.
Expected<std::string> cursor_of(const SearchAsk& ask, const SearchedIndex& index, const ReadParts& parts,
                                const GenerationId& generation);

struct Hit {
  std::string id, source;  // source: the client's JSON; empty: not asked for
  std::optional<double> score;
  Json sort = nullptr;       // an array; null: by score
  Json highlight = nullptr;  // null: nothing is to be shown
  Json more = nullptr;       // an object: members of the hit that later searches have added; null: none
  StoredNumbers kept = {};
  std::size_t index = 0;
  std::string cursor = {};  // of Frond's, behind it; of a scroll of several indices alone
};
struct IndexAnswer {
  std::vector<Hit> hits;
  std::uint64_t total = 0;
  bool exact = true, timed_out = false;
  Json facets = nullptr, near = nullptr;  // near: "did_you_mean"
  std::string start = {};                 // a cursor of Frond's in front of the first hit; empty: as Hit::cursor
  std::string next = {};                  // a cursor of Frond's behind the last hit; empty: there is none
  std::string lacking = {};               // why partitions were not searched; empty: all were
};
// 400: as sort_columns().
Expected<IndexAnswer> read_answer(const http::Answer& found, const SearchAsk& ask, const SearchedIndex& index,
                                  double scale);
// What is counted comes as it is, to be added to that of others of so many indices, and the hits come with their exact
// number.
void count_apart(ReadParts& parts, std::size_t indices);
// Null: the answer has no such piece.
Json json_in(const http::Answer& found, const http::Pieces::Piece& piece);

// The shortest text of a score of 32 bits.
std::string score_text(double score);

}  // namespace frond::broker::elasticsearch
