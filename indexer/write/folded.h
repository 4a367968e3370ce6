#pragma once
// Operations in a row, as one change: of each id only what became of it.
#include <span>
#include <string>
#include <vector>

#include "indexer/write/operation.h"

namespace frond::indexer::write {

struct Folded {
  std::vector<const Operation*> documents;  // the last one of each id that is not removed, in the order of acceptance
  std::vector<std::string> removed_ids;     // whose last operation removes
};

// What it gives refers to `operations`.
Folded folded(std::span<const Operation> operations);

}  // namespace frond::indexer::write
