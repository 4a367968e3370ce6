#include "indexer/write/operation.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace frond::indexer::write {

Folded folded(std::span<const Operation> operations) {
  Folded folded;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = operations.size(); i-- > 0;) {
    const Operation& operation = operations[i];
    if (!seen.insert(operation.id).second) continue;
    if (operation.removes())
      folded.removed_ids.push_back(operation.id);
    else
      folded.documents.push_back(&operation);
  }
  std::ranges::reverse(folded.documents);
  std::ranges::reverse(folded.removed_ids);
  return folded;
}

}  // namespace frond::indexer::write
