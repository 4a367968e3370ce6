// Decides which generations stay in the served set, and deletes files that are no longer needed.
#include "leaf/generation/generation_follower.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "common/repository/disk_space.h"

namespace frond::leaf::generation {
namespace {
// A swap rarely takes longer; beyond it the board's detail says why.
constexpr std::chrono::minutes kReportKeptAfter{10};
}  // namespace

// Deletes all files except those of served generations, those in use by queries, and those of `wanted` (may be null)
// that are of this leaf's shard.
void GenerationFollower::sweep(const repository::Manifest* wanted) {
  std::set<std::string> partitions, files;
  if (wanted != nullptr) {
    files.insert(DataFolder::terms_file(wanted->term_statistics));
    for (const auto& file : wanted->changes) files.insert(DataFolder::changes_file(file));
    for (std::size_t p = 0; p < wanted->partitions.size(); ++p)
      if (loader_.is_of_shard(p)) partitions.insert(wanted->partitions[p].id);
  }
  const auto set = board_.get();
  for (const auto& generation : *set) {
    files.insert(generation->files.begin(), generation->files.end());
    files.insert(DataFolder::manifest_file(generation->id()));
    for (const ServedPartition& one : generation->partitions) partitions.insert(one.open->id());
  }
  for (const auto& [id, open] : retired_) partitions.insert(id);
  data_.keep_only(partitions, files);
}

std::vector<Standing> GenerationFollower::standing(const ServedSet& set) const {
  std::vector<Standing> all;
  for (const auto& one : set) {
    const auto since = superseded_.find(one->id());
    all.push_back({one->id(), one->last_used.load(std::memory_order_relaxed),
                   since != superseded_.end() ? since->second : Instant::max()});
  }
  return all;
}

void GenerationFollower::retire() {
  const auto set = board_.get();
  if (set->size() <= 1) return;
  const Instant now = clock_.now();
  std::vector<bool> kept = retained_generations(standing(*set), brokers_.present(now), now, rules());
  leave(*set, kept);
  if (set->size() <= kMaxServedGenerations)
    for (std::size_t i = 0; i < set->size(); ++i)
      kept[i] = kept[i] || now - (*set)[i]->leaving_since.load(std::memory_order_relaxed) < kLeaving;
  give_up(*set, kept);
}

// Tells brokers of those that are `listed` only.
void GenerationFollower::leave(const ServedSet& set, const std::vector<bool>& listed) {
  bool changed = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    std::atomic<Instant>& since = set[i]->leaving_since;
    if (listed[i] == (since.load(std::memory_order_relaxed) == Instant::max())) continue;
    since.store(listed[i] ? Instant::max() : clock_.now(), std::memory_order_relaxed);
    changed = true;
  }
  if (changed && options_.on_change) options_.on_change();
}

// Removes the generations that are not `kept` from the set. Partition folders are deleted once no query uses them.
void GenerationFollower::give_up(const ServedSet& set, const std::vector<bool>& kept) {
  ServedSet next;
  std::set<std::string> shared;  // files of generations that stay
  for (std::size_t i = 0; i < set.size(); ++i)
    if (kept[i]) shared.insert(set[i]->files.begin(), set[i]->files.end());
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto& one = set[i];
    if (kept[i]) {
      next.push_back(one);
      continue;
    }
    for (const ServedPartition& partition : one->partitions) retired_[partition.open->id()] = partition.open;
    std::error_code ignored;  // queries may still read the mapped file; a leftover is deleted at the next sweep
    for (const std::string& file : one->files)
      if (!shared.contains(file)) std::filesystem::remove(data_.generation_file(file), ignored);
    std::filesystem::remove(data_.manifest(one->id()), ignored);
    superseded_.erase(one->id());
    log_.info("retired a generation",
              {{"generation", std::to_string(one->generation)}, {"content", to_hex(one->content)}});
  }
  if (next.size() == set.size()) return;
  for (const auto& one : next)
    for (const ServedPartition& partition : one->partitions) retired_.erase(partition.open->id());
  if (!next.empty()) superseded_.erase(next.back()->id());
  board_.put(std::move(next));
}

// Retires unused generations until the disk has room for `wanted`. Without this, a leaf whose disk holds only two
// generations would keep one that no broker will use again and could not load a newer one.
void GenerationFollower::make_room(const repository::Manifest& wanted) {
  for (;;) {
    const auto room = loader_.expect_room(wanted);
    const auto set = board_.get();
    const Instant now = clock_.now();
    const auto victim = first_to_give_up(standing(*set), brokers_.present(now), now, rules());
    if (room || !victim) return;
    log_.warn("a generation is deleted early: the disk has no room for the next",
              {{"generation", std::to_string((*set)[*victim]->generation)}, {"reason", room.error().message()}});
    std::vector<bool> kept(set->size(), true);
    kept[*victim] = false;
    give_up(*set, kept);
    if (options_.on_change) options_.on_change();
    delete_unused();
  }
}

std::string GenerationFollower::what_is_kept() const {
  std::string told;
  const Instant now = clock_.now();
  for (const auto& [id, since] : superseded_) {
    if (now - since < kReportKeptAfter) continue;
    const std::string brokers = brokers_.present(now).names_of(id);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since).count();
    told += (told.empty() ? "" : "; ") + name_of(id) + " is kept, superseded " + std::to_string(seconds) + " s ago, " +
            (brokers.empty() ? "until brokers have turned to a newer one" : "for " + brokers);
  }
  return told;
}

void GenerationFollower::delete_unused() {
  std::erase_if(retired_, [&](const auto& one) {
    if (!one.second.expired()) return false;
    std::error_code ignored;
    std::filesystem::remove_all(data_.partition(one.first), ignored);
    std::filesystem::remove_all(data_.fetching(one.first), ignored);  // links to the same files
    return true;
  });
}

void GenerationFollower::measure() const {
  const auto set = board_.get();
  std::uint64_t documents = 0;
  if (!set->empty())
    for (const ServedPartition& one : set->back()->partitions) documents += one.documents();
  const Instant now = clock_.now();
  Instant oldest = now;
  for (const auto& [id, since] : superseded_) oldest = std::min(oldest, since);
  const auto show = [](metrics::Gauge gauge, double value) { gauge.set(value); };
  show(generation_, set->empty() ? 0 : static_cast<double>(set->back()->generation));
  show(generations_, static_cast<double>(set->size()));
  show(partitions_, set->empty() ? 0 : static_cast<double>(set->back()->partitions.size()));
  show(documents_, static_cast<double>(documents));
  show(superseded_age_, std::chrono::duration<double>(now - oldest).count());
  show(brokers_heard_, static_cast<double>(brokers_.present(now).brokers.size()));
  if (const auto free = repository::free_bytes(data_.fetching({}))) show(disk_free_, static_cast<double>(*free));
  std::size_t broken = 0;
  if (!set->empty())
    for (const ServedPartition& one : set->back()->partitions) broken += one.open->intact() ? 0 : 1;
  show(damaged_, static_cast<double>(broken));
}

}  // namespace frond::leaf::generation
