#pragma once
// The routes that change collections (docs/operations.md, "Writing over HTTP"). Handlers run on threads of their own,
// since they wait for the disk.
#include <cstddef>
#include <string>
#include <string_view>

#include "common/http/router.h"
#include "indexer/serve/served_repository.h"
#include "indexer/serve/write_turns.h"
#include "indexer/write/written_collections.h"

namespace frond::indexer::serve {

// A line of documents makes a line of the answer. Of lines that are refused, so many say why: the answer to short lines
// is not many times as long as they are.
inline constexpr std::size_t kMaxLines = 100'000, kMaxDetails = 100;

struct WriteRoutes {
  write::WrittenCollections* collections = nullptr;  // null: nothing is written, and changes are answered 403
  const ServedRepository* repository = nullptr;
  std::size_t max_request = 0;  // bytes of documents
  WriteTurns* turns = nullptr;  // threads that may wait
  // What is referred to outlives the router.
  void add_to(http::Router& router) const;
};

}  // namespace frond::indexer::serve
