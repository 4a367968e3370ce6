#include "leaf/served_collection.h"

#include <algorithm>
#include <utility>

namespace frond::leaf {
namespace {

serve::Identity named(serve::Identity identity, const std::string& collection) {
  identity.collection = collection;
  return identity;
}

metrics::Labels labels_of(const Options& options, const std::string& collection) {
  if (options.collections.size() == 1) return {};
  return {{"collection", collection}};
}

}  // namespace

ServedCollection::ServedCollection(const Shared& shared, const CollectionPlace& place)
    : name_(place.name),
      service_(shared.parts(board_), named(shared.identity, place.name), shared.cache_state, brokers_, shared.requests),
      loader_(*place.source, *place.folder, {shared.options.shard, shared.options.shards}, shared.lists,
              shared.options.disk_reserve, shared.documents, &shared.numbers),
      follower_(
          {.collection = place.name,
           .poll = shared.options.poll,
           .grace = shared.options.grace,
           .superseded_limit = shared.options.superseded_limit,
           .labels = labels_of(shared.options, place.name),
           .on_change = [this] { service_.announce(); }},
          *place.source, *place.folder, loader_, board_, brokers_, shared.clock,
          shared.options.collections.size() == 1 ? shared.log : own_log_.emplace(shared.log, "collection", place.name),
          &shared.registry),
      announcements_(
          place.source->watch(), [this] { follower_.look_soon(); }, &shared.registry,
          labels_of(shared.options, place.name)) {}

void ServedCollection::start() {
  follower_.start();
  announcements_.start();
}

bool ServedCollection::stop(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const bool deaf = announcements_.stop(patience);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return follower_.stop(std::max(left, std::chrono::milliseconds(0))) && deaf;
}

}  // namespace frond::leaf
