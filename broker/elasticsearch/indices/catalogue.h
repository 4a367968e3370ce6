#pragma once
// Which indices there are, and which of them an expression means. An index is a Frond collection; what Elasticsearch
// knows of it beside that (mapping, settings, aliases) is kept with the collection (docs/elasticsearch-api.md).
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/elasticsearch/error.h"
#include "common/base/mutex.h"

namespace frond::broker::elasticsearch {

struct Index {
  std::string name;  // the collection's, too
  std::string uuid;
  std::int64_t created = 0;  // milliseconds since 1970
  Json mapping;              // what "mappings" holds: {"dynamic":…,"properties":{…}}
  Json settings;             // {"index":{"number_of_shards":"1",…}}: numbers are texts, as Elasticsearch has them
  Json aliases;              // by name: {} or {"filter":…,"is_write_index":…,…}
  // It was not made by this API: the mapping was derived from the collection's schema, and cannot be changed here.
  bool derived = false;
  std::string version;  // of what is kept with the collection, for a change of it; empty: nothing is
  // Until when it is empty if no leaf serves it, since nothing of it was published a moment ago: moved on by each
  // answer of the indexer's service that says so. Null: it never is. All that is known of one index shares it.
  using Time = std::chrono::steady_clock::time_point;
  std::shared_ptr<std::atomic<Time>> empty_until = nullptr;

  bool may_be_empty() const { return empty_until != nullptr && std::chrono::steady_clock::now() < empty_until->load(); }
};

// By name. Immutable.
using Indices = std::map<std::string, Index, std::less<>>;

// What is kept for all indices: what new ones are made from, {"index":{…},"component":{…},"legacy":{…}}, each by name
// (templates.h), and "settings" of the cluster (cluster_settings.h). Immutable.
struct SharedMetadata {
  Json json = Json::object();
  std::string version;  // for a change; empty: nothing is kept
};

// The indices as they were known last, what is kept for all, and which indices could not be made. Thread-safe.
class Catalogue {
 public:
  std::shared_ptr<const SharedMetadata> kept() const {
    const MutexLock lock(mutex_);
    return kept_;
  }
  void set_kept(SharedMetadata kept) {
    auto next = std::make_shared<const SharedMetadata>(std::move(kept));
    const MutexLock lock(mutex_);
    kept_ = std::move(next);
  }
  // An index that this broker was asked for with what is not supported: it is not made by guess either, since it would
  // answer otherwise than was wanted. Of the last kMostRefused names.
  void refuse(const std::string& name, std::string reason);
  void forget_refusal(std::string_view name);
  std::optional<std::string> refusal(std::string_view name) const;

  std::shared_ptr<const Indices> now() const {
    const MutexLock lock(mutex_);
    return indices_;
  }
  void set(Indices indices) {
    auto next = std::make_shared<const Indices>(std::move(indices));
    const MutexLock lock(mutex_);
    indices_ = std::move(next);
  }

 private:
  mutable Mutex mutex_;
  static constexpr std::size_t kMostRefused = 64;
  std::shared_ptr<const Indices> indices_ FROND_GUARDED_BY(mutex_) = std::make_shared<const Indices>();
  std::shared_ptr<const SharedMetadata> kept_ FROND_GUARDED_BY(mutex_) = std::make_shared<const SharedMetadata>();
  std::deque<std::pair<std::string, std::string>> refused_ FROND_GUARDED_BY(mutex_);  // the latest last
};

// How an expression is taken; the defaults are those of a search.
struct ExpressionRules {
  bool ignore_unavailable = false;  // a name that no index or alias has is left out
  bool allow_no_indices = true;     // a pattern may match nothing
  bool expand_wildcards = true;     // false: a pattern is a name
  bool aliases = true;              // false: only names of indices count
};

// An index that an expression means.
struct Meant {
  const Index* index = nullptr;  // of the Indices that were asked
  // Those of the aliases by which alone it was named: documents that match any of them. Empty: all documents.
  std::vector<Json> filters;
};

// "a,b*,-bc,alias", "_all", "*"; empty: all. By name, each once. 404 index_not_found_exception.
Expected<std::vector<Meant>> resolve(const Indices& indices, std::string_view expression,
                                     const ExpressionRules& rules = {});

// The one index that a change of documents goes to: a name, or an alias of one index, or of several of which one is its
// write index. Null: there is none of that name. 400: the alias has no write index.
Expected<const Index*> write_index(const Indices& indices, std::string_view name);

// Whether a name of an index may be created. 400 invalid_index_name_exception.
Expected<void> check_index_name(std::string_view name);

// '*' stands for any characters.
bool matches_pattern(std::string_view pattern, std::string_view text);
// Whether one of the patterns, which stand between commas, matches.
bool matches_any(std::string_view patterns, std::string_view text);
// What stands between commas; none is empty.
std::vector<std::string_view> split_list(std::string_view list);
bool is_listed(std::string_view list, std::string_view name);  // whether it stands there

}  // namespace frond::broker::elasticsearch
