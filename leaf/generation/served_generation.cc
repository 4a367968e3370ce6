#include "leaf/generation/served_generation.h"

#include <optional>

namespace frond::leaf::generation {
namespace {

using partition::ChangesPtr;

std::uint64_t tokens_of(std::span<const DocId> docids, std::span<const std::uint32_t> lengths) {
  std::uint64_t tokens = 0;
  for (const DocId docid : docids) tokens += lengths[docid];
  return tokens;
}

// All of them, from all files.
Result<Hidden> hidden_anew(const repository::PartitionEntry& entry, const partition::Partition& partition,
                           std::span<const ChangesPtr> changes) {
  const auto docids = FROND_TRY(partition::hidden_documents_of(entry.id, partition.documents(), changes));
  const std::uint64_t tokens = tokens_of(docids, partition.lengths());
  if (docids.size() != entry.hidden.documents || tokens != entry.hidden.tokens)
    return Error(Code::kCorrupt, "partition " + entry.id + ": " + std::to_string(docids.size()) +
                                     " hidden documents with " + std::to_string(tokens) +
                                     " tokens; the manifest says " + std::to_string(entry.hidden.documents) + " and " +
                                     std::to_string(entry.hidden.tokens));
  if (docids.empty()) return Hidden();
  return Hidden{std::make_shared<const partition::HiddenDocuments>(partition.documents(), docids), tokens};
}

// What `before` hides, and what the files hide that it does not have. Together that is all that the new generation
// hides, and more only if the older one hides what this one does not: then the counts differ, and nothing is returned.
std::optional<Hidden> hidden_since(const ServedGeneration& before, const ServedPartition& same,
                                   const repository::PartitionEntry& entry, std::span<const ChangesPtr> changes) {
  const partition::Partition& partition = same.open->partition();
  std::vector<DocId> fresh;
  std::size_t listed = 0;  // by all files: more than the manifest says if a document is hidden twice
  for (const ChangesPtr& one : changes) {
    const auto found = one->hidden().find(entry.id);
    if (found == one->hidden().end()) continue;
    listed += found->second.size();
    if (std::ranges::find(before.changes, one) != before.changes.end()) continue;
    for (const DocId docid : found->second)
      if (!same.hidden || !same.hidden->contains(docid)) fresh.push_back(docid);
  }
  std::ranges::sort(fresh);
  if (std::ranges::adjacent_find(fresh) != fresh.end()) return std::nullopt;
  if (!fresh.empty() && fresh.back() >= partition.documents()) return std::nullopt;
  const std::uint64_t tokens = same.hidden_tokens + tokens_of(fresh, partition.lengths());
  const std::size_t count = (same.hidden ? same.hidden->count() : 0) + fresh.size();
  if (count != entry.hidden.documents || listed != count || tokens != entry.hidden.tokens) return std::nullopt;
  if (fresh.empty()) return Hidden{same.hidden, tokens};
  if (same.hidden) return Hidden{same.hidden->with(fresh), tokens};
  return Hidden{std::make_shared<const partition::HiddenDocuments>(partition.documents(), fresh), tokens};
}

constexpr std::chrono::seconds kQuiet{10};
constexpr std::size_t kMaxReported = 1024;  // above it all entries are dropped, also those of retired partitions

}  // namespace

Result<Hidden> hidden_of(const repository::PartitionEntry& entry, const OpenPartition& opened,
                         std::span<const ChangesPtr> changes, const ServedSet& serving) {
  for (auto one = serving.rbegin(); one != serving.rend(); ++one) {
    const auto same = std::ranges::find_if(
        (*one)->partitions, [&](const ServedPartition& partition) { return partition.open.get() == &opened; });
    if (same == (*one)->partitions.end()) continue;
    if (auto hidden = hidden_since(**one, *same, entry, changes)) return *std::move(hidden);
    break;  // a rollback, or something wrong, which the message tells
  }
  return hidden_anew(entry, opened.partition(), changes);
}

void DamageLog::report(const OpenPartition& partition, const Error& why) {
  if (why.code() != Code::kCorrupt && why.code() != Code::kUnavailable) return;
  partition.suspected.store(true, std::memory_order_relaxed);
  std::uint64_t more = 0;
  {
    const MutexLock lock(mutex_);
    const Instant now = clock_.now();
    if (reported_.size() > kMaxReported) reported_.clear();
    const auto [entry, first] = reported_.try_emplace({partition.number(), why.code()});
    if (!first && now - entry->second.at < kQuiet) {
      ++entry->second.suppressed;
      return;
    }
    more = std::exchange(entry->second.suppressed, 0);
    entry->second.at = now;
  }
  log_.warn("a partition can't be read", {{"partition", partition.id()},
                                          {"folder", partition.partition().folder().string()},
                                          {"reason", std::string(name_of(why.code()))},
                                          {"error", why.message()},
                                          {"others_since_the_last_line", std::to_string(more)}});
}

}  // namespace frond::leaf::generation
