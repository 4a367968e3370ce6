#pragma once
// The body of _bulk. Pure functions.
#include <string>
#include <string_view>
#include <vector>

#include "broker/elasticsearch/documents/document_writes.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxBulkItems = 100'000;

struct BulkItem {
  DocumentChange change;
  std::optional<ApiError> wrong;  // the item fails by itself
};
// `index`: of items that name none; empty: they need one. 400: a line that tells what to do is wrong, or the last line
// has no end; 413: too many items.
Expected<std::vector<BulkItem>> parse_bulk(std::string_view body, std::string_view index, bool require_alias);

}  // namespace frond::broker::elasticsearch
