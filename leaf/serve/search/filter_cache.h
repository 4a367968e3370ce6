#pragma once
// Filters that searches have evaluated, kept for the next searches: for each partition and generation the documents
// that a filter leaves out, with those that the generation does not have. Any thread.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/cache/shared_cache.h"
#include "common/partition/documents/hidden_documents.h"

namespace frond::leaf::serve {

struct FilterKey {
  std::uint64_t generation = 0;  // ServedGeneration::serial
  std::uint32_t partition = 0;   // its number there
  std::string filter;            // query::cache_key()
  friend bool operator==(const FilterKey&, const FilterKey&) = default;
};
struct FilterHash {
  std::size_t operator()(const FilterKey& key) const {
    return std::hash<std::string>()(key.filter) ^ ((key.generation << 20 | key.partition) * 0x9e3779b97f4a7c15ULL);
  }
};

class FilterCache final
    : public cache::SharedCache<FilterKey, std::shared_ptr<const partition::HiddenDocuments>, FilterHash> {
 public:
  using Documents = std::shared_ptr<const partition::HiddenDocuments>;
  // 0 bytes: keeps nothing. A filter that takes more than a quarter of the budget is not kept.
  explicit FilterCache(std::size_t budget_bytes) : SharedCache(budget_bytes, 4) {}

  void keep(const FilterKey& key, const Documents& documents) {
    constexpr std::size_t kNodes = 256;  // of the shared_ptr's control block and the nodes of index and list
    // The key is held twice, by the entry and by the index.
    insert(key, documents, documents->bytes() + 2 * (sizeof key + key.filter.size()) + kNodes);
  }
};

}  // namespace frond::leaf::serve
