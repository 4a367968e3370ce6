#pragma once
// All documents that a query matches, page after page of one generation. On one thread of the broker.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/elasticsearch/search/search_job.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxMatched = 100'000;

struct MatchedDocument {
  std::size_t index = 0;  // in Matched::indices
  std::string id;
  std::optional<std::uint64_t> seq_no;  // nothing: the document did not come by this API
};
struct Matched {
  std::vector<std::string> indices;
  std::vector<MatchedDocument> documents;
};

// `ask`: its query counts alone. `most`: the first so many are enough; nothing: all, of which there may be kMaxMatched.
// `done` is called once, perhaps before this returns. 400: there are more, or the query can't be read; 501: an index
// was not made by this API; 503: not all partitions can be searched.
void match_documents(SearchedTargets targets, SearchAsk ask, std::optional<std::size_t> most,
                     std::function<void(Expected<Matched>)> done);

}  // namespace frond::broker::elasticsearch
