#include "tests/support/collections/memory_list_store.h"

#include "common/base/check.h"

namespace frond::support {

leaf::lists::ListLease make_lease(std::span<const ByteBuffer> segments, leaf::lists::ListKey key) {
  auto list = std::make_shared<leaf::lists::List>();
  list->key = std::move(key);
  std::vector<ByteView> views;
  for (const auto& segment : segments) {
    auto padded = std::make_shared<ByteBuffer>(segment);
    padded->resize(segment.size() + codec::kReadSlack);
    views.push_back(ByteView(*padded).first(segment.size()));
    list->bytes += segment.size();
    list->owners.push_back(std::move(padded));
  }
  auto opened = postings::PostingList::open(views);
  if (!opened) std::fprintf(stderr, "%s\n", opened.error().message().c_str());
  FROND_CHECK(opened.has_value());
  list->postings = *std::move(opened);
  // Some as a cache has them, some as they are on the disk.
  if (list->postings.count() % 2 == 0) list->buckets = leaf::lists::BucketIndex::build(list->postings);
  return list;
}

void MemoryListStore::add(std::uint64_t partition, const std::string& term, std::span<const ByteBuffer> segments) {
  lists_[{partition, term}] = make_lease(segments, {partition, term});
}

Result<std::vector<leaf::lists::ListLease>> MemoryListStore::fetch(std::span<const leaf::lists::ListKey> keys,
                                                                   Deadline deadline) {
  if (hook_) FROND_TRY(hook_(keys));
  std::vector<leaf::lists::ListLease> leases;
  for (const auto& key : keys) {
    if (deadline.passed(clock_)) return Error(Code::kDeadline, "the deadline passed while lists were read");
    ++fetched_;
    const auto found = lists_.find({key.partition, key.term});
    leases.push_back(found == lists_.end() ? std::make_shared<const leaf::lists::List>() : found->second);
  }
  return leases;
}

}  // namespace frond::support
