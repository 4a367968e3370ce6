#pragma once
// Numbers of documents that statistics need, kept a while by each thread.
#include <optional>
#include <string>
#include <unordered_map>

#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/base/ids.h"

namespace frond::broker::elasticsearch {

// Counts that searches of this thread asked for lately.
class KnownCounts {
 public:
  static constexpr std::size_t kMax = 10'000;
  std::optional<std::uint64_t> find(const std::string& name) const {
    const auto found = counts_.find(name);
    return found == counts_.end() ? std::nullopt : std::optional(found->second);
  }
  void remember(const std::string& name, std::uint64_t count) {
    if (name.empty()) return;
    if (counts_.size() >= kMax) counts_.clear();
    counts_[name] = count;
  }

 private:
  std::unordered_map<std::string, std::uint64_t> counts_;
};
inline KnownCounts& known_counts() {
  thread_local KnownCounts counts;
  return counts;
}

// Of an index and its generation, which the names of its counts begin with.
inline std::string names_of_counts(const std::string& index, const GenerationId& id) {
  return index + "\n" + std::to_string(id.number) + "\n" + std::to_string(id.content);
}
// In the cache of counts.
inline std::string name_of(const std::string& counts, const Statistics::Key& key) {
  if (counts.empty()) return {};
  std::string name = counts + "\n" + key.first;
  return key.second ? name + "\n" + *key.second : name;
}

}  // namespace frond::broker::elasticsearch
