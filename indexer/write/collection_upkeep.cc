// What a CollectionWriter does beside accepting and publishing: it renews its lease, merges small partitions, and ends.
#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/thread_name.h"
#include "indexer/write/collection_writer.h"

namespace frond::indexer::write {
namespace {

constexpr std::chrono::seconds kCompactEvery{2};  // at most so often

}  // namespace

void CollectionWriter::stop_accepting() {
  compactor_.request_stop();  // it holds the collection while it publishes
  const MutexLock lock(mutex_);
  ending_ = true;
  changed_.notify_all();
}

void CollectionWriter::abandon() {
  if (!leaser_.joinable()) return;
  leaser_.request_stop();
  leaser_.join();
  lease_->abandon();
}

bool CollectionWriter::await_published(std::chrono::steady_clock::time_point end) {
  MutexLock lock(mutex_);
  const auto all = [this]() FROND_REQUIRES(mutex_) { return accepting_ == 0 && operations_->last() <= published_; };
  // A lost lease wakes nobody.
  constexpr std::chrono::milliseconds kLook{100};
  while (!all() && !lost() && !damaged_ && std::chrono::steady_clock::now() < end)
    changed_.wait_until(mutex_, std::min(end, std::chrono::steady_clock::now() + kLook), all);
  return all();
}

void CollectionWriter::lease_loop(const std::stop_token& stop) {
  name_this_thread("lease");
  bool failing = false;
  // From one begin to the next: after a request that was never answered there is time for another one.
  auto begin = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    {
      const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
      MutexLock lock(mutex_);
      changed_.wait_for(mutex_, stop, std::max(lease_->renew_every() - took, lease_->renew_every() / 16),
                        [] { return false; });
    }
    if (stop.stop_requested()) return;
    begin = std::chrono::steady_clock::now();
    const auto renewed = lease_->renew(operations_->operations());
    (renewed ? service_.metrics.lease_renewed : service_.metrics.lease_failed).add();
    if (renewed && std::exchange(failing, false)) log_.info("the lease of a collection is renewed again");
    if (renewed) continue;
    if (!lease_->lost()) {
      if (!std::exchange(failing, true))
        log_.warn("the lease of a collection can't be renewed; it is tried again",
                  {{"reason", renewed.error().message()}});
      continue;
    }
    service_.metrics.lease_lost.add();
    log_.error("the lease of a collection is lost: nothing of it is accepted or published here any more",
               {{"reason", renewed.error().message()},
                {"epoch", std::to_string(lease_->epoch())},
                {"waiting", std::to_string(operations_->operations())},
                {"log", (folder_ / kLogFolder).string()}});
    return;
  }
}

void CollectionWriter::compact_loop(const std::stop_token& stop) {
  name_this_thread("compact");
  yield_to_others(10);
  Sequence seen = published_;
  while (!stop.stop_requested()) {
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, stop, [&]() FROND_REQUIRES(mutex_) { return compact_asked_ || published_ != seen; });
      compact_asked_ = false;
      seen = published_;
    }
    if (stop.stop_requested()) return;
    const auto compacted = compact_once(stop);
    if (stop.stop_requested()) return;
    if (!compacted) {
      service_.metrics.compactions_failed.add();
      log_.warn("a background compaction failed; it is tried again", {{"reason", compacted.error().message()}});
    } else if (*compacted) {
      service_.metrics.compacted.add();
    }
    MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, kCompactEvery, [this]() FROND_REQUIRES(mutex_) { return compact_asked_; });
  }
}

// Whether something was published.
Result<bool> CollectionWriter::compact_once(const std::stop_token& stop) {
  if (!FROND_TRY(current())) return false;
  FROND_TRY(expect_held());
  const WriterOptions& options = service_.options;
  progress_.documents = 0;
  progress_.documents_written = 0;
  compacting_ = true;
  auto merged = [&]() -> Result<bool> {
    const auto compaction = change::Compaction::prepare(
        target_, {}, {options.compact_rate, options.memory_limit, &service_.merging}, &progress_, stop);
    const auto held = FROND_TRY(change::open_writer(target_, stop, kLockPatience));
    Result<change::CompactionSummary> summary = change::CompactionSummary();
    if (!compaction)
      summary = compaction.error();
    else if (!(*compaction)->empty())
      summary = (*compaction)->publish(*held, stop);
    if (summary && summary->published) service_.places->note_current(collection_);
    // Also where partitions can't be merged, since generations would fill the disk.
    FROND_TRY(held->prune(options.keep));
    return FROND_TRY(std::move(summary)).published.has_value();
  }();
  compacting_ = false;
  return merged;
}

}  // namespace frond::indexer::write
